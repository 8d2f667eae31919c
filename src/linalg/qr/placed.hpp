// SPDX-License-Identifier: BSD-3-Clause
// A QR factorization of a matrix in a caller's layout, on a communicator.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/transfer.hpp"
#include "linalg/qr/qr.hpp"
#include "redblue/factor.hpp"
#include "redblue/layout.hpp"
#include "redblue/op.hpp"

namespace redblue::linalg {

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

  const QrDecomposition& decomposition() const { return decomposition_; }
  std::int64_t workspace() const { return storage_ + buffers_; }  // words

  // tau: all of them, on every rank of the communicator.
  void execute(comm::Communicator& communicator, T* a, T* workspace, std::vector<T>& tau,
               FactorTraffic& traffic);
  // tau: of the columns that a rank has, or all.
  void form(const comm::Communicator& communicator, T* a, const std::vector<T>& tau, T* workspace,
            FactorTraffic& traffic);
  // C in a layout of its own; allocates a copy. tau: all.
  void apply(const comm::Communicator& communicator, bool adjoint, const T* a,
             const std::vector<T>& tau, const Layout& layout_of_c, T* c, T* workspace,
             FactorTraffic& traffic);
  // In place, with C's rows where A's are; tau: of the columns that a rank has, or all. Needs
  // workspace_here() words.
  void apply_here(const comm::Communicator& communicator, bool adjoint, const T* a,
                  const std::vector<T>& tau, const BlockCyclic& layout_of_c, T* c, T* workspace,
                  FactorTraffic& traffic);
  std::int64_t workspace_here(const BlockCyclic& layout_of_c) const;

 private:
  // In the caller's array.
  void place(const BlockCyclic& layout);
  // This rank's part, in the caller's array or in the workspace.
  LocalPart<T> part(T* a, T* workspace) const;
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
