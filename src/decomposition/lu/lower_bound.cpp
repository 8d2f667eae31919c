// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of an LU decomposition must receive.
#include <algorithm>

#include "decomposition/cyclic_classes.hpp"
#include "decomposition/ownership.hpp"
#include "redblue/lower_bound.hpp"

namespace redblue {

namespace {

// Multiplications of the updates of the ranks at one place.
double updates_at(const LuDecomposition& d, int row, int column) {
  const CyclicClasses rows{d.m, d.block, d.grid_rows * d.replicas};
  const CyclicClasses columns{d.n, d.block, d.grid_columns};
  std::int64_t together = 0;
  for (int r = row % d.grid_rows; r < rows.classes; r += d.grid_rows) together += rows.size(r);
  double work = 0;
  const std::int64_t steps = CyclicClasses{std::min(d.m, d.n), d.block, 1}.blocks();
  for (std::int64_t t = 0; t < steps; ++t) {
    const std::int64_t width = std::min(d.block, std::min(d.m, d.n) - t * d.block);
    const auto left = static_cast<double>(d.m - t * d.block - width);
    const std::int64_t chunk = round_of({0, width}, row / d.grid_rows, d.replicas).size();
    work += left * static_cast<double>(together) * static_cast<double>(chunk) *
            static_cast<double>(columns.after(column, t));
  }
  return work / static_cast<double>(std::max<std::int64_t>(1, d.m));
}

}  // namespace

double lower_bound(const LuDecomposition& d, std::optional<Words> memory) {
  double busiest = 0;
  for (const int r : {0, d.grid_rows * d.replicas - 1}) {  // with the most and the fewest rows
    for (int c = 0; c < d.grid_columns; ++c) busiest = std::max(busiest, updates_at(d, r, c));
  }
  return lu_lower_bound(d.m, d.n, d.block, {d.ranks, busiest, memory});
}

}  // namespace redblue
