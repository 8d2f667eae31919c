// SPDX-License-Identifier: BSD-3-Clause
// Cholesky and LU factorizations in parallel, moving little.
//
// As in redblue/gemm.hpp: calls are collective unless marked local and throw Error on all ranks
// together or on none; T is float, double or std::complex of them; a word is one element.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "redblue/factor_model.hpp"
#include "redblue/symmetric.hpp"
#include "redblue/traffic.hpp"

namespace redblue {

// What a factorization moved on one rank. `redistribute`: the matrix, from the caller's layout to
// the one in which it is factored and back, each element at most once each way.
struct FactorTraffic {
  Traffic redistribute;
  Traffic factor;  // the factorization proper: panels, pivots, rows and columns for updates
  Traffic total() const { return redistribute + factor; }
};

// A = L L' of a symmetric (Hermitian) positive definite matrix, or U' U: one of its triangles, in
// the caller's layout, is replaced by L (U); the other is neither read nor written. The
// decomposition is choose_cholesky()'s, or the caller's own grid of square blocks, where that moves
// no more words with the way there and back, or, by time, takes less of it, and neither a block nor
// replicas are asked for.
template <class T>
class CholeskyPlan {
 public:
  // Throws Error where the layout is invalid, not square, or differs between ranks.
  CholeskyPlan(MPI_Comm communicator, Triangle triangle, const Layout& layout,
               const FactorOptions& options = {});
  ~CholeskyPlan();
  CholeskyPlan(CholeskyPlan&&) noexcept;
  CholeskyPlan& operator=(CholeskyPlan&&) noexcept;

  const CholeskyDecomposition& decomposition() const;  // local
  Words memory() const;                                // local: beside the caller's array

  // LAPACK's info, the same on every rank: 0, or the order of the first leading minor that is not
  // positive; the triangle's contents are unspecified then.
  std::int64_t execute(T* a);

  const FactorTraffic& traffic() const;  // of the last execute(). Local.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// P A = L U of a rectangular matrix in the caller's layout, which L (below the diagonal, ones on it
// not stored) and U replace. Pivots are found by tournaments [grigori2011] among the ranks that
// share a panel; rows are exchanged once, on the way back to the caller's layout. The decomposition
// is choose_lu()'s, or one with the layout's own blocks, on its own grid, too, where that moves
// fewer words with the way there and back and is expected to take no longer.
template <class T>
class LuPlan {
 public:
  // Throws Error where the layout is invalid or differs between ranks.
  LuPlan(MPI_Comm communicator, const Layout& layout, const FactorOptions& options = {});
  ~LuPlan();
  LuPlan(LuPlan&&) noexcept;
  LuPlan& operator=(LuPlan&&) noexcept;

  const LuDecomposition& decomposition() const;  // local
  Words memory() const;                          // local: beside the caller's array

  // LAPACK's info, the same on every rank: 0, or one plus the index of the first zero on U's
  // diagonal (all of P A = L U holds then, too).
  std::int64_t execute(T* a);

  // Of the last execute(), the same on every rank: row i was exchanged with row pivots()[i] >= i,
  // both counted from 0, for i = 0, 1, ..., min(m, n) - 1 in turn. Local.
  const std::vector<std::int64_t>& pivots() const;
  const FactorTraffic& traffic() const;  // of the last execute(). Local.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redblue
