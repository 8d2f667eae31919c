// SPDX-License-Identifier: BSD-3-Clause
// Who does and needs what in each step of solving with a triangular matrix that stays where it is.
#pragma once

#include <algorithm>

#include "decomposition/cyclic_classes.hpp"
#include "decomposition/ownership.hpp"
#include "redblue/factor_model.hpp"

namespace redblue {

// One replica's steps; each solves for a block of rows of X. Column class c of op(T) has summed up
// what the blocks of X solved before contribute; those sums meet at the ranks that solve, each for
// a chunk of the columns of X, and all ranks below (above) learn the result.
class TrsmSteps {
 public:
  TrsmSteps(const TrsmDecomposition& decomposition, int replica);

  const CyclicClasses& down() const { return down_; }
  const CyclicClasses& across() const { return across_; }
  std::int64_t count() const { return down_.blocks(); }
  std::int64_t block(std::int64_t step) const { return backward_ ? count() - 1 - step : step; }
  bool backward() const { return backward_; }

  const Range& columns() const { return columns_; }  // of X
  int chunks() const { return chunks_; }
  // Counted from the replica's first column.
  Range chunk(int c) const { return round_of({0, columns_.size()}, c, chunks_); }
  // The column class that solves for the chunk in the block's rows; chunk 0 where the block of the
  // diagonal lies.
  int solver(std::int64_t block, int c) const {
    return static_cast<int>((block + c) % across_.classes);
  }
  // The chunk a column class solves for; -1: none.
  int chunk_of(int column, std::int64_t block) const {
    const auto c =
        static_cast<int>((column - block % across_.classes + across_.classes) % across_.classes);
    return c < chunks_ ? c : -1;
  }
  // Whether the column class has blocks that were solved before.
  bool contributes(int column, std::int64_t block) const {
    return backward_ ? across_.after(column, block) > 0 : across_.before(column, block) > 0;
  }
  // Rows of the class that are still to be solved when the block is.
  std::int64_t left(int row, std::int64_t block) const {
    return backward_ ? down_.before(row, block) : down_.after(row, block);
  }

 private:
  CyclicClasses down_, across_;
  bool backward_;
  Range columns_;
  int chunks_;
};

// Where B stays: the classes of X's columns, one for each column of the grid.
CyclicClasses rhs_columns(const TrsmDecomposition& decomposition);

// Where B stays: words of a rank's buffers.
struct RightLookingBuffers {
  std::int64_t square = 0;  // a diagonal block of T, unpacked
  std::int64_t panel = 0;   // a diagonal block, packed, and the rest of its block column
  std::int64_t packed = 0;  // one more as it is sent, where T lies opposite
  std::int64_t solved = 0;  // a block row of X

  std::int64_t of_step() const { return panel + packed + solved; }
  std::int64_t total() const { return square + 2 * of_step(); }
};

// Of a rank with so many rows and columns of X.
RightLookingBuffers right_looking_buffers(const TrsmDecomposition& decomposition, std::int64_t rows,
                                          std::int64_t columns);

// Words of the triangle that the busiest rank holds.
std::int64_t triangle_share(const TrsmDecomposition& decomposition);

// cost_of() with the words of the triangle, which are brought to its grids, on top.
Cost cost_with_triangle(const TrsmDecomposition& decomposition, const Machine& machine);

// Along the critical path where that does not take long to find (task_graph/choice.cpp), B's way to
// the grids and X's back included, and T's where it does not lie there. Where B stays, of the
// busiest rank, which waits for one message a step.
enum class Triangles { brought, in_place };
double seconds_of(const TrsmDecomposition& decomposition, Triangles triangles,
                  const Machine& machine);

}  // namespace redblue
