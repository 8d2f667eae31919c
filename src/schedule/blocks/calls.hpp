// SPDX-License-Identifier: BSD-3-Clause
// A band of loops around a product of matrices, in tiles that are calls of BLAS (on isl).
//
// Large tiles first: where one is an operation of BLAS it is one call, else it is cut into smaller
// ones, and what no tile takes runs in loops, as in the recursive formulations of factorizations
// ([elmroth2004]).
#pragma once

#include <isl/cpp.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "program/enumerate.hpp"
#include "schedule/blocks/blocks.hpp"
#include "schedule/blocks/call_tiles.hpp"

namespace redblue::schedule::codegen {

// Calls where the loops reach them: name[tile].
struct Call {
  std::string name;
  CallKind kind;
  std::array<std::int64_t, 3> sizes = {};  // of its tiles: rows, columns, sums; 0: the whole loop
  isl::set tiles;
  // Tile -> first and last row, column and sum, values of the outer loops.
  isl::pw_multi_aff bounds;
};

struct Called {
  Product product;
  std::vector<Call> calls;
  isl::union_map times;            // of every instance, in an order that the program allows
  isl::union_map loops;            // of instances in no call, and calls: what is written
  std::vector<std::string> names;  // of the loops, by depth
};

// How a product's band is cut: its rows, columns and sums in tiles, one size for each or none (0).
struct CallTiling {
  // Positions in {rows, columns, sums}: the loop over tiles furthest out first.
  std::array<int, 3> order = {2, 1, 0};
  // Of levels, largest tiles first, each size a multiple of the next: rows, columns, sums.
  std::vector<std::array<std::int64_t, 3>> levels;
  // A loop that has the same steps whatever the others do is not cut: BLAS has blocks of its own.
  bool keeps_whole = true;
};

// Nothing where no tile is a call, or no order of the tiles keeps `order`.
std::optional<Called> called(const program::Program& program, const LeafBand& band,
                             const Product& product, const CallTiling& tiling,
                             const isl::union_map& order);

// Instances of the product's statement in calls.
double instances_in_calls(const Called& called, const program::Sizes& sizes);

}  // namespace redblue::schedule::codegen
