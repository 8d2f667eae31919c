// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/traffic/prediction.hpp"

#include "schedule/traffic/extrapolated.hpp"
#include "schedule/traffic/sampled.hpp"

namespace redblue::schedule {

std::optional<PredictedTraffic> prediction(const SizedOrder& order, std::int64_t period,
                                           const program::Sizes& sizes, std::int64_t s,
                                           DeadValues dead) {
  const std::optional<PredictedTraffic> settled = predicted_lru(order, period, sizes, s, dead);
  return settled ? settled : sampled_lru(order, sizes, s, dead);
}

}  // namespace redblue::schedule
