// SPDX-License-Identifier: BSD-3-Clause
// The search for a tiled schedule that moves little, judged by replay.
#pragma once

#include <functional>
#include <vector>

#include "program/enumerate.hpp"
#include "redblue/pebble.hpp"
#include "redblue/schedule.hpp"
#include "schedule/late/late_tiles.hpp"
#include "schedule/nests.hpp"
#include "schedule/traffic/loop_program.hpp"
#include "schedule/triangle_blocks.hpp"

namespace redblue::schedule {

// A legal schedule of a program: a nest and one Tiles per band of it, or triangle blocks, or tiles
// that wait.
struct Plan {
  Nest nest;
  std::vector<Tiles> tiles;
  std::optional<TriangleBlocks> triangles = {};  // instead of the nest; likewise
  std::optional<LateTiles> late = {};
  // What it moves at the sizes, where the search asked for that and it could be told; and how the
  // search asked: by walks through parts of the order, or also by walks at smaller sizes.
  std::optional<PredictedTraffic> predicted = {};
  enum class Asked { no, by_parts, in_all_ways } asked = Asked::no;
};

// The least common multiple of the tile sizes, where that is no more than some tiles; else the
// largest.
std::int64_t period(const Plan& plan);

// The computed vertices of a graph of the program in the order of a plan.
cdag::Order order_of(const cdag::Graph& graph, const program::Program& program, const Plan& plan,
                     const program::Sizes& sizes);

// The program in the order of a plan without triangle blocks, with the storage the order needs.
SizedOrder sized_order(const program::Program& program, const Plan& plan);

// What it moves at the sizes, asked in the ways that the search left. Nothing for triangle blocks.
std::optional<PredictedTraffic> prediction(const program::Program& program, const Plan& plan,
                                           const program::Sizes& sizes, std::int64_t s);

// Tiles that wait, of which one and what it needs at a step fit into a fast memory of s words; of
// equal sides at these sizes. Nothing where the program has none.
std::optional<Plan> late_plan(const program::Program& program, const program::Sizes& sizes,
                              std::int64_t s);

// The program's own order.
Plan own_order(const program::Program& program);

// The plan that replays best on a fast memory of s words, found on a graph of the program at sizes
// scaled down from `sizes` until it has at most some hundred thousand vertices, then refined at
// larger ones; at the sizes themselves held against triangle blocks and tiles that wait, where
// there are any. Replays
// about `effort` vertices, or does what takes as long, and tells `replayed` how many after each
// replay; the same effort gives the same plan. Beyond the sizes of graphs the plan for a cache: the
// promising ones on a graph are streamed at sizes of some million instances, with tiles that fill
// more and less of the memory.
using Replayed = std::function<void(double vertices)>;
Plan best_plan(const program::Program& program, const program::Sizes& sizes, std::int64_t s,
               cdag::Replacement replacement, double effort, const Replayed& replayed);

}  // namespace redblue::schedule
