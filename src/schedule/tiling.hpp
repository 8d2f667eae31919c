// SPDX-License-Identifier: BSD-3-Clause
// Legal loop orders and their tilings (on isl's scheduler and schedule trees).
#pragma once

#include <isl/cpp.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "program/program.hpp"

namespace redblue::schedule {

// Which statements share loops; `outer`: also those that share fewer loops than they could have by
// themselves.
enum class Fusion { most, least, outer };

// Loops of `program` that respect `order` (isl's scheduler: outermost permutable bands, skewed
// where that makes them so); none where isl finds none. `close`: pairs that should run near each
// other.
std::optional<isl::schedule> loops(const program::Program& program, const isl::union_map& order,
                                   const isl::union_map& close, Fusion fusion);

// Two or more loops that may run in any order, and so be tiled.
struct Band {
  std::vector<std::string> loops;       // what each steps through, for messages: "S1[i, j] -> i"
  std::vector<std::string> statements;  // inside
  // Instance -> what the loops around it step through, and these.
  std::optional<isl::union_map> around = {}, steps = {};
  // So many of the last loops stay in this order, inside of all others, in steps of 1
  // (interchange.hpp).
  int in_order = 0;
};

// How one band is tiled: its loops in a new order, outermost first, each with its tile size; 0
// leaves the band as it is.
struct Tiles {
  std::vector<int> order;
  std::vector<std::int64_t> sizes;
};

isl::schedule_node child(const isl::schedule_node& node, int n);

// All that the tree orders: the only child of its root.
isl::schedule_node below_root(const isl::schedule& tree);

// Whether there are loops inside of the node.
bool has_band(const isl::schedule_node& node);

// The bands of the tree, outermost and first ones last, as tiled() counts them.
std::vector<Band> bands(const isl::schedule& tree);

// The tree with every band that bands() names changed, inner ones first.
isl::schedule at_bands(const isl::schedule& tree,
                       const std::function<isl::schedule_node(const isl::schedule_node&)>& change);

// One Tiles per band; an empty one leaves its band as it is.
isl::schedule tiled(const isl::schedule& tree, const std::vector<Tiles>& tiles);

// The tree with every band of point loops changed.
isl::schedule at_point_loops(
    const isl::schedule& tiled,
    const std::function<isl::schedule_node(const isl::schedule_node&)>& change);

// Which tile an instance of a tiled band belongs to: the loops around its point loops.
isl::union_map tile_coordinates(const isl::schedule& tiled);

}  // namespace redblue::schedule
