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
// others wait for it. On a square grid blocks of op(T) may lie at the rank opposite, (j, i) at grid
// row i and grid column j: op(T)(i, i) and (j, i) come from there. Words, of the busiest rank:
// about n^2 / (2 rows) (1 - 1 / columns) of T and n m / columns (1 - 1 / rows) of X
// (decomposition/solve/trsm.cpp counts them).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "decomposition/solve/trsm.hpp"
#include "layout/arrangement.hpp"
#include "linalg/plan/caller_grid.hpp"
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
  std::int64_t workspace() const { return buffers_.total(); }

  // Replaces B by X, as rhs_in_place() lays them out.
  void execute(const comm::Communicator& communicator, const LocalTriangle<T>& t, T* x,
               T* workspace, Traffic& traffic);

 private:
  // What this rank has to do with a step.
  struct Step {
    std::int64_t block, width;
    int row;            // of the grid, that solves
    int source;         // the rank with op(T)(i, i) and (j, i) for this rank's row
    std::int64_t left;  // rows of this rank still to be solved for behind it
    bool solves;        // this rank has rows of it
    bool stored;        // this rank has op(T)(i, i) and (j, i) itself
  };
  // A grid row's blocks of op(T) in a step: rows of its class from `first` on, behind the triangle.
  struct Panel {
    std::int64_t first, left;
    std::int64_t triangle;  // words of op(T)(i, i), packed; 0 where another row solves

    std::int64_t words(std::int64_t width) const { return triangle + left * width; }
  };
  // Buffers of a step; those of the step before are still in use.
  struct Buffers {
    T* panel;   // op(T)(i, i), its triangle packed, and op(T)(j, i), as it is stored
    T* packed;  // the same, as it is sent
    T* solved;  // X_q(i)
  };

  Step step(std::int64_t number) const;
  Panel panel(int row, const Step& s) const;
  Rank rank_at(int row, int column) const {
    return linalg::rank_at(ranks_, steps_.across().classes, row, column);
  }
  Buffers buffers(std::int64_t number, T* workspace) const;
  void post(const comm::Communicator& communicator, std::int64_t number, const LocalTriangle<T>& t,
            T* workspace, Traffic& traffic);
  void send_panel(const comm::Communicator& communicator, int row, const Step& s,
                  const LocalTriangle<T>& t, T* packed, std::vector<MPI_Request>& sends,
                  Traffic& traffic) const;
  void solve(const comm::Communicator& communicator, std::int64_t number, const LocalTriangle<T>& t,
             T* x, T* workspace, Traffic& traffic);
  void update(const LocalTriangle<T>& t, const Step& s, const Buffers& at, const Range& rows,
              T* x) const;

  TrsmSteps steps_;
  CyclicClasses sides_;  // columns of X
  GridRanks ranks_;
  bool takes_part_ = false;
  bool opposite_ = false;  // blocks of op(T) lie at the rank opposite
  int row_ = 0;
  int column_ = 0;
  std::int64_t rows_ = 0, columns_ = 0;  // of X, on this rank
  RightLookingBuffers buffers_;
  std::array<std::vector<MPI_Request>, 2> receives_, sends_;  // by step mod 2
};

}  // namespace redblue::linalg
