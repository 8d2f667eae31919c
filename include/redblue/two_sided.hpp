// SPDX-License-Identifier: BSD-3-Clause
// Generalized symmetric eigenproblems A x = lambda B x, A B x = lambda x and B A x = lambda x
// brought to standard form, moving little.
//
// As in redblue/gemm.hpp: calls are collective unless marked local and throw Error on all ranks
// together or on none; T is float, double or std::complex of them; a word is one element.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "redblue/inverse.hpp"

namespace redblue {

// What both kinds of plans have in common. One triangle of a Hermitian (symmetric) A is overwritten
// by that of the result; the factor of B = L L' or U' U, as CholeskyPlan leaves it in the same
// triangle, is read. n^3 / 2 multiplications. A and the factor stay where they are if they lie on
// one grid, in square blocks alike, and nothing is to be gained elsewhere.
template <class T>
class TwoSidedPlan {
 public:
  ~TwoSidedPlan();
  TwoSidedPlan(TwoSidedPlan&&) noexcept;
  TwoSidedPlan& operator=(TwoSidedPlan&&) noexcept;

  const InverseDecomposition& decomposition() const;  // local
  std::string name() const;                           // local
  Words memory() const;                               // local: beside the caller's arrays
  void execute(T* a, const T* factor);
  const FactorTraffic& traffic() const;  // of the last execute(). Local.

 protected:
  // Throws Error where layouts are invalid, not square, of different sizes, or differ between
  // ranks.
  TwoSidedPlan(MPI_Comm communicator, InverseKernel kernel, Triangle triangle, const Layout& a,
               const Layout& factor, const FactorOptions& options);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A becomes L^-1 A L'^-1 (lower) or U'^-1 A U^-1 (upper): A x = lambda B x (LAPACK's sygst, first
// type).
template <class T>
class TwoSidedSolvePlan : public TwoSidedPlan<T> {
 public:
  TwoSidedSolvePlan(MPI_Comm communicator, Triangle triangle, const Layout& a, const Layout& factor,
                    const FactorOptions& options = {});
};

// A becomes L' A L (lower) or U A U' (upper): A B x = lambda x and B A x = lambda x (LAPACK's
// sygst, second and third type).
template <class T>
class TwoSidedProductPlan : public TwoSidedPlan<T> {
 public:
  TwoSidedProductPlan(MPI_Comm communicator, Triangle triangle, const Layout& a,
                      const Layout& factor, const FactorOptions& options = {});
};

}  // namespace redblue
