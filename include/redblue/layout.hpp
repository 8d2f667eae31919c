// SPDX-License-Identifier: BSD-3-Clause
// Where the elements of a distributed matrix are stored. Values only: no MPI, no data.
//
// A layout is the same on all ranks of a communicator but for `leading`, which is each rank's own.
#pragma once

#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

#include "redblue/units.hpp"

namespace redblue {

// One direction of a block-cyclic distribution: indices 0 .. first-1 go to process `source` of
// `processes`, then `block` indices in a row to each process in turn.
struct Cyclic {
  std::int64_t block = 1;
  int source = 0;
  int processes = 1;
  std::int64_t first = 1;  // most often equal to block
  bool operator==(const Cyclic&) const = default;

  // Number of the block that contains an index, counted from 0.
  std::int64_t block_of(std::int64_t index) const {
    return index < first ? 0 : 1 + (index - first) / block;
  }
  int owner(std::int64_t index) const {
    return static_cast<int>((block_of(index) + source) % processes);
  }
  // Position of the index in its owner's local array.
  std::int64_t local(std::int64_t index) const {
    if (index < first) return index;
    const std::int64_t b = block_of(index);
    const std::int64_t earlier = b / processes * block + (b % processes == 0 ? first - block : 0);
    return earlier + (index - first) % block;
  }
  // First index after the block of `index`.
  std::int64_t block_end(std::int64_t index) const { return first + block_of(index) * block; }

  // How many of the indices 0 .. extent-1 a process owns (ScaLAPACK's numroc).
  std::int64_t count(std::int64_t extent, int process) const {
    if (extent <= first) return process == source ? extent : 0;
    const std::int64_t rest = extent - first;
    // the blocks after the first go to source + 1, source + 2, ...
    const std::int64_t place = (process - source - 1 + 2 * processes) % processes;
    const std::int64_t blocks = rest / block;
    const std::int64_t extra = blocks % processes;
    std::int64_t total = blocks / processes * block + (process == source ? first : 0);
    if (place < extra) total += block;
    if (place == extra) total += rest % block;
    return total;
  }
};

// ScaLAPACK's two-dimensional block-cyclic layout of a matrix over a process grid, and in it the
// rows x columns submatrix that starts at (first_row, first_column), counted from 0. Each process
// stores its rows and columns of the whole matrix column-major, columns `leading` words apart.
struct BlockCyclic {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  Cyclic down, across;      // rows over the rows of the grid, columns over its columns
  std::vector<Rank> ranks;  // of grid position (r, c) at [r * across.processes + c]
  std::int64_t leading = 1;
  std::int64_t first_row = 0;
  std::int64_t first_column = 0;
};

// Blocks of any sizes on any ranks. Block (i, j) holds rows row_cuts[i] .. row_cuts[i+1]-1 and
// columns column_cuts[j] .. column_cuts[j+1]-1; cuts start at 0 and do not descend. A rank's array
// holds its blocks one after another, by columns of blocks, each column-major without gaps.
struct BlockGrid {
  std::vector<std::int64_t> row_cuts = {0};
  std::vector<std::int64_t> column_cuts = {0};
  std::vector<Rank> owners;  // of block (i, j) at [j * (row_cuts.size() - 1) + i]
};

using Layout = std::variant<BlockCyclic, BlockGrid>;

// The layout of a rows x columns matrix dealt out in block x block squares to a process grid with
// ranks 0, 1, ... row by row; `leading` is the least that rank `me` needs.
BlockCyclic block_cyclic(std::int64_t rows, std::int64_t columns, std::int64_t block, int grid_rows,
                         int grid_columns, Rank me);

// The number of rows of the most nearly square grid of all these ranks, no more than its columns.
int squarest_grid_rows(int ranks);

// Words of the array that `rank` passes for a matrix in this layout (with the layout's `leading`).
// O(1) for block-cyclic layouts, O(blocks) else.
Words array_words(const Layout& layout, Rank rank);

// A block of a matrix as it is stored in one rank's array: element (row, column) is at
// offset + (row - rows.begin) + leading * (column - columns.begin).
struct LocalBlock {
  Range rows, columns;
  std::int64_t offset = 0;
  std::int64_t leading = 1;
};

// Calls f for every block of the matrix that `rank` stores, by columns of blocks. Blocks that
// follow one another in the matrix and in the array may come as one. Nothing for ranks without a
// part. O(blocks of the rank + ranks) for block-cyclic layouts, O(blocks) else.
void for_each_local_block(const Layout& layout, Rank rank,
                          const std::function<void(const LocalBlock&)>& f);

// Calls f(row, column, place) for every element of the matrix that `rank` stores, at array[place],
// each once. Rows and columns are those of the matrix, or of the submatrix of a BlockCyclic,
// counted from 0.
template <class F>
void for_each_element(const Layout& layout, Rank rank, F f) {
  for_each_local_block(layout, rank, [&](const LocalBlock& block) {
    for (std::int64_t column = block.columns.begin; column < block.columns.end; ++column) {
      std::int64_t place = block.offset + block.leading * (column - block.columns.begin);
      for (std::int64_t row = block.rows.begin; row < block.rows.end; ++row)
        f(row, column, place++);
    }
  });
}

// The array of `rank` with value(row, column) in every element it stores, and T() in what its array
// has besides (leading dimensions larger than needed, rows and columns outside a submatrix).
template <class T, class F>
std::vector<T> filled_array(const Layout& layout, Rank rank, F value) {
  std::vector<T> array(static_cast<std::size_t>(array_words(layout, rank).value));
  for_each_element(layout, rank, [&](std::int64_t row, std::int64_t column, std::int64_t place) {
    array[static_cast<std::size_t>(place)] = static_cast<T>(value(row, column));
  });
  return array;
}

}  // namespace redblue
