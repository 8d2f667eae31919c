// Solving linear systems in parallel, moving little: with triangular matrices, with the factors of
// redblue/factor.hpp, and from a matrix itself.
//
// As in redblue/linalg.hpp: calls are collective unless marked local and throw Error on all ranks
// together or on none; T is float, double or std::complex of them; a word is one element. Matrices
// lie in the caller's layouts; B has a column for every right-hand side and becomes X.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "redblue/factor.hpp"

namespace redblue {

// What a solve moved on one rank.
struct SolveTraffic {
  Traffic redistribute;  // B, X, and the matrix where it does not stay in the caller's layout
  Traffic factor;        // of systems
  Traffic solve;         // sums and solutions
  Traffic total() const { return redistribute + factor + solve; }
};

// Where the matrices of op(T) X = alpha B (left) or X op(T) = alpha B (right) lie.
struct TrsmLayouts {
  Side side = Side::left;
  Triangle triangle = Triangle::lower;  // of T; the other is not read
  Op op = Op::none;
  bool unit = false;  // T's diagonal is all ones and not read
  Layout t, b;
};

// A solve with a triangular matrix, planned once, executed any number of times. T stays where it is
// if that moves less; else it is copied to as many grids of ranks as suit the number of right-hand
// sides.
template <class T>
class TrsmPlan {
 public:
  // Throws Error where layouts are invalid, do not fit together or differ between ranks.
  TrsmPlan(MPI_Comm communicator, const TrsmLayouts& layouts, const FactorOptions& options = {});
  ~TrsmPlan();
  TrsmPlan(TrsmPlan&&) noexcept;
  TrsmPlan& operator=(TrsmPlan&&) noexcept;

  const TrsmDecomposition& decomposition() const;  // local
  Words memory() const;                            // local: beside the caller's arrays

  // A zero on T's diagonal makes infinities, as in BLAS. With alpha = 0 neither T nor B is read.
  void execute(T alpha, const T* t, T* b);

  const SolveTraffic& traffic() const;  // of the last execute(). Local.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A X = B from A = L L' or U' U, as CholeskyPlan leaves it.
template <class T>
class CholeskySolve {
 public:
  // Throws Error where layouts are invalid, do not fit together or differ between ranks.
  CholeskySolve(MPI_Comm communicator, Triangle triangle, const Layout& factor, const Layout& b,
                const FactorOptions& options = {});
  ~CholeskySolve();
  CholeskySolve(CholeskySolve&&) noexcept;
  CholeskySolve& operator=(CholeskySolve&&) noexcept;

  Words memory() const;  // local: beside the caller's arrays
  void execute(const T* factor, T* b);
  const SolveTraffic& traffic() const;  // of the last execute(). Local.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// op(A) X = B from P A = L U and its pivots, as LuPlan leaves them.
template <class T>
class LuSolve {
 public:
  // Throws Error where layouts are invalid, do not fit together or differ between ranks.
  LuSolve(MPI_Comm communicator, Op op, const Layout& factors, const Layout& b,
          const FactorOptions& options = {});
  ~LuSolve();
  LuSolve(LuSolve&&) noexcept;
  LuSolve& operator=(LuSolve&&) noexcept;

  Words memory() const;  // local: beside the caller's arrays
  void execute(const T* factors, const std::vector<std::int64_t>& pivots, T* b);
  const SolveTraffic& traffic() const;  // of the last execute(). Local.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redblue
