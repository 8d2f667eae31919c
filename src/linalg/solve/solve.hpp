// SPDX-License-Identifier: BSD-3-Clause
// Solving with triangular factors in the caller's layouts, as one or two substitutions:
//
//   op(T) X = alpha B             one pass
//   A X = B, A = L L'             Z = L^-1 B, X = L'^-1 Z
//   A X = B, P A = L U            Z = L^-1 P B, X = U^-1 Z
//   A' X = B                      Z = U'^-1 B, X = P' L'^-1 Z
//
// A single rank solves in its own arrays (linalg/solve/on_one_rank.hpp). Else many right-hand sides
// are solved for by blocks (linalg/solve/substitution.hpp), T in the caller's layout or
// redistributed to replicas, or, B staying where it is, linalg/solve/right_looking.hpp; few in
// steps, T in the caller's layout
// (linalg/solve/stepwise.hpp), or by a wavefront over column panels (linalg/solve/wavefront.hpp)
// where that is asked for. B goes to the ranks that solve (redistribution), X between passes that
// are stored differently, and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "comm/transfer.hpp"
#include "linalg/blas/buffer.hpp"
#include "linalg/solve/caller_blocks.hpp"
#include "linalg/solve/right_looking.hpp"
#include "linalg/solve/stepwise.hpp"
#include "linalg/solve/substitution.hpp"
#include "linalg/solve/wavefront.hpp"
#include "redblue/solve.hpp"

namespace redblue::linalg {

// One substitution: op(T) X = B, T one triangle of a square matrix.
struct Pass {
  Triangle triangle = Triangle::lower;
  Op op = Op::none;
  bool unit = false;

  bool transposed() const { return op != Op::none; }
  bool backward() const { return (triangle == Triangle::upper) != transposed(); }
};

struct SolveSetup {
  std::vector<Pass> passes;               // in turn
  Layout triangles;                       // square
  layout::Part part = layout::Part::all;  // of it that the passes read
  layout::Arrangement rhs;                // B and X
  bool conjugate_rhs = false;             // solve for the conjugates of X
  FactorOptions options;
  std::optional<TrsvScheme> scheme;  // none: in place where there are few right-hand sides
};

// Where a communicator's only rank has T and X in its arrays.
struct OnOneRank {
  layout::StoredBlock triangles, rhs;
};

// Whether a solve in steps, T staying in place, is to be preferred to one by blocks.
bool has_few_right_hand_sides(const SolveSetup& setup);

// The arrangement of the replicas of T on grids of op(T).
layout::Arrangement copies(const TrsmDecomposition& d, bool transposed_pass, int ranks);

// The pass of a triangular solve; X op(T) = B is solved as its transpose.
SolveSetup setup_of(const TrsmLayouts& layouts, int ranks);
SolveSetup setup_of(const TrsvLayouts& layouts, int ranks);

// The longest half-steps of all ranks, one after the other. Collective.
TrsvPath path_of(comm::Communicator& communicator, const std::vector<solve::HalfStep>& half_steps);

// The passes with the factors of a matrix, as CholeskyPlan and LuPlan leave them.
SolveSetup cholesky_setup(Triangle triangle, const Layout& factor, const Layout& b, int ranks);
SolveSetup lu_setup(Op op, const Layout& factors, const Layout& b, int ranks);

// Which row of A each row of P A is, from its exchanges.
std::vector<std::int64_t> row_order(const std::vector<std::int64_t>& pivots, std::int64_t rows);

template <class T>
class PlacedSolve {
 public:
  // Local.
  PlacedSolve(const comm::Communicator& communicator, const SolveSetup& setup);

  // Of the solve by blocks; of the others' only n, m and ranks mean anything.
  const TrsmDecomposition& decomposition() const { return decomposition_; }
  // Of the first pass, where it has few right-hand sides; else none.
  const std::optional<TrsvDecomposition>& few() const { return few_; }
  std::string name() const { return few_ ? few_->name() : decomposition_.name(); }
  // Of the last execution, of the first pass of few right-hand sides.
  const std::vector<solve::HalfStep>& half_steps() const;
  std::int64_t workspace() const { return buffers_offset_ + buffers_; }

  // A permutation P of the rows, row i of P B being row rows[i] of B: the passes solve for P B
  // (`before`), or the result of the passes is P X. No rows: none.
  struct RowOrder {
    const std::vector<std::int64_t>* rows = nullptr;
    bool before = true;
  };

  // B = X, the passes applied to alpha B.
  void execute(const comm::Communicator& communicator, T alpha, const T* triangles, T* b,
               const RowOrder& order, T* workspace, SolveTraffic& traffic);

 private:
  using Method =
      std::variant<Substitution<T>, RightLooking<T>, solve::Stepwise<T>, solve::Wavefront<T>>;

  void plan_blocks(const comm::Communicator& communicator);
  void plan_steps(const comm::Communicator& communicator);
  void plan_wavefront(const comm::Communicator& communicator);
  // T from the caller's layout to these replicas of a grid.
  void bring_triangle(const comm::Communicator& communicator, const TrsmDecomposition& d);
  void plan_transfers(const comm::Communicator& communicator);
  void run(const comm::Communicator& communicator, std::size_t pass, const T* triangles,
           T* workspace, Traffic& traffic);

  // The arrangement of right-hand sides whose rows are still to be permuted within each rank.
  layout::Arrangement staged(const std::vector<std::int64_t>& rows, std::size_t pass) const;
  void reorder(const std::vector<std::int64_t>& rows, std::size_t pass, const T* staged, T* x,
               bool before) const;
  void take(const comm::Communicator& communicator, const T* b, const RowOrder& order, T* workspace,
            SolveTraffic& traffic);
  void leave(const comm::Communicator& communicator, T* b, const RowOrder& order, T* workspace,
             SolveTraffic& traffic);
  T* more(std::int64_t words, T* workspace);

  SolveSetup setup_;
  int me_;
  TrsmDecomposition decomposition_;  // of the first pass
  std::optional<OnOneRank> alone_;   // then nothing below is used
  std::optional<TrsvDecomposition> few_;
  std::vector<layout::Arrangement> rhs_;  // of the passes
  std::vector<Method> methods_;           // likewise
  CallerGrid grid_;
  std::optional<comm::Transfer<T>> triangle_in_;  // none: T stays in the caller's layout
  std::vector<std::optional<comm::Transfer<T>>> between_;
  std::optional<comm::Transfer<T>> in_, out_;
  std::int64_t x_offset_ = 0;        // behind the copy of T, if any
  std::int64_t staging_offset_ = 0;  // a second X
  std::int64_t buffers_offset_ = 0;
  std::int64_t buffers_ = 0;
  Buffer<T> more_;  // larger buffers, where a permutation needs them that only the call knows
};

}  // namespace redblue::linalg
