// SPDX-License-Identifier: BSD-3-Clause
#include "scalapack/grid/descriptor.hpp"

#include <algorithm>
#include <utility>

namespace redblue::scalapack {

namespace {

constexpr int dense = 1;
constexpr int dense_with_first_blocks = 2;

Cyclic down(const Descriptor& d, const GridShape& grid) {
  return {d.row_block, d.row_source, grid.rows, d.first_row_block};
}

Cyclic across(const Descriptor& d, const GridShape& grid) {
  return {d.column_block, d.column_source, grid.columns, d.first_column_block};
}

}  // namespace

Descriptor descriptor(const int* v) {
  if (v[0] == dense) return {v[0], v[1], v[2], v[3], v[4], v[5], v[4], v[5], v[6], v[7], v[8]};
  if (v[0] != dense_with_first_blocks) return {v[0], v[1], 0, 0, 0, 0, 0, 0, 0, 0, 0};
  return {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10]};
}

bool holds(const Submatrix& x, const GridShape& grid, std::int64_t rows, std::int64_t columns) {
  const Descriptor d = descriptor(x.descriptor);
  if (d.type != dense && d.type != dense_with_first_blocks) return false;
  if (d.rows < 0 || d.columns < 0 || d.row_block < 1 || d.column_block < 1) return false;
  if (d.first_row_block < 1 || d.first_column_block < 1) return false;
  if (d.row_source < 0 || d.row_source >= grid.rows || d.column_source < 0 ||
      d.column_source >= grid.columns) {
    return false;
  }
  if (x.i < 1 || x.j < 1 || x.i - 1 + rows > d.rows || x.j - 1 + columns > d.columns) return false;
  if (!grid.inside()) return true;
  return d.leading >= std::max<std::int64_t>(1, down(d, grid).count(d.rows, grid.my_row));
}

bool starts_square_block(const Submatrix& x) {
  const Descriptor d = descriptor(x.descriptor);
  if (d.type != dense || d.row_block != d.column_block || d.row_block < 1) return false;
  return (x.i - 1) % d.row_block == 0 && (x.j - 1) % d.column_block == 0;
}

int first_row_owner(const Submatrix& x, const GridShape& grid) {
  return down(descriptor(x.descriptor), grid).owner(x.i - 1);
}

int first_column_owner(const Submatrix& x, const GridShape& grid) {
  return across(descriptor(x.descriptor), grid).owner(x.j - 1);
}

BlockCyclic layout_of(const Submatrix& x, const GridShape& grid, std::vector<Rank> ranks,
                      std::int64_t rows, std::int64_t columns) {
  const Descriptor d = descriptor(x.descriptor);
  return {rows,      columns, down(d, grid), across(d, grid), std::move(ranks),
          d.leading, x.i - 1, x.j - 1};
}

}  // namespace redblue::scalapack
