// SPDX-License-Identifier: BSD-3-Clause
// ScaLAPACK's array descriptors and matrix arguments.
#pragma once

#include <cstdint>

#include "redblue/layout.hpp"
#include "scalapack/grid/blacs.hpp"

namespace redblue::scalapack {

// A dense block-cyclic descriptor: type 1 (nine integers) or type 2 (eleven, with first blocks of
// their own size).
struct Descriptor {
  int type, context, rows, columns, first_row_block, first_column_block, row_block, column_block,
      row_source, column_source, leading;
};

// Of any other type only `type` and `context` mean anything.
Descriptor descriptor(const int* values);

// A submatrix argument: its position counts from 1.
struct Submatrix {
  int i, j;
  const int* descriptor;
};

// Whether the rows x columns submatrix is inside the matrix and the local array has enough rows on
// this process.
bool holds(const Submatrix& x, const GridShape& grid, std::int64_t rows, std::int64_t columns);

// Whether the blocks are square and the submatrix begins with one, as ScaLAPACK's factorizations
// demand.
bool starts_square_block(const Submatrix& x);

// The row and the column of the grid that have the submatrix's first element.
int first_row_owner(const Submatrix& x, const GridShape& grid);
int first_column_owner(const Submatrix& x, const GridShape& grid);

// The rows x columns submatrix on a grid of these ranks.
BlockCyclic layout_of(const Submatrix& x, const GridShape& grid, std::vector<Rank> ranks,
                      std::int64_t rows, std::int64_t columns);

}  // namespace redblue::scalapack
