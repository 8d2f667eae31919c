// SPDX-License-Identifier: BSD-3-Clause
// A generalized symmetric eigenproblem A x = lambda B x brought to standard form, moving little.
//
// As in redblue/gemm.hpp: calls are collective unless marked local and throw Error on all ranks
// together or on none; T is float, double or std::complex of them; a word is one element.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "redblue/inverse.hpp"

namespace redblue {

// One triangle of a Hermitian (symmetric) A becomes that of L^-1 A L'^-1 (lower) or U'^-1 A U^-1
// (upper), B = L L' or U' U as CholeskyPlan leaves it in the same triangle (LAPACK's sygst, first
// type). n^3 / 2 multiplications. A and the factor stay where they are if they lie on one grid, in
// square blocks alike, and nothing is to be gained elsewhere.
template <class T>
class TwoSidedSolvePlan {
 public:
  // Throws Error where layouts are invalid, not square, of different sizes, or differ between
  // ranks.
  TwoSidedSolvePlan(MPI_Comm communicator, Triangle triangle, const Layout& a, const Layout& factor,
                    const FactorOptions& options = {});
  ~TwoSidedSolvePlan();
  TwoSidedSolvePlan(TwoSidedSolvePlan&&) noexcept;
  TwoSidedSolvePlan& operator=(TwoSidedSolvePlan&&) noexcept;

  const InverseDecomposition& decomposition() const;  // local
  std::string name() const;                           // local
  Words memory() const;                               // local: beside the caller's arrays
  void execute(T* a, const T* factor);
  const FactorTraffic& traffic() const;  // of the last execute(). Local.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redblue
