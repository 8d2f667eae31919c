// SPDX-License-Identifier: BSD-3-Clause
// The order in which new times compute a graph, and what explicit loads and stores then move.
#pragma once

#include <isl/cpp.h>

#include "program/enumerate.hpp"
#include "redblue/pebble.hpp"
#include "schedule/triangle_blocks.hpp"

namespace redblue::schedule {

// The computed vertices of `graph` (made by program_graph from `program`), sorted by new times,
// which may be rearranged. O(vertices log vertices).
cdag::Order order_of(const cdag::Graph& graph, const program::Program& program,
                     const isl::union_map& times, const program::Sizes& sizes,
                     const Rearrangement& rearranged = {});

// One number per place of `order`: equal for neighbours that belong to the same tile. Statements
// without tile coordinates make tiles of one instance.
std::vector<std::int64_t> tiles_of(const cdag::Graph& graph, const program::Program& program,
                                   const cdag::Order& order, const isl::union_map& tiles,
                                   const program::Sizes& sizes,
                                   const Rearrangement& rearranged = {});

// A fast memory managed tile by tile: before a tile runs, what it reads and the tile before it did
// not leave is loaded; after it, what is needed later and not by the next tile is stored and
// dropped. A value leaves after its last reader in either.
struct Explicit {
  std::int64_t loads = 0, stores = 0;
  std::int64_t words = 0;  // of fast memory at most in use
  std::int64_t moved() const { return loads + stores; }
};
Explicit replay_tiles(const cdag::Graph& graph, const cdag::Order& order,
                      const std::vector<std::int64_t>& tile);

}  // namespace redblue::schedule
