// SPDX-License-Identifier: BSD-3-Clause
// Solving op(T) X = B by blocks, T staying where it is: sums move along its rows, solutions along
// its columns.
//
// op(T) is lower triangular, of order n, in blocks of b; block (i, j) is stored by grid row i mod
// rows and grid column j mod columns. With c replicas of T, each solves for some of X's columns.
// S_q is what grid column q has summed up so far; Y is a chunk of X's columns, each has a solver.
// For each block row i from the first (if op(T) is upper triangular, from the last, and j < i):
//
//   S(i, Y) = sum over q of S_q(i, Y)              send_sums       reduce along the grid row to
//                                                                  the solver of Y
//   op(T)(i, i) to the solvers                     send_diagonal   broadcast along the grid row
//   X(i, Y) = op(T)(i, i)^-1 (B(i, Y) - S(i, Y))   solve           trsm
//   X(i, :) to grid column i mod columns           solve, update   allgather and broadcast along
//                                                                  the grid column
//   S_q(j) += op(T)(j, i) X(i, :) for all j > i    update          gemm
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "decomposition/solve/trsm.hpp"
#include "layout/arrangement.hpp"
#include "linalg/plan/caller_grid.hpp"
#include "linalg/solve/local_triangle.hpp"

namespace redblue::linalg {

// The arrangement of B and X: each chunk at the rank that solves for it.
layout::Arrangement rhs_arrangement(const TrsmDecomposition& decomposition, const GridRanks& grid,
                                    int ranks);

template <class T>
class Substitution {
 public:
  Substitution(const TrsmDecomposition& decomposition, GridRanks grid, Rank me);

  // Words of this rank's part of X and of the buffer execute() needs.
  std::int64_t storage() const { return storage_; }
  std::int64_t workspace() const { return workspace_; }

  // Replaces B by X, as rhs_arrangement() lays them out.
  void execute(const comm::Communicator& communicator, const LocalTriangle<T>& t, T* x,
               T* workspace, Traffic& traffic);

 private:
  // Buffers of one step; those that messages are sent from stay untouched in the next.
  struct Buffers {
    T* sums;      // S_q(i), q this rank's grid column: width x columns
    T* diagonal;  // op(T)(i, i), its triangle, packed
    T* solved;    // X(i, Y)
    T* others;    // S(i, Y) of other grid columns
    T* panel;     // X(i, :)
    T* square;    // op(T)(i, i), unpacked
  };

  Rank rank_at(int row, int column) const {
    return linalg::rank_at(ranks_, steps_.across().classes, row, column);
  }
  Buffers buffers(std::int64_t step, T* workspace) const;
  void send_sums(const comm::Communicator& communicator, std::int64_t block, const T* sums,
                 const Buffers& at, Traffic& traffic);
  void send_diagonal(const comm::Communicator& communicator, std::int64_t block,
                     const LocalTriangle<T>& t, const Buffers& at, Traffic& traffic);
  void solve(const comm::Communicator& communicator, std::int64_t block, int chunk,
             const LocalTriangle<T>& t, T* x, const Buffers& at, Traffic& traffic);
  void update(const comm::Communicator& communicator, std::int64_t block, const LocalTriangle<T>& t,
              bool first, T* sums, const Buffers& at, Traffic& traffic);

  TrsmSteps steps_;
  GridRanks ranks_;  // of this rank's replica
  bool takes_part_ = false;
  int row_ = 0;
  int column_ = 0;
  std::vector<layout::StoredBlock> stored_;  // X(i, Y) of the block rows this rank solves for
  std::int64_t storage_ = 0;
  std::int64_t sums_words_ = 0;
  std::int64_t chunk_words_ = 0;
  std::int64_t workspace_ = 0;
  std::vector<MPI_Request> receives_, sends_;
};

}  // namespace redblue::linalg
