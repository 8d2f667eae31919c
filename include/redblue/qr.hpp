// SPDX-License-Identifier: BSD-3-Clause
// QR factorization in parallel, moving little.
//
// As in redblue/gemm.hpp: calls are collective unless marked local and throw Error on all ranks
// together or on none; T is float, double or std::complex of them; a word is one element.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "redblue/factor.hpp"
#include "redblue/op.hpp"
#include "redblue/qr_model.hpp"
#include "redblue/traffic.hpp"

namespace redblue {

// A = Q R of an m x n matrix in the caller's layout, as LAPACK's geqrf leaves it: R on and above
// the diagonal; below it Householder vectors v_j, each with a one on the diagonal that is not
// stored; Q = H_0 H_1 .. H_(min(m, n) - 1), H_j = I - tau_j v_j v_j'. Panels are factored by
// TSQR [demmel2012], from whose Q the vectors are reconstructed [ballard2014]: as stable as
// Householder's algorithm for any matrix. 2 n^2 (m - n / 3) operations for m >= n, and 3 m n
// for each of a panel's columns.
template <class T>
class QrPlan {
 public:
  // Throws Error where the layout is invalid or differs between ranks.
  QrPlan(MPI_Comm communicator, const Layout& layout, const FactorOptions& options = {});
  ~QrPlan();
  QrPlan(QrPlan&&) noexcept;
  QrPlan& operator=(QrPlan&&) noexcept;

  const QrDecomposition& decomposition() const;  // local
  Words memory() const;                          // local: beside the caller's array

  void execute(T* a);

  // Of the last execute(), all min(m, n) of them, the same on every rank. Local.
  const std::vector<T>& tau() const;

  // For an array that execute() left, or with the factors of any LAPACK or ScaLAPACK (then with
  // their tau):
  // replaces the vectors and R by the first n columns of Q; throws Error where m < n.
  void form(T* a, const std::vector<T>& tau);
  // C = op(Q) C, op none or conjugate_transpose (for real T also transpose), Q m x m, C of m rows
  // in a layout of its own. Throws Error for another op or number of rows. Allocates C's part in
  // the layout of the factorization.
  void apply(Op op, const T* a, const std::vector<T>& tau, const Layout& layout_of_c, T* c);

  // Of the last execute(), form() or apply(). Local.
  const FactorTraffic& traffic() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redblue
