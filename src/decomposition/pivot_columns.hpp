// How the ranks of a grid column, of all layers, share the columns of the pivots' rows in LU.
#pragma once

#include <cstdint>

#include "redblue/model.hpp"

namespace redblue {

struct PivotColumns {
  int grid_rows, layers;

  // Of `across` columns those that a grid row's ranks solve for, layer by layer one slice each.
  Range group(std::int64_t across, int row) const;
  Range slice(std::int64_t across, int layer, int row) const;
  // All slices of a layer.
  std::int64_t of_layer(std::int64_t across, int layer) const;

  // Of a step's pivots, the most that one layer takes.
  std::int64_t largest_chunk(std::int64_t block) const { return (block + layers - 1) / layers; }

  // Words that a rank needs of each kind for `block` pivots' rows of so many columns.
  struct Buffers {
    std::int64_t rows;      // all of them
    std::int64_t received;  // from other ranks at a time
    std::int64_t chunk;     // a layer's part of the pivots; 0 with one layer
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
