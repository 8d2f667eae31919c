// SPDX-License-Identifier: BSD-3-Clause
// Symmetric and Hermitian rank-k and rank-2k updates, and products with such matrices, in parallel,
// on triangle blocks.
//
// As in redblue/gemm.hpp: calls are collective unless marked local and throw Error on all ranks
// together or on none; T is float, double or std::complex of them; a word is one element.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "redblue/gemm.hpp"
#include "redblue/op.hpp"
#include "redblue/syrk_model.hpp"

namespace redblue {

enum class Triangle { lower, upper };

struct SyrkOptions {
  std::optional<Words> memory;  // per rank: matrices and buffers; none: unlimited
  Objective objective = Objective::words;
  Machine machine;
  bool two_factors = false;  // native layout: C = alpha A B' + alpha B A' + beta C
};

// The layouts of the matrices of C = alpha op(A) op(A)' + beta C; ' is the transpose or, hermitian,
// the conjugate transpose. With b: C = alpha op(A) op(B)' + alpha op(B) op(A)' + beta C, the second
// alpha conjugated where hermitian.
struct SyrkLayouts {
  bool hermitian = false;
  Op op = Op::none;
  Layout a;                 // as stored, before op
  std::optional<Layout> b;  // likewise
  Triangle triangle = Triangle::lower;
  Layout c;  // n x n; the other triangle is neither read nor written
};

// A rank-k or rank-2k update for one shape and layout, decomposed once, executed any number of
// times, on any number of ranks.
template <class T>
class SyrkPlan {
 public:
  // C = alpha A A' + beta C, lower triangle, in the native layout: each rank owns the parts listed
  // by parts(), every element has one owner. Parts of C may include elements above the diagonal,
  // which mean nothing. With options.two_factors B lies as A does. Throws Error like choose_syrk,
  // or choose_symmetric, and when ranks disagree on the shape.
  SyrkPlan(MPI_Comm communicator, const SyrkShape& shape, bool hermitian,
           const SyrkOptions& options = {});

  // In the caller's layouts: C stays in place if that moves less, as when it is large and k is
  // small; where ranks share k, each takes columns of A and B that it stores. A memory limit is
  // kept in rounds over k. Throws Error also where layouts do not fit together, differ between
  // ranks, or need more memory: the message ends in the least found.
  SyrkPlan(MPI_Comm communicator, const SyrkLayouts& layouts, const SyrkOptions& options = {});

  ~SyrkPlan();
  SyrkPlan(SyrkPlan&&) noexcept;
  SyrkPlan& operator=(SyrkPlan&&) noexcept;

  std::string name() const;  // local: "13 triangle blocks of 4/13 of the rows", "C in place"
  const TriangleDecomposition& decomposition() const;          // local; native only
  Words memory() const;                                        // local: words this rank holds
  const std::vector<OwnedPart>& parts(Operand operand) const;  // local; a or c, native only

  // Allocates nothing. `b` is null without one. Hermitian updates take real alpha (without b) and
  // beta, and leave C's diagonal real.
  void execute(T alpha, const T* a, const T* b, T beta, T* c);

  const GemmTraffic& traffic() const;  // of the last execute(). Local.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

enum class Side { left, right };

// The layouts of the matrices of C = alpha A B + beta C (left) or alpha B A + beta C (right), A
// symmetric or Hermitian, given by one of its triangles; the other is not read.
struct SymmLayouts {
  bool hermitian = false;
  Side side = Side::left;
  Triangle triangle = Triangle::lower;
  Layout a, b, c;
};

// Such a product for one shape and layout, decomposed once, executed any number of times, on any
// number of ranks: triangle blocks of A, each replica for some columns of B, or A in place.
template <class T>
class SymmPlan {
 public:
  // C = alpha A B + beta C, A's lower triangle, C and B of shape.k columns, in the native layout:
  // each rank owns the parts listed by parts(). Parts of A may include elements above the diagonal,
  // which are not read. Throws Error like choose_symmetric.
  SymmPlan(MPI_Comm communicator, const SyrkShape& shape, bool hermitian,
           const SyrkOptions& options = {});

  // Throws Error where layouts are invalid, do not fit together or differ between ranks.
  SymmPlan(MPI_Comm communicator, const SymmLayouts& layouts, const SyrkOptions& options = {});
  ~SymmPlan();
  SymmPlan(SymmPlan&&) noexcept;
  SymmPlan& operator=(SymmPlan&&) noexcept;

  std::string name() const;  // local: "13 triangle blocks of 4/13 of the rows", "A in place"
  Words memory() const;  // local: beside the caller's arrays; native layout: all this rank holds
  const TriangleDecomposition& decomposition() const;          // local; native only
  const std::vector<OwnedPart>& parts(Operand operand) const;  // local; native only

  // Allocates nothing. `c` is not read when beta is 0.
  void execute(T alpha, const T* a, const T* b, T beta, T* c);

  const GemmTraffic& traffic() const;  // of the last execute(). Local.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redblue
