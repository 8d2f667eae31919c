// SPDX-License-Identifier: BSD-3-Clause
// Solving op(T) X = B by blocks, B staying where it is: blocks of T move along the rows of the
// grid, solutions along its columns.
//
// op(T) is lower triangular, of order n, in blocks of b; block (i, j) is stored by grid row i mod
// rows and grid column j mod columns, and so are those of B, of which a rank holds B_q(i), q its
// grid column. For each block row i from the first (if op(T) is upper triangular, from the last,
// and j < i):
//
//   op(T)(i, i) and (j, i), j > i, to all of the grid row   post      broadcast, a step ahead
//   X_q(i) = op(T)(i, i)^-1 B_q(i)                          solve     trsm
//   X_q(i) to all of the grid column                        solve     broadcast
//   B_q(j) -= op(T)(j, i) X_q(i) for all j > i              update    gemm
//
// The ranks of block row i + 1 update it first and solve for it, before they update the rest: the
// others wait for it. Words, of the busiest rank: about n^2 / (2 rows) (1 - 1 / columns) of T and
// n m / columns (1 - 1 / rows) of X (decomposition/solve/trsm.cpp counts them).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "decomposition/solve/trsm.hpp"
#include "layout/arrangement.hpp"
#include "linalg/solve/local_triangle.hpp"

namespace redblue::linalg {

// Where B and X lie: dealt out as T is, and densely on each rank.
layout::Arrangement rhs_in_place(const TrsmDecomposition& decomposition, const GridRanks& grid,
                                 int ranks);

template <class T>
class RightLooking {
 public:
  RightLooking(const TrsmDecomposition& decomposition, GridRanks grid, Rank me);

  // Words of this rank's part of X and of the buffer execute() needs.
  std::int64_t storage() const { return rows_ * columns_; }
  std::int64_t workspace() const { return workspace_; }

  // Replaces B by X, as rhs_in_place() lays them out.
  void execute(const comm::Communicator& communicator, const LocalTriangle<T>& t, T* x,
               T* workspace, Traffic& traffic);

 private:
  // What this rank has to do with a step.
  struct Step {
    std::int64_t block, width;
    int row, column;     // of the grid, where op(T)(i, i) lies
    std::int64_t left;   // rows of this rank still to be solved for behind it
    std::int64_t first;  // of them, among this rank's
    bool solves;         // this rank has rows of it
    bool owns;           // this rank has its blocks of T
  };
  // Buffers of a step; those of the step before are still in use.
  struct Buffers {
    T* panel;   // op(T)(i, i), its triangle packed, and op(T)(j, i), as it is stored
    T* solved;  // X_q(i)
  };

  Step step(std::int64_t number) const;
  std::int64_t triangle_words(const Step& s) const {
    return s.solves ? s.width * (s.width + 1) / 2 : 0;
  }
  Rank rank_at(int row, int column) const;
  Buffers buffers(std::int64_t number, T* workspace) const;
  void post(const comm::Communicator& communicator, std::int64_t number, const LocalTriangle<T>& t,
            T* workspace, Traffic& traffic);
  void pack(const LocalTriangle<T>& t, const Step& s, T* panel) const;
  void solve(const comm::Communicator& communicator, std::int64_t number, const LocalTriangle<T>& t,
             T* x, T* workspace, Traffic& traffic);
  void update(const LocalTriangle<T>& t, const Step& s, const Buffers& at, const Range& rows,
              T* x) const;

  TrsmSteps steps_;
  CyclicClasses sides_;  // columns of X
  GridRanks ranks_;
  bool takes_part_ = false;
  int row_ = 0;
  int column_ = 0;
  std::int64_t rows_ = 0, columns_ = 0;  // of X, on this rank
  std::int64_t workspace_ = 0;
  std::array<std::vector<MPI_Request>, 2> receives_, sends_;  // by step mod 2
};

}  // namespace redblue::linalg
