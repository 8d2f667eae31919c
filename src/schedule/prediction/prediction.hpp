// SPDX-License-Identifier: BSD-3-Clause
// What an order moves at any sizes, in the way that suits them.
#pragma once

#include <limits>
#include <optional>

#include "redblue/schedule.hpp"
#include "schedule/prediction/sampled.hpp"
#include "schedule/traffic/streamed.hpp"

namespace redblue::schedule {

// Extrapolated from smaller sizes (prediction/extrapolated.hpp), else as below.
std::optional<PredictedTraffic> prediction(const SizedOrder& order, std::int64_t period,
                                           const program::Sizes& sizes, std::int64_t s,
                                           DeadValues dead = DeadValues::leave);

// From similar problems (prediction/similar.hpp), else sampled (prediction/sampled.hpp); both end,
// less certain, where it is clear that more than `most` words move, samples after `most_touches`.
std::optional<PredictedTraffic> prediction_at(
    const SizedOrder& order, const program::Sizes& sizes, std::int64_t s,
    DeadValues dead = DeadValues::leave,
    std::int64_t most = std::numeric_limits<std::int64_t>::max(),
    std::size_t most_touches = usual_touches);

}  // namespace redblue::schedule
