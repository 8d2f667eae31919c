// SPDX-License-Identifier: BSD-3-Clause
// QR and LQ factorizations of a matrix in a caller's layout, on a communicator, and products with
// their vectors.
//
// An LQ factorization of A is a QR factorization of A^H: A = L Q with L = R^H and Q = Q'^H for
// A^H = Q' R, vectors and tau the same, and LAPACK stores them as A^H's conjugate transpose.
// C Q is (Q^H C^H)^H. So there is one engine, and matrices that are moved to it from storage by
// rows, with conjugates. Where the ranks of the transposed grid take part, none of that is sent.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/transfer.hpp"
#include "layout/arrangement.hpp"
#include "linalg/qr/qr.hpp"
#include "redblue/factor.hpp"
#include "redblue/layout.hpp"
#include "redblue/op.hpp"

namespace redblue::linalg {

// The arrangement of the conjugate transpose, with the same storage.
layout::Arrangement adjoint(layout::Arrangement arrangement);

template <class T>
class PlacedQr {
 public:
  // Of the first `reflectors` columns; none: all.
  PlacedQr(const comm::Communicator& communicator, const Layout& layout,
           const FactorOptions& options, std::optional<std::int64_t> reflectors = std::nullopt);

  // In place, whatever the blocks: for form() and apply_here() only with what other libraries
  // leave.
  struct InPlace {};
  PlacedQr(const comm::Communicator& communicator, const BlockCyclic& layout,
           std::int64_t reflectors, InPlace);

  // Of the conjugate transpose of a matrix in this layout, as an LQ factorization has it.
  struct Adjoint {};
  PlacedQr(const comm::Communicator& communicator, const BlockCyclic& layout,
           const FactorOptions& options, std::int64_t reflectors, Adjoint);

  // Vectors in any arrangement, moved to where `decomposition` has them: for apply() and
  // apply_here().
  PlacedQr(const comm::Communicator& communicator, const layout::Arrangement& vectors,
           const QrDecomposition& decomposition);

  const QrDecomposition& decomposition() const { return decomposition_; }
  std::int64_t workspace() const { return storage_ + buffers_; }  // words

  // tau: all of them, on every rank of the communicator.
  void execute(comm::Communicator& communicator, T* a, T* workspace, std::vector<T>& tau,
               FactorTraffic& traffic);
  // tau: of the columns that a rank has, or all.
  void form(const comm::Communicator& communicator, T* a, const std::vector<T>& tau, T* workspace,
            FactorTraffic& traffic);

  // C in an arrangement of its own: moved to where the vectors' rows are, columns dealt out as
  // `across` says, and back.
  struct Elsewhere {
    comm::Transfer<T> there, back;
    std::vector<std::int64_t> columns;  // of C in every grid column
    std::int64_t leading, own;          // of the copy, and its columns
    std::int64_t workspace;             // words, with the copy
  };
  Elsewhere elsewhere(const comm::Communicator& communicator, const layout::Arrangement& c,
                      const Cyclic& across) const;
  // tau: all. workspace: of workspace() words, beside: of c_moves.workspace.
  void apply(const comm::Communicator& communicator, bool adjoint, const T* a,
             const std::vector<T>& tau, Elsewhere& c_moves, T* c, T* workspace, T* beside,
             FactorTraffic& traffic);

  // C in place, with its rows where the vectors' are; tau: of the columns that a rank has, or all.
  // Needs workspace_here() words.
  void apply_here(const comm::Communicator& communicator, bool adjoint, const T* a,
                  const std::vector<T>& tau, const BlockCyclic& layout_of_c, T* c, T* workspace,
                  FactorTraffic& traffic);
  std::int64_t workspace_here(const BlockCyclic& layout_of_c) const;

 private:
  // In the caller's array.
  void place(const BlockCyclic& layout);
  // Somewhere else.
  void place_elsewhere(const comm::Communicator& communicator, const layout::Arrangement& caller);
  // This rank's part, in the caller's array or in the workspace.
  LocalPart<T> part(T* a, T* workspace) const;
  LocalPart<const T> part(const T* a, const T* workspace) const;
  void move(const comm::Communicator& communicator, std::size_t which, const T* from, T* to,
            T* workspace, FactorTraffic& traffic);

  QrDecomposition decomposition_;
  Qr<T> qr_;
  std::vector<comm::Transfer<T>> moves_;  // there and back; none in place
  std::int64_t storage_ = 0;
  std::int64_t buffers_ = 0;
  std::int64_t offset_ = 0;  // in place: of this rank's part in the caller's array
  std::int64_t leading_ = 1;
};

}  // namespace redblue::linalg
