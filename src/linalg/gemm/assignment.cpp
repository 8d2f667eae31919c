// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include "linalg/gemm/placement.hpp"

namespace redblue::linalg {

// Shortest augmenting paths with potentials [jonker1987], on costs -gain. Row and
// column 0 stand for "none".
std::vector<int> best_assignment(const std::vector<std::vector<std::int64_t>>& gain) {
  constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max() / 4;
  const std::size_t n = gain.size();
  std::vector<std::int64_t> row_potential(n + 1);
  std::vector<std::int64_t> column_potential(n + 1);
  std::vector<std::size_t> row_of(n + 1);  // of each column
  std::vector<std::size_t> previous(n + 1);
  for (std::size_t row = 1; row <= n; ++row) {
    row_of[0] = row;
    std::size_t column = 0;
    std::vector<std::int64_t> distance(n + 1, far);
    std::vector<bool> done(n + 1);
    do {
      done[column] = true;
      const std::size_t from = row_of[column];
      std::int64_t least = far;
      std::size_t next = 0;
      for (std::size_t c = 1; c <= n; ++c) {
        if (done[c]) continue;
        const std::int64_t reduced =
            -gain[from - 1][c - 1] - row_potential[from] - column_potential[c];
        if (reduced < distance[c]) {
          distance[c] = reduced;
          previous[c] = column;
        }
        if (distance[c] < least) {
          least = distance[c];
          next = c;
        }
      }
      for (std::size_t c = 0; c <= n; ++c) {
        if (done[c]) {
          row_potential[row_of[c]] += least;
          column_potential[c] -= least;
        } else {
          distance[c] -= least;
        }
      }
      column = next;
    } while (row_of[column] != 0);
    for (; column != 0; column = previous[column]) row_of[column] = row_of[previous[column]];
  }
  std::vector<int> result(n);
  for (std::size_t c = 1; c <= n; ++c) result[row_of[c] - 1] = static_cast<int>(c - 1);
  return result;
}

}  // namespace redblue::linalg
