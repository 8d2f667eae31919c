// SPDX-License-Identifier: BSD-3-Clause
// Solving op(T) X = B for few columns of B by [solomonik2016, Algorithm 2].
//
// op(T) is lower triangular (upper: blocks count from the last), of order n, in column panels of b;
// rank l mod p holds panel l and B(l). The sum S(i) of what X contributes to row block i travels
// from rank to rank, each of which adds its part; the last solves. In half-step t = 0, 1, ..
//
//   S(i) from the rank of panel l - 1        where l > i - p + 1 and l > 0; i = t - l
//   S(i) += op(T)(i, l) X(l)                 where i > l; then to the rank of panel l + 1
//   X(l) = op(T)(l, l)^-1 (B(l) - S(l))      where i = l
//
// The paper has p = n / b ranks, and its S(i) passes all of them. With fewer, S(i) starts at panel
// i - p + 1 and passes each rank once: what a rank's earlier panels contribute it has added up
// before (S(j) += op(T)(j, l) X(l) for j >= l + p, in the half-steps 2 l + p .. 2 l + 2 p - 1, in
// which it has nothing else to do). The paper's own schedule sends S(l) on when l = i, to nobody;
// this one does not.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "comm/communicator.hpp"
#include "decomposition/solve/trsv.hpp"
#include "layout/arrangement.hpp"
#include "linalg/solve/half_step.hpp"
#include "linalg/solve/substitution.hpp"

namespace redblue::linalg::solve {

// The arrangement of B and X: each panel's rows at the rank of the panel. ranks[c]: of the panels
// c, c + p, ..
layout::Arrangement rhs_arrangement(const TrsvDecomposition& decomposition,
                                    const std::vector<int>& ranks, int all_ranks);

template <class T>
class Wavefront {
 public:
  Wavefront(const TrsvDecomposition& decomposition, const std::vector<int>& ranks, Rank me);

  // Words of this rank's part of X and of the buffer execute() needs.
  std::int64_t storage() const { return storage_; }
  std::int64_t workspace() const { return workspace_; }
  // Of the last execute().
  const std::vector<HalfStep>& half_steps() const { return half_steps_; }

  // Replaces B by X, as rhs_arrangement() lays them out. t: this rank's panels, side by side.
  void execute(const comm::Communicator& communicator, const LocalTriangle<T>& t, T* x,
               T* workspace, Traffic& traffic);

 private:
  struct Visit {
    WavefrontVisit of;
    std::int64_t buffer = 0;  // where S(i) comes to
    std::optional<comm::Message> in, out;
  };

  std::int64_t first_of(std::int64_t panel) const;
  void multiply(const WavefrontVisit& v, const LocalTriangle<T>& t, const T* x, T* sums) const;
  void solve(const WavefrontVisit& v, const LocalTriangle<T>& t, T* x, const T* sums) const;

  WavefrontSteps steps_;
  std::int64_t order_;    // of T
  std::int64_t columns_;  // of B
  std::int64_t block_;
  std::vector<Visit> visits_;
  std::vector<std::int64_t> first_;  // rows of X before those of this rank's panels
  std::int64_t height_ = 0;          // rows of X on this rank
  std::int64_t storage_ = 0;
  std::int64_t workspace_ = 0;
  std::vector<HalfStep> half_steps_;
  std::vector<MPI_Request> coming_, sends_;
};

}  // namespace redblue::linalg::solve
