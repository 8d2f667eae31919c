// SPDX-License-Identifier: BSD-3-Clause
// Solving linear systems in parallel, moving little: with triangular matrices, with the factors of
// redblue/factor.hpp, and from a matrix itself.
//
// As in redblue/gemm.hpp: calls are collective unless marked local and throw Error on all ranks
// together or on none; T is float, double or std::complex of them; a word is one element. Matrices
// are in the caller's layouts; B has a column for every right-hand side and becomes X.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "redblue/factor.hpp"

namespace redblue {

// What a solve moved on one rank.
struct SolveTraffic {
  Traffic redistribute;  // B, X, and the matrix where it does not stay in the caller's layout
  Traffic factor;        // of systems
  Traffic solve;         // sums and solutions, or T's blocks and solutions
  Traffic total() const { return redistribute + factor + solve; }
};

// The layouts of the matrices of op(T) X = alpha B (left) or X op(T) = alpha B (right).
struct TrsmLayouts {
  Side side = Side::left;
  Triangle triangle = Triangle::lower;  // of T; the other is not read
  Op op = Op::none;
  bool unit = false;  // T's diagonal is all ones and not read
  Layout t, b;
};

// A solve with a triangular matrix, planned once, executed any number of times. With few right-hand
// sides (up to 32, and no limit on memory) T stays in place and many rows are solved for at a time,
// as TrsvPlan does. With more, T stays in place if that moves less; else it goes to as many
// replicas as suit the number of right-hand sides. Where T and B lie on one grid in the same square
// blocks, B may stay in place and T's blocks move (transposes, too, where the grid is square): on
// R x C ranks about n^2 / (2 R) words of T and n m / C of X.
template <class T>
class TrsmPlan {
 public:
  // Throws Error where layouts are invalid, do not fit together or differ between ranks.
  TrsmPlan(MPI_Comm communicator, const TrsmLayouts& layouts, const FactorOptions& options = {});
  ~TrsmPlan();
  TrsmPlan(TrsmPlan&&) noexcept;
  TrsmPlan& operator=(TrsmPlan&&) noexcept;

  // Where there are many right-hand sides; else few() has a value.
  const TrsmDecomposition& decomposition() const;       // local
  const std::optional<TrsvDecomposition>& few() const;  // local
  std::string name() const;                             // local: of the one that is followed
  Words memory() const;                                 // local: beside the caller's arrays

  // A zero on T's diagonal makes infinities, as in BLAS. With alpha = 0 neither T nor B is read.
  void execute(T alpha, const T* t, T* b);

  const SolveTraffic& traffic() const;  // of the last execute(). Local.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The layouts of op(T) x = b: T is n x n; x, which b becomes, n x 1 or 1 x n.
struct TrsvLayouts {
  Triangle triangle = Triangle::lower;  // of T; the other is not read
  Op op = Op::none;
  bool unit = false;  // T's diagonal is all ones and not read
  Layout t, x;
};

struct TrsvOptions {
  TrsvScheme scheme = TrsvScheme::in_place;
  // Rows solved for at a time, or columns of a panel; none: chosen, by the machine's latency and
  // bandwidth.
  std::optional<std::int64_t> step;
  std::optional<Words> memory;  // a rank may hold beside the caller's arrays; none: unlimited
  Machine machine;
};

// A solve with a triangular matrix and one right-hand side, planned once, executed any number of
// times. In place, T is read where it lies: n^2 / 2 words of it from the ranks' memories, of which
// n step / 2 move. A wavefront has T in column panels of op(T), panel l on rank l mod p: in
// block_cyclic(n, n, step, 1, p, me), or of (n, n, step, p, 1, me) where T is transposed; x in
// block_cyclic(1, n, step, 1, p, me). In other layouts T is brought there, which moves n^2 / 2 p
// words.
template <class T>
class TrsvPlan {
 public:
  // Throws Error where layouts are invalid, do not fit together or differ between ranks.
  TrsvPlan(MPI_Comm communicator, const TrsvLayouts& layouts, const TrsvOptions& options = {});
  ~TrsvPlan();
  TrsvPlan(TrsvPlan&&) noexcept;
  TrsvPlan& operator=(TrsvPlan&&) noexcept;

  const TrsvDecomposition& decomposition() const;  // local
  Words memory() const;                            // local: beside the caller's arrays

  // x = op(T)^-1 x. A zero on T's diagonal makes infinities, as in BLAS. Allocates nothing.
  void execute(const T* t, T* x);

  const SolveTraffic& traffic() const;  // of the last execute(). Local.
  // What the last execute() did along its critical path, half-step by half-step. Collective.
  TrsvPath path();

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

enum class SystemKind { general, positive_definite };

// The layouts of the matrices of A X = B; of a positive definite A one triangle, the other is not
// read.
struct SystemLayouts {
  SystemKind kind = SystemKind::general;
  Triangle triangle = Triangle::lower;
  Layout a, b;
};

struct SystemOptions {
  FactorOptions factor;
  // Solve for the residual B - A X and add that to X, until the residual is as small as T allows
  // (|R| <= sqrt(n) eps |A| |X|, maximum norms, every right-hand side) or so many times.
  int refinements = 0;
  // Factor in the precision below T's (float for double), which takes half the time and words, and
  // refine to T's; where 30 steps do not lead there, in T's after all. Not for float.
  bool mixed = false;
};

// A X = B from the matrix itself, by LU or Cholesky factorization. Refinement keeps a copy of A
// and B.
template <class T>
class SystemPlan {
 public:
  // Throws Error where layouts are invalid, do not fit together or differ between ranks, and for
  // mixed precision with nothing below T.
  SystemPlan(MPI_Comm communicator, const SystemLayouts& layouts,
             const SystemOptions& options = {});
  ~SystemPlan();
  SystemPlan(SystemPlan&&) noexcept;
  SystemPlan& operator=(SystemPlan&&) noexcept;

  // LAPACK's info of the factorization, the same on every rank: where it is not 0, B is as it was.
  // A is replaced by its factors in T, or stays as it is where those in the precision below did.
  std::int64_t execute(T* a, T* b);

  int refinements() const;                          // steps of the last execute(). Local.
  bool in_lower_precision() const;                  // whether it took the factors of. Local.
  const std::vector<std::int64_t>& pivots() const;  // of general systems, as LuPlan's. Local.
  const SolveTraffic& traffic() const;              // of the last execute(). Local.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redblue
