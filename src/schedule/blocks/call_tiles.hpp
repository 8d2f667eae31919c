// SPDX-License-Identifier: BSD-3-Clause
// Which tiles of a band are operations of BLAS (on isl).
#pragma once

#include <isl/cpp.h>

#include <optional>
#include <string>
#include <vector>

#include "schedule/blocks/blocks.hpp"
#include "schedule/blocks/product.hpp"

namespace redblue::schedule::codegen {

enum class Operation {
  gemm,  // X += P Q
  syrk,  // a triangle of X += P P^T
  trmm,  // X = T X or X T, T with ones on its diagonal
  trsm,  // X = T^-1 X or X T^-1
};

// What BLAS is told besides sizes and places. In trmm and trsm the triangle T is P, on the left, or
// Q, on the right.
struct CallKind {
  Operation operation = Operation::gemm;
  bool left = false;
  bool lower = false;  // of T[r][k], T[k][v]; of syrk's X[r][v]
  bool unit = true;    // T has ones on its diagonal
};

// Tiles that are one call each, and nothing else of the product's statement.
struct CallTiles {
  CallKind kind;
  isl::set tiles;
  // A statement all of whose instances in these tiles are part of the call: the division by the
  // diagonal.
  std::optional<std::size_t> division;
};

// A cut of a band's instances into tiles.
struct Cut {
  isl::union_map tiles;  // instance -> tile
  // Tile -> first and last row, column and sum that it has, then the values of the outer loops.
  isl::map bounds;
};

// Instance of the product's statement and what the band's other statements are to it.
struct CallBand {
  const program::Program* program = nullptr;
  const LeafBand* band = nullptr;
  const Product* product = nullptr;
  std::vector<int> members;               // that step through the statement's iterators
  const isl::union_map* order = nullptr;  // what must stay in order
};

// The tiles of the cut that hold exactly what an operation of BLAS computes. A tile's instances
// must run together, in an order that keeps `order`: then the call in their place leaves the same
// values, but for roundings. Tiles of different kinds are disjoint.
std::vector<CallTiles> call_tiles(const CallBand& band, const Cut& cut);

// Tile -> bounds, by the statement's instances in each.
isl::map bounds_of(const CallBand& band, const isl::union_map& tiles);

// Whether one loop of the statement has the same steps whatever the other two do, without holes.
bool separable(const CallBand& band, int iterator);

}  // namespace redblue::schedule::codegen
