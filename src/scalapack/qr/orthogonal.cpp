// SPDX-License-Identifier: BSD-3-Clause
#include "scalapack/qr/orthogonal.hpp"

#include <algorithm>

namespace redblue::scalapack {

LocalSize local_size(const Submatrix& x, const GridShape& grid, std::int64_t rows,
                     std::int64_t columns) {
  const Descriptor d = descriptor(x.descriptor);
  const auto count = [](std::int64_t first, std::int64_t extent, std::int64_t block, int source,
                        int processes, int me) {
    const Cyclic whole = {block, source, processes, block};
    return Cyclic{block, whole.owner(first), processes, block}.count(extent + first % block, me);
  };
  return {count(x.i - 1, rows, d.row_block, d.row_source, grid.rows, grid.my_row),
          count(x.j - 1, columns, d.column_block, d.column_source, grid.columns, grid.my_column)};
}

bool is_plain(const Submatrix& x) {
  const Descriptor d = descriptor(x.descriptor);
  return d.type == 1 && d.row_block >= 1 && d.column_block >= 1;
}

bool has_wide_blocks(const Submatrix& x, int reflectors) {
  constexpr int narrow = 16;
  return descriptor(x.descriptor).column_block >= std::min(narrow, reflectors) ||
         least_work(1) == 0;
}

std::shared_ptr<ProcessGrid> serving_grid(const std::string& name, double work, int context) {
  constexpr double gains_from = 4194304;
  return may_serve(name, work, gains_from, {context}) ? process_grid(context) : nullptr;
}

}  // namespace redblue::scalapack
