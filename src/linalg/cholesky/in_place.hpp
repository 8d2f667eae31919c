// SPDX-License-Identifier: BSD-3-Clause
// Right-looking Cholesky factorization of a matrix that stays on a caller's grid of ranks.
//
// A = L L' of order n, in blocks of b; block (i, j), i >= j, is at grid row i mod rows and grid
// column j mod columns. Rank (s, q) has block rows I_s and block columns J_q. Step k, with K the
// columns of block column k and I_s > k the rows of I_s after block row k:
//
//   for k = 0, 1, .. in grid column k mod columns:
//     L(K, K) = chol(A(K, K))                    factor_diagonal   potrf, broadcast down the column
//     L(I_s > k, K) = A(I_s > k, K) L(K, K)'^-1  solve_panel       trsm; to grid row s, and to all
//                                                                  ranks (., q) its rows of J_q
//   on all ranks:
//     A(I_s, J_q) -= L(I_s, G) L(J_q, G)'        update            gemm, herk on the diagonal
//       (rows and columns after k)
//
// G are the columns of the last steps, enough of them for efficient multiplications where blocks
// are small. Look-ahead: block column k + 1 is brought up to date first, then solved for and sent,
// and then, where G is complete, all columns behind it are updated while messages are under way.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "decomposition/cholesky/grid_steps.hpp"
#include "linalg/plan/caller_grid.hpp"

namespace redblue::linalg {

// This rank's part of the lower triangle of A, in the caller's array, or, if `upper`, of the upper
// one, its conjugate transpose.
template <class T>
struct LocalHalf {
  T* data;
  std::int64_t leading;
  bool upper;

  // Where the element of the lower triangle at these positions in this rank's classes is.
  T* at(std::int64_t row, std::int64_t column) const {
    return data + (upper ? column + row * leading : row + column * leading);
  }
  char triangle() const { return upper ? 'U' : 'L'; }
};

template <class T>
class CholeskyInPlace {
 public:
  // `grid`: the ranks by rows of the decomposition's grid.
  CholeskyInPlace(const CholeskyDecomposition& decomposition, GridRanks grid, Rank me);

  // Words of the buffers factor() needs.
  std::int64_t workspace() const { return takes_part_ ? buffers_.total() : 0; }

  // Nothing in the other triangle is read or written. Returns 0 or, on the rank that finds it, the
  // order of a leading minor that is not positive.
  std::int64_t factor(const comm::Communicator& communicator, const LocalHalf<T>& a, T* workspace,
                      Traffic& traffic);

 private:
  // L(I_s, G)' and L(J_q, G)', column by column of `buffers_.leading` words.
  struct Factors {
    T* rows;
    T* columns;
  };

  // The update by some steps' columns, of block columns that still lack it: this rank's, by number.
  struct Delayed {
    Factors factors;
    std::int64_t depth;
    Range columns;
  };

  bool solves(std::int64_t step) const { return steps_.across().of_block(step) == column_; }
  Rank rank_at(int row, int column) const {
    return linalg::rank_at(ranks_, steps_.across().classes, row, column);
  }
  Factors factors(std::int64_t step, T* workspace) const;
  // Columns of G before those of the step.
  std::int64_t first_of(std::int64_t step) const { return step % together_ * steps_.down().block; }
  T* triangle(std::int64_t step, T* workspace) const;
  // L(I_s, K)' by rows of I_s, as it travels; there, too, where update() takes it if G is one
  // step's.
  T* panel(std::int64_t step, T* workspace) const;
  T* received_columns(T* workspace) const;

  void post(const comm::Communicator& communicator, std::int64_t step, T* workspace,
            Traffic& traffic);
  void keep_rows(std::int64_t step, const Range& rows, T* workspace) const;
  void unpack(std::int64_t step, T* workspace) const;
  void own_columns(std::int64_t step, const Factors& at) const;
  std::int64_t factor_diagonal(const comm::Communicator& communicator, std::int64_t step,
                               const LocalHalf<T>& a, T* workspace, Traffic& traffic);
  void solve_panel(std::int64_t step, const LocalHalf<T>& a, T* workspace) const;
  void send_panel(const comm::Communicator& communicator, std::int64_t step, T* workspace,
                  Traffic& traffic);
  std::int64_t prepare(const comm::Communicator& communicator, std::int64_t step,
                       const LocalHalf<T>& a, T* workspace, Traffic& traffic);
  void update(const LocalHalf<T>& a, const Factors& factors, std::int64_t depth,
              const Range& columns, std::int64_t rows) const;
  void catch_up(const LocalHalf<T>& a, Delayed& update_of, std::int64_t until) const;
  void subtract(const LocalHalf<T>& a, const Factors& factors, std::int64_t depth,
                const Range& rows, const Range& columns) const;

  CholeskyGridSteps steps_;
  GridRanks ranks_;
  bool takes_part_ = false;
  int row_ = 0;
  int column_ = 0;
  std::int64_t rows_ = 0, columns_ = 0;  // of the matrix, on this rank
  CholeskyGridBuffers buffers_;
  std::int64_t together_ = 1;                      // steps whose columns make up G
  std::vector<MPI_Request> receives_;              // of one step
  std::array<std::vector<MPI_Request>, 2> sends_;  // by step mod 2
};

}  // namespace redblue::linalg
