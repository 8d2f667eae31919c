// SPDX-License-Identifier: BSD-3-Clause
// What a tiled order moves at sizes too large to walk, from smaller problems that are like it.
#pragma once

#include <limits>
#include <optional>

#include "redblue/schedule.hpp"
#include "schedule/traffic/streamed.hpp"

namespace redblue::schedule {

// Loads and stores on a fast memory of s words whose value used longest ago leaves, from two
// problems whose sizes and sides of tiles are smaller by a factor, and their fast memory by as much
// as the arrays: as many times fewer words move there, up to terms that are smaller by the side of
// a tile. A line through both, over the factor, takes those away. `residual`: how
// far both disagree, as a part of what moves, and how uncertain each is. Nothing where that is
// above 5 %, where the order has no tiles with several sides, and where s is below 16,384 words:
// there walks through parts of the order itself are short. However uncertain: where it is clear
// that more than `most` words move, as where the smallest problem moves half as many again.
std::optional<PredictedTraffic> similar_lru(
    const SizedOrder& order, const program::Sizes& sizes, std::int64_t s,
    DeadValues dead = DeadValues::leave,
    std::int64_t most = std::numeric_limits<std::int64_t>::max());

}  // namespace redblue::schedule
