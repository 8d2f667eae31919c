// SPDX-License-Identifier: BSD-3-Clause
// Inverses in parallel, moving little: of triangular matrices, and from Cholesky and LU factors.
//
// As in redblue/gemm.hpp: calls are collective unless marked local and throw Error on all ranks
// together or on none; T is float, double or std::complex of them; a word is one element. Matrices
// are square, in the caller's layouts, and replaced by the result. They are not moved where they
// lie on a grid in square blocks and nothing is to be gained; then a rank's memory beside them is a
// few panels (of LU: three times its part of the matrix). A takes n^3 / 6 multiplications per
// triangle, 2 n^3 / 3 from LU factors.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "redblue/factor.hpp"
#include "redblue/inverse_model.hpp"

namespace redblue {

// T becomes T^-1, T a triangular matrix; the other triangle (and with `unit` the diagonal, which is
// taken to be all ones) is neither read nor written. By substitution: |T X - I| is of the order of
// n eps |T| |X| for lower triangles, |X T - I| of n eps |X| |T| for upper ones, element by element.
template <class T>
class TriangularInversePlan {
 public:
  // Throws Error where the layout is invalid, not square, or differs between ranks.
  TriangularInversePlan(MPI_Comm communicator, Triangle triangle, bool unit, const Layout& layout,
                        const FactorOptions& options = {});
  ~TriangularInversePlan();
  TriangularInversePlan(TriangularInversePlan&&) noexcept;
  TriangularInversePlan& operator=(TriangularInversePlan&&) noexcept;

  const InverseDecomposition& decomposition() const;  // local
  std::string name() const;                           // local
  Words memory() const;                               // local: beside the caller's array

  // LAPACK's info, the same on every rank: 0, or one plus the index of the first zero on the
  // diagonal, and T is as it was.
  std::int64_t execute(T* t);

  const FactorTraffic& traffic() const;  // of the last execute(). Local.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// L becomes the lower triangle of L' L, or U the upper triangle of U U' (LAPACK's lauum).
template <class T>
class TriangularSquarePlan {
 public:
  // Throws Error where the layout is invalid, not square, or differs between ranks.
  TriangularSquarePlan(MPI_Comm communicator, Triangle triangle, const Layout& layout,
                       const FactorOptions& options = {});
  ~TriangularSquarePlan();
  TriangularSquarePlan(TriangularSquarePlan&&) noexcept;
  TriangularSquarePlan& operator=(TriangularSquarePlan&&) noexcept;

  const InverseDecomposition& decomposition() const;  // local
  std::string name() const;                           // local
  Words memory() const;                               // local: beside the caller's array
  void execute(T* t);
  const FactorTraffic& traffic() const;  // of the last execute(). Local.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A^-1 from A = L L' or U' U, as CholeskyPlan leaves it: the same triangle of it.
template <class T>
class CholeskyInverse {
 public:
  // Throws Error where the layout is invalid, not square, or differs between ranks.
  CholeskyInverse(MPI_Comm communicator, Triangle triangle, const Layout& layout,
                  const FactorOptions& options = {});
  ~CholeskyInverse();
  CholeskyInverse(CholeskyInverse&&) noexcept;
  CholeskyInverse& operator=(CholeskyInverse&&) noexcept;

  const InverseDecomposition& decomposition() const;  // local
  std::string name() const;                           // local
  Words memory() const;                               // local: beside the caller's array
  std::int64_t execute(T* factor);                    // as TriangularInversePlan's
  const FactorTraffic& traffic() const;               // of the last execute(). Local.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A^-1 from P A = L U and its pivots, as LuPlan leaves them: |X A - I| is of the order of
// n eps |X| |L| |U|, element by element.
template <class T>
class LuInverse {
 public:
  // Throws Error where the layout is invalid, not square, or differs between ranks.
  LuInverse(MPI_Comm communicator, const Layout& layout, const FactorOptions& options = {});
  ~LuInverse();
  LuInverse(LuInverse&&) noexcept;
  LuInverse& operator=(LuInverse&&) noexcept;

  const InverseDecomposition& decomposition() const;  // local
  std::string name() const;                           // local
  Words memory() const;                               // local: beside the caller's array
  // As TriangularInversePlan's. Throws Error where the pivots are not those of n rows.
  std::int64_t execute(T* factors, const std::vector<std::int64_t>& pivots);
  const FactorTraffic& traffic() const;  // of the last execute(). Local.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redblue
