// SPDX-License-Identifier: BSD-3-Clause
// What an order moves at sizes too large to walk, from walks at small ones.
#pragma once

#include <optional>

#include "redblue/schedule.hpp"
#include "schedule/traffic/streamed.hpp"

namespace redblue::schedule {

// Loads and stores on a fast memory of s words whose value used longest ago leaves; `period`: tiles
// repeat when sizes grow by so much. Where the order has few accesses they are counted (`residual`
// 0). Else the order is streamed at sizes that begin with some tiles and grow by whole tiles
// towards `sizes`: there what moves is a polynomial in the number of tiles, once no reuse distance
// passes s any more. It is assumed that reuse distances
// neither shrink nor grow faster than the data. Then none passes s between the last walk and
// `sizes` if none lies between s times the walk's part of the data and s: the last walk moves as
// much through so small a memory as through s words, or nothing is predicted. A polynomial through
// the first sizes must also meet the last one and agree at `sizes` with one through the last ones;
// `residual` is the larger difference, as a part of what moves, 0.1 % at most. Nothing where sizes
// are too small to grow by tiles.
std::optional<PredictedTraffic> predicted_lru(const SizedOrder& order, std::int64_t period,
                                              const program::Sizes& sizes, std::int64_t s,
                                              DeadValues dead = DeadValues::leave);

}  // namespace redblue::schedule
