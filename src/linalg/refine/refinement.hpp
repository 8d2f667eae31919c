// SPDX-License-Identifier: BSD-3-Clause
// Iterative refinement of solved systems op(A) X = B, with bounds of their errors, as LAPACK's
// porfs and gerfs do it, all right-hand sides at once; condition numbers from factors (pocon,
// gecon).
//
//   R = B - op(A) X, W = |op(A)| |X| + |B|
//   backward error  max over i of |R(i)| / W(i); while it is above eps and halves: X += op(A)^-1 R
//   forward error   the norm of op(A)^-1 diag(|R| + (n+1) eps W), estimated, over that of X
//
// Vectors are spread over the ranks by rows; A and its factors stay where they are, or go where the
// products and solves want them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "linalg/gemm/choice.hpp"
#include "linalg/refine/estimator.hpp"
#include "linalg/solve/solve.hpp"
#include "linalg/symmetric/triangle_product.hpp"

namespace redblue::linalg {

// What is known of a matrix by its factors: Cholesky's of one of its triangles, or LU's and pivots.
struct FactoredLayouts {
  bool definite = false;
  Triangle triangle = Triangle::lower;  // of a definite one
  Op op = Op::none;                     // of systems with a general one
  Layout factors;
};

// Solves with op(A) and its adjoint, vectors spread by rows.
template <class T>
class FactoredSolves {
 public:
  FactoredSolves(const comm::Communicator& communicator, const FactoredLayouts& layouts,
                 std::int64_t columns);

  const VectorShare& share() const { return share_; }
  const BlockGrid& layout() const { return by_rows_; }  // of the vectors
  std::int64_t workspace() const;                       // words

  // x = op(A)^-1 x, or the adjoint's; `rows`: the order of P A's rows, or null where the matrix is
  // L U.
  void solve(const comm::Communicator& communicator, bool adjoint, const T* factors,
             const std::vector<std::int64_t>* rows, T* x, T* workspace, Traffic& traffic);

 private:
  VectorShare share_;
  BlockGrid by_rows_;
  Op op_;
  std::vector<PlacedSolve<T>> solves_;  // and the adjoint's, where it is another
};

// 1 / (norm(A) norm(A^-1)), the 1-norm of A^-1, or with `adjoint` of its adjoint, estimated; 0
// where A is singular to working precision. Collective.
template <class T>
double reciprocal_condition(comm::Communicator& communicator, FactoredSolves<T>& solves,
                            bool adjoint, double norm, const T* factors, T* workspace,
                            Traffic& traffic);

struct RefinementLayouts {
  FactoredLayouts factored;
  Layout a, b, x;
};

// Of each right-hand side.
struct ErrorBounds {
  std::vector<double> forward, backward;
};

// The arrays of a call; `rows` as FactoredSolves has them.
template <class T>
struct RefinedSystem {
  const T* a;
  const T* factors;
  const std::vector<std::int64_t>* rows;
  const T* b;
  T* x;
};

template <class T>
class Refinement {
 public:
  // Local.
  Refinement(comm::Communicator& communicator, const RefinementLayouts& layouts);

  std::int64_t workspace() const { return workspace_; }  // words of T

  // Improves X. Collective.
  ErrorBounds execute(comm::Communicator& communicator, const RefinedSystem<T>& system,
                      T* workspace, SolveTraffic& traffic);

 private:
  using Real = decltype(std::abs(T{}));
  // C = alpha op(A) B + beta C of any element type, one of the two.
  template <class U>
  struct Product {
    std::optional<TriangleProduct<U>> definite;
    std::optional<Multiplication<U>> general;

    std::int64_t workspace() const {
      return definite ? definite->workspace() : general->workspace();
    }
  };
  // This rank's part of all vectors, while a system is refined.
  struct Vectors {
    std::vector<T> b, x, residual;
    std::vector<Real> weights;  // W
    std::vector<Real> sizes;    // |A|
  };

  template <class U>
  Product<U> product(comm::Communicator& communicator, const RefinementLayouts& layouts,
                     bool hermitian, Op op) const;
  template <class U>
  void multiply(const comm::Communicator& communicator, Product<U>& product, U alpha, const U* a,
                const U* x, U* y, U* workspace, Traffic& traffic);
  void find_residual(const comm::Communicator& communicator, const RefinedSystem<T>& system,
                     Vectors& v, T* workspace, Traffic& traffic);
  std::vector<double> backward_errors(comm::Communicator& communicator, const Vectors& v) const;
  std::vector<double> forward_errors(comm::Communicator& communicator,
                                     const RefinedSystem<T>& system, Vectors& v, T* workspace,
                                     Traffic& traffic);

  std::vector<layout::Patch> own_;  // of A in its array
  std::int64_t a_words_ = 0;
  FactoredSolves<T> solves_;
  VectorShare share_;
  Product<T> product_;
  Product<Real> of_sizes_;
  std::optional<comm::Transfer<T>> b_in_, x_in_, x_out_;
  std::int64_t workspace_ = 0;
};

}  // namespace redblue::linalg
