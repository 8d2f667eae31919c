// SPDX-License-Identifier: BSD-3-Clause
// What an order moves at sizes too large to walk, from walks at small ones.
#pragma once

#include <functional>
#include <optional>

#include "program/instances.hpp"
#include "redblue/schedule.hpp"
#include "schedule/traffic/loop_program.hpp"

namespace redblue::schedule {

// An order of a program at any size.
struct SizedOrder {
  std::function<LoopProgram(const program::Sizes&)> loops;
  const program::InstanceCount& accesses;
  std::int64_t period = 1;  // tiles repeat when sizes grow by so much
  int dimensions = 1;       // loops around a statement, at most
};

// Loads and stores on a fast memory of s words whose value used longest ago leaves. Where the order
// has few accesses they are counted (`residual` 0). Else the order is streamed at sizes that begin
// with some tiles and grow by whole tiles towards `sizes`: there what moves is a polynomial in the
// number of tiles, once no reuse distance passes s any more. That is what is checked, not proved:
// a polynomial through the first sizes must meet the last one and agree at `sizes` with one through
// the last ones, and so must what moves through smaller memories, as a distance that grows and will
// pass s passes these before. `residual` is the largest of these differences, as a part of what
// moves. Nothing where it is more than 0.1 %, or where sizes are too small to grow by tiles.
std::optional<PredictedTraffic> predicted_lru(const SizedOrder& order, const program::Sizes& sizes,
                                              std::int64_t s);

}  // namespace redblue::schedule
