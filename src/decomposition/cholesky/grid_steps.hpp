// SPDX-License-Identifier: BSD-3-Clause
// Who does and needs what in each step of a Cholesky factorization that leaves the matrix on a
// caller's grid.
#pragma once

#include "decomposition/cyclic_classes.hpp"
#include "decomposition/ownership.hpp"
#include "redblue/factor_model.hpp"
#include "redblue/machine.hpp"

namespace redblue {

// Block (i, j), i >= j, is at grid row i mod rows and grid column j mod columns. In step k grid
// column k mod columns solves for block column K of L. Rank (s, q) then updates its blocks right of
// it: those of rows I_s in columns J_q.
class CholeskyGridSteps {
 public:
  explicit CholeskyGridSteps(const CholeskyDecomposition& decomposition);

  const CyclicClasses& down() const { return down_; }
  const CyclicClasses& across() const { return across_; }
  std::int64_t count() const { return down_.blocks(); }

  // Positions in I_s of the rows of L(:, K) that rank (s, q) needs: those from its first column
  // after K on. Empty where it has nothing left to update.
  Range rows_needed(int row, int column, std::int64_t step) const;
  // The blocks that are both in I_s and in J_q are a class of these.
  const CyclicClasses& both() const { return both_; }
  // That class; -1 where there are none.
  int meeting(int row, int column) const;
  // Blocks of J_q that are in I_other, too, and whose rows of L(:, K) rank (s, q) needs as columns:
  // the first, and one behind the last. Every both().classes-th is meant.
  Range columns_needed(int row, int column, int other, std::int64_t step) const;
  // Their elements in a column.
  std::int64_t height(const Range& blocks) const;
  // Whether the rank, of the grid column of K, needs L(K, K) of another.
  bool needs_diagonal(int row, std::int64_t step) const {
    return down_.of_block(step) != row && down_.after(row, step) > 0;
  }

 private:
  CyclicClasses down_, across_, both_;
};

// Words of a rank's buffers, of so many rows and columns of the matrix.
struct CholeskyGridBuffers {
  std::int64_t leading = 0;   // columns of L that one update takes: those of one step or of some
  std::int64_t square = 0;    // L(K, K) unpacked
  std::int64_t triangle = 0;  // L(K, K) as it travels
  // L(I_s, K) as it travels, unless it goes right to where an update takes it, and L(J_q, K).
  std::int64_t sent = 0;
  std::int64_t received = 0;
  std::int64_t received_columns = 0;
  std::int64_t factors = 0;  // L(I_s, :) and L(J_q, :) of an update

  // What is sent of one step may still be under way in the next; and while the rest of an update is
  // done the next one's factors arrive.
  std::int64_t total() const {
    return square + 2 * (triangle + sent + factors) + received + received_columns;
  }
};

CholeskyGridBuffers grid_buffers(const CholeskyDecomposition& decomposition, std::int64_t rows,
                                 std::int64_t columns);

// cost_of() of a decomposition in place. O(steps * ranks * grid rows).
Cost cost_in_place(const CholeskyDecomposition& decomposition, const Machine& machine);
// The busiest rank's multiplications in updates of elements below the diagonal, which are those
// that cholesky_lower_bound() counts.
double updates_in_place(const CholeskyDecomposition& decomposition);

}  // namespace redblue
