// SPDX-License-Identifier: BSD-3-Clause
#include "scalapack/serving/recent.hpp"

#include <cmath>
#include <utility>

namespace redblue::scalapack {

namespace {

// The number itself where it is small, else its logarithm in steps of a quarter of a power of two.
long roughly(long number) {
  constexpr long small = 16;
  constexpr double steps = 4;
  if (number <= small) return number;
  return small + std::lround(steps * std::log2(static_cast<double>(number) / small));
}

}  // namespace

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

Request request_of(std::string routine, double work, const Key& numbers,
                   const std::vector<Submatrix>& matrices) {
  Request request;
  request.key = key_of(numbers, matrices);
  request.kind.reserve(routine.size() + numbers.size() + 2 * matrices.size());
  for (const char c : routine) request.kind.push_back(c);
  for (const long number : numbers) request.kind.push_back(roughly(number));
  for (const Submatrix& x : matrices) {
    const Descriptor d = descriptor(x.descriptor);
    request.kind.push_back(roughly(d.row_block));
    request.kind.push_back(roughly(d.column_block));
  }
  request.routine = std::move(routine);
  request.work = work;
  return request;
}

bool takes_many_steps(const Submatrix& at, std::int64_t order) {
  constexpr std::int64_t narrow = 8;
  constexpr std::int64_t many = 32;
  const std::int64_t block = descriptor(at.descriptor).column_block;
  return block >= 1 && block <= narrow && order >= many * block;
}

bool gains(const std::string& routine, double work, const std::vector<int>& contexts) {
  constexpr double gains_from = 16777216;
  return may_serve(routine, work, gains_from, contexts);
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
