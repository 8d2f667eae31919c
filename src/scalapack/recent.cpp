// SPDX-License-Identifier: BSD-3-Clause
#include "scalapack/recent.hpp"

namespace redblue::scalapack {

Key key_of(Key numbers, const std::vector<Submatrix>& matrices) {
  constexpr std::size_t of_matrix = 12;
  numbers.reserve(numbers.size() + of_matrix * matrices.size());
  for (const Submatrix& x : matrices) {
    const Descriptor d = descriptor(x.descriptor);
    numbers.insert(numbers.end(),
                   {x.i, x.j, d.type, d.rows, d.columns, d.first_row_block, d.first_column_block,
                    d.row_block, d.column_block, d.row_source, d.column_source, d.leading});
  }
  return numbers;
}

bool gains(double work, std::initializer_list<int> contexts) {
  constexpr double gains_from = 16777216;
  return work >= least_work(gains_from) &&
         std::all_of(contexts.begin(), contexts.end(),
                     [&](int context) { return context == *contexts.begin(); });
}

void check_arrays(const Planned& call, int context, const std::array<const void*, 3>& arrays,
                  const std::array<int, 3>& positions) {
  for (std::size_t x = 0; x < arrays.size(); ++x) {
    if (call.holds_some[x] && arrays[x] == nullptr) {
      report_argument(context, call.record.routine, positions[x]);
    }
  }
}

std::string described(const std::vector<int>& sizes, const GridShape& grid,
                      const std::string& way) {
  std::string text;
  for (const int size : sizes) text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text + " on " + std::to_string(grid.rows) + " x " + std::to_string(grid.columns) + ", " +
         way;
}

}  // namespace redblue::scalapack
