// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/prediction/prediction.hpp"

#include "schedule/prediction/extrapolated.hpp"
#include "schedule/prediction/similar.hpp"

namespace redblue::schedule {

std::optional<PredictedTraffic> prediction(const SizedOrder& order, std::int64_t period,
                                           const program::Sizes& sizes, std::int64_t s,
                                           DeadValues dead) {
  const std::optional<PredictedTraffic> settled = predicted_lru(order, period, sizes, s, dead);
  return settled ? settled : prediction_at(order, sizes, s, dead);
}

std::optional<PredictedTraffic> prediction_at(const SizedOrder& order, const program::Sizes& sizes,
                                              std::int64_t s, DeadValues dead, std::int64_t most,
                                              std::size_t most_touches) {
  const std::optional<PredictedTraffic> similar = similar_lru(order, sizes, s, dead, most);
  return similar ? similar : sampled_lru(order, sizes, s, dead, most, most_touches);
}

}  // namespace redblue::schedule
