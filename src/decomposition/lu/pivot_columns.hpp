// SPDX-License-Identifier: BSD-3-Clause
// How the ranks of a grid column, of all replicas, share the columns of the pivots' rows in LU.
#pragma once

#include <cstdint>

#include "redblue/units.hpp"

namespace redblue {

struct PivotColumns {
  int grid_rows, replicas;

  // Of `across` columns those that a grid row's ranks solve for, replica by replica one slice each.
  Range group(std::int64_t across, int row) const;
  Range slice(std::int64_t across, int replica, int row) const;
  // All slices of a replica.
  std::int64_t of_replica(std::int64_t across, int replica) const;

  // Of a step's pivots, the most that one replica takes.
  std::int64_t largest_chunk(std::int64_t block) const { return (block + replicas - 1) / replicas; }

  // Words that a rank needs of each kind for `block` pivots' rows of so many columns.
  struct Buffers {
    std::int64_t rows;      // all of them
    std::int64_t received;  // from other ranks at a time
    std::int64_t chunk;     // a replica's part of the pivots; 0 with one replica
    std::int64_t slice;     // likewise
    std::int64_t total;
  };
  Buffers buffers(std::int64_t block, std::int64_t columns) const;
};

// For how many pivots at most a rank puts off what they take from its part of a matrix, so many
// rows and columns of it, where each step takes `chunk`; 0: none. One pass over the matrix then
// serves several small steps, at a cost of a quarter of it in memory.
std::int64_t delayed_pivots(std::int64_t rows, std::int64_t columns, std::int64_t chunk);

}  // namespace redblue
