// SPDX-License-Identifier: BSD-3-Clause
// Solving op(T) X = B for few columns of B, T staying where it is, in whatever layout it has.
//
// op(T) is lower triangular (where it is upper, the last rows are solved for first). Rows are
// solved for in steps of many rows at a time, which make few synchronisations: two a step. Rank r
// holds op(T)(out_r, in_r), learns X(in_r) and adds up S_r = op(T)(out_r, in_r) X(in_r) as far as X
// is known. For each step k from the first (k and k + 1 stand for the rows of these steps):
//
//   T(k, k) to the solver of k                               post       a step ahead
//   S_r(k) to the solver of k                                update     reduce
//   X(k) = op(T)(k, k)^-1 (B(k) - sum over r of S_r(k))      solve      trsv
//   X(k) to all r with columns of it                         solve      broadcast
//   S_r(k + 1) += op(T)(k + 1, k) X(k)                       update     gemv, then sent
//   S_r(j) += op(T)(j, k) X(k) for j > k + 1                 update     gemv
//
// The solver of k + 1 puts the last line off until it has solved: the others wait for it. The
// ranks solve in turn, but where one holds all of T(k, k), it does. For transposes, the last line
// takes whole columns of T and all of X that is known (decomposition/solve/trsv_updates.hpp).
//
// Words: n^2 (step / n) / 2 of triangles in all, about twice n per rank of sums and solutions.
// Memory beside T and B, per rank: X(in_r), S_r and, where T(k, k) has several owners, two
// triangles.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "decomposition/solve/trsv_updates.hpp"
#include "layout/arrangement.hpp"
#include "linalg/solve/half_step.hpp"
#include "redblue/factor_model.hpp"
#include "redblue/traffic.hpp"

namespace redblue::linalg::solve {

struct StepwiseSetup {
  TrsvDecomposition how;
  layout::Arrangement triangle;  // T as it is stored
  layout::Part part = layout::Part::lower;
  char op = 'N';
  bool unit = false;
};

// The arrangement of B and X: the rows of each step at its solver.
layout::Arrangement rhs_arrangement(const StepwiseSetup& setup);

// What all ranks know of each other.
struct Shares {
  std::vector<int> solvers;               // of the block rows
  layout::Arrangement rhs;                // B and X
  std::vector<layout::IndexSet> in, out;  // columns and rows of op(T) of each rank
};

template <class T>
class Stepwise {
 public:
  Stepwise(const StepwiseSetup& setup, Rank me);

  // Words of this rank's part of X and of the buffer execute() needs.
  std::int64_t storage() const { return storage_; }
  std::int64_t workspace() const { return workspace_; }
  // Of the last execute(): solve in step k (2 k) and update (2 k + 1).
  const std::vector<HalfStep>& half_steps() const { return half_steps_; }

  // Replaces B by X, as rhs_arrangement() lays them out. `t`: the caller's array.
  void execute(const comm::Communicator& communicator, const T* t, T* x, T* workspace,
               Traffic& traffic);

 private:
  // Words of one array that go to another.
  struct Copy {
    std::int64_t from, to, length;
  };
  // S_r(k) of another rank, as it comes and where it is subtracted.
  struct Contribution {
    comm::Message message;
    std::vector<Copy> subtracted;
  };
  // What the solver of a step does.
  struct Solver {
    layout::StoredBlock x;                              // X(k)
    std::optional<layout::StoredBlock> whole_triangle;  // T(k, k), where this rank holds all of it
    std::vector<Copy> own_triangle;
    std::vector<comm::Message> triangle_in;
    std::vector<Contribution> sums_in;
    std::vector<Copy> own_sums;
    std::vector<Copy> own_solution;
    std::vector<comm::Message> solution_out;
    std::size_t turn = 0;  // of this rank's solves
  };
  struct Step {
    std::int64_t width = 0;
    std::optional<Solver> solver;  // where it is this rank
    std::optional<comm::Message> triangle_out, sums_out, solution_in;
  };
  // One patch of op(T). before[c]: its columns or rows before cut c.
  struct Block {
    std::int64_t offset, leading;
    std::int64_t in_first, out_first;  // of its columns and rows among this rank's
    std::vector<std::int64_t> in_before, out_before;
  };
  using Steps = PartialSums::Steps;

  Range of_steps(const std::vector<std::int64_t>& before, Steps steps) const;
  void plan_step(const StepwiseSetup& setup, const Shares& shares, std::int64_t step, Rank me);
  void plan_solver(const StepwiseSetup& setup, const Shares& shares, std::int64_t step, Rank me);
  void plan_peer(const StepwiseSetup& setup, const Shares& shares, std::int64_t step, Rank peer,
                 std::int64_t& received);
  void post(const comm::Communicator& communicator, std::int64_t step, const T* t, T* workspace,
            Traffic& traffic);
  void solve(const comm::Communicator& communicator, std::int64_t step, const T* t, T* x,
             T* workspace, Traffic& traffic);
  void update(const comm::Communicator& communicator, std::int64_t step, const T* t, T* workspace,
              Traffic& traffic);
  void multiply(const T* t, const PartialSums& sums, T* workspace, HalfStep& half_step) const;
  std::int64_t count() const { return static_cast<std::int64_t>(steps_.size()); }
  Step& at(std::int64_t step) { return steps_[static_cast<std::size_t>(step)]; }

  char op_;
  char triangle_;  // 'L' or 'U', as T is stored
  bool unit_;
  TrsvDecomposition how_;
  UpdateOrder order_;  // of the updates to come
  std::vector<std::int64_t> cuts_;
  layout::IndexSet in_, out_;  // this rank's columns and rows of op(T)
  std::vector<std::int64_t> in_before_, out_before_;
  std::vector<Block> blocks_;
  std::vector<Step> steps_;
  std::size_t turns_ = 0;
  std::int64_t storage_ = 0;
  std::int64_t sums_offset_ = 0;
  std::int64_t triangles_offset_ = 0;
  std::int64_t triangle_words_ = 0;  // of one of two
  std::int64_t contributions_offset_ = 0;
  std::int64_t contribution_words_ = 0;  // of one of two
  std::int64_t workspace_ = 0;
  std::vector<HalfStep> half_steps_;
  std::array<std::vector<MPI_Request>, 2> for_solves_, for_updates_;  // receives, by step mod 2
  std::vector<MPI_Request> sends_;
};

}  // namespace redblue::linalg::solve
