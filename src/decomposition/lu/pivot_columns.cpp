// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/lu/pivot_columns.hpp"

#include <algorithm>

#include "decomposition/ownership.hpp"

namespace redblue {

Range PivotColumns::group(std::int64_t across, int row) const {
  return round_of({0, across}, row, grid_rows);
}

Range PivotColumns::slice(std::int64_t across, int replica, int row) const {
  return round_of(group(across, row), replica, replicas);
}

std::int64_t PivotColumns::of_replica(std::int64_t across, int replica) const {
  // groups differ by one column at most, and a slice's size follows from its group's
  const std::int64_t size = across / grid_rows;
  const std::int64_t larger = across % grid_rows;
  return larger * round_of({0, size + 1}, replica, replicas).size() +
         (grid_rows - larger) * round_of({0, size}, replica, replicas).size();
}

PivotColumns::Buffers PivotColumns::buffers(std::int64_t block, std::int64_t columns) const {
  Buffers b{};
  b.rows = block * columns;
  b.received = b.rows;
  if (replicas == 1) {
    b.total = 3 * b.rows + b.received;  // taken rows twice, U's, and what comes
    return b;
  }
  b.slice = block * ((columns / grid_rows + 1) / replicas + 1);
  b.chunk = (block / replicas + 1) * columns;
  b.received = std::max(b.received, std::int64_t{replicas - 1} * grid_rows * b.slice);
  // rows as with one replica; chunks and parts of slices twice, as they are sent; a slice
  b.total = 3 * b.rows + b.received + 2 * b.chunk + 3 * b.slice;
  return b;
}

std::int64_t delayed_pivots(std::int64_t rows, std::int64_t columns, std::int64_t chunk) {
  constexpr std::int64_t enough = 64;  // for the BLAS to be near its speed
  const std::int64_t most = std::min({rows / 8, columns / 8, 2 * enough}) / chunk * chunk;
  if (chunk >= enough) return 0;
  return most <= chunk ? 0 : most;
}

}  // namespace redblue
