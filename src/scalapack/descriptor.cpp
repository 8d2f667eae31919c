#include "scalapack/descriptor.hpp"

#include <algorithm>

namespace redblue::scalapack {

namespace {

constexpr int dense = 1;
constexpr int dense_with_first_blocks = 2;

layout::Cyclic down(const Descriptor& d, const comm::Grid& grid) {
  return {d.row_block, d.row_source, grid.rows, d.first_row_block};
}

layout::Cyclic across(const Descriptor& d, const comm::Grid& grid) {
  return {d.column_block, d.column_source, grid.columns, d.first_column_block};
}

}  // namespace

Descriptor descriptor(const int* v) {
  if (v[0] == dense) return {v[0], v[1], v[2], v[3], v[4], v[5], v[4], v[5], v[6], v[7], v[8]};
  if (v[0] != dense_with_first_blocks) return {v[0], v[1], 0, 0, 0, 0, 0, 0, 0, 0, 0};
  return {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10]};
}

bool holds(const Descriptor& d, const comm::Grid& grid, int i, int j, std::int64_t rows,
           std::int64_t columns) {
  if (d.type != dense && d.type != dense_with_first_blocks) return false;
  if (d.rows < 0 || d.columns < 0 || d.row_block < 1 || d.column_block < 1) return false;
  if (d.first_row_block < 1 || d.first_column_block < 1) return false;
  if (d.row_source < 0 || d.row_source >= grid.rows || d.column_source < 0 ||
      d.column_source >= grid.columns) {
    return false;
  }
  if (i < 1 || j < 1 || i - 1 + rows > d.rows || j - 1 + columns > d.columns) return false;
  return d.leading >= std::max<std::int64_t>(1, down(d, grid).count(d.rows, grid.my_row));
}

layout::BlockCyclicView view(const Descriptor& d, const comm::Grid& grid, int i, int j,
                             bool transposed) {
  layout::BlockCyclicView result;
  result.rows = down(d, grid);
  result.columns = across(d, grid);
  result.first_row = i - 1;
  result.first_column = j - 1;
  result.leading = d.leading;
  result.transposed = transposed;
  return result;
}

}  // namespace redblue::scalapack
