// ScaLAPACK's array descriptors.
#pragma once

#include <cstdint>

#include "comm/redistribute.hpp"
#include "layout/block_cyclic.hpp"

namespace redblue::scalapack {

// A dense block-cyclic descriptor: type 1 (nine integers) or type 2 (eleven, with first blocks of
// their own size).
struct Descriptor {
  int type, context, rows, columns, first_row_block, first_column_block, row_block, column_block,
      row_source, column_source, leading;
};

// Of any other type only `type` and `context` mean anything.
Descriptor descriptor(const int* values);

// Whether the submatrix of `rows` x `columns` at (i, j), counted from 1, lies in the matrix and the
// local array is large enough on this process.
bool holds(const Descriptor& d, const comm::Grid& grid, int i, int j, std::int64_t rows,
           std::int64_t columns);

layout::BlockCyclicView view(const Descriptor& d, const comm::Grid& grid, int i, int j,
                             bool transposed);

}  // namespace redblue::scalapack
