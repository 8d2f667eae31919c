// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/qr/placed.hpp"

#include <algorithm>
#include <complex>
#include <utility>
#include <variant>

#include "comm/phases.hpp"
#include "linalg/qr/tau.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::Transfer;

namespace {

QrDecomposition chosen(const Layout& layout, int ranks, const FactorOptions& options) {
  if (const auto* l = std::get_if<BlockCyclic>(&layout)) return choose_qr(*l, ranks, options);
  const auto& grid = std::get<BlockGrid>(layout);
  return choose_qr(grid.row_cuts.back(), grid.column_cuts.back(), ranks, options);
}

// On the transposed grid the matrix stays with its ranks, stored by columns there.
QrDecomposition chosen_adjoint(const BlockCyclic& layout, int ranks, const FactorOptions& options) {
  QrDecomposition d = choose_qr(transposed(layout), ranks, options);
  d.in_place = false;
  return d;
}

// Where the matrix, or one of other columns and the same rows, lies while it is factored.
BlockCyclic native(const QrDecomposition& d, std::int64_t columns, const Cyclic& across,
                   std::int64_t leading) {
  return {d.m, columns, d.down, across, d.places, std::max<std::int64_t>(1, leading)};
}

}  // namespace

layout::Arrangement adjoint(layout::Arrangement arrangement) {
  arrangement = layout::transposed(std::move(arrangement));
  for (std::vector<layout::Patch>& patches : arrangement.of_rank) {
    for (layout::Patch& p : patches) p.conjugated = !p.conjugated;
  }
  return arrangement;
}

template <class T>
PlacedQr<T>::PlacedQr(const Communicator& communicator, const Layout& layout,
                      const FactorOptions& options, std::optional<std::int64_t> reflectors)
    : decomposition_(chosen(layout, communicator.size(), options)),
      qr_(decomposition_, communicator.rank(),
          reflectors.value_or(std::min(decomposition_.m, decomposition_.n))),
      buffers_(qr_.workspace()) {
  if (decomposition_.in_place) {
    place(std::get<BlockCyclic>(layout));
  } else {
    place_elsewhere(communicator, layout::arrangement(layout, communicator.size()));
  }
}

template <class T>
PlacedQr<T>::PlacedQr(const Communicator& communicator, const BlockCyclic& layout,
                      const FactorOptions& options, std::int64_t reflectors, Adjoint)
    : decomposition_(chosen_adjoint(layout, communicator.size(), options)),
      qr_(decomposition_, communicator.rank(), reflectors),
      buffers_(qr_.workspace()) {
  place_elsewhere(communicator, adjoint(layout::arrangement(layout, communicator.size())));
}

template <class T>
PlacedQr<T>::PlacedQr(const Communicator& communicator, const layout::Arrangement& vectors,
                      const QrDecomposition& decomposition)
    : decomposition_(decomposition), qr_(decomposition_, communicator.rank(), decomposition.n) {
  place_elsewhere(communicator, vectors);
}

template <class T>
void PlacedQr<T>::place_elsewhere(const Communicator& communicator,
                                  const layout::Arrangement& caller) {
  const QrDecomposition& d = decomposition_;
  leading_ = std::max<std::int64_t>(1, qr_.local_rows());
  storage_ = qr_.local_rows() * qr_.local_columns();
  const layout::Arrangement here =
      layout::arrangement(native(d, d.n, d.across, leading_), communicator.size());
  moves_.emplace_back(communicator, caller, here, comm::TransferOptions{});
  moves_.emplace_back(communicator, here, caller, comm::TransferOptions{});
  for (const Transfer<T>& move : moves_) buffers_ = std::max(buffers_, move.buffer());
}

template <class T>
PlacedQr<T>::PlacedQr(const Communicator& communicator, const BlockCyclic& layout,
                      std::int64_t reflectors, InPlace)
    : decomposition_(qr_in_place(layout, communicator.size())),
      qr_(decomposition_, communicator.rank(), reflectors),
      buffers_(qr_.workspace()) {
  place(layout);
}

template <class T>
void PlacedQr<T>::place(const BlockCyclic& layout) {
  leading_ = layout.leading;
  if (qr_.idle()) return;
  offset_ = layout.down.count(layout.first_row, qr_.grid_row()) +
            layout.leading * layout.across.count(layout.first_column, qr_.grid_column());
}

template <class T>
LocalPart<T> PlacedQr<T>::part(T* a, T* workspace) const {
  return {decomposition_.in_place ? a + offset_ : workspace, leading_};
}
template <class T>
LocalPart<const T> PlacedQr<T>::part(const T* a, const T* workspace) const {
  return {decomposition_.in_place ? a + offset_ : workspace, leading_};
}

template <class T>
void PlacedQr<T>::move(const Communicator& communicator, std::size_t which, const T* from, T* to,
                       T* workspace, FactorTraffic& traffic) {
  if (moves_.empty()) return;
  const comm::InPhase redistributes(comm::Phase::redistribute);
  moves_[which].execute(communicator, T(1), from, T(0), to, workspace + storage_,
                        traffic.redistribute);
}

template <class T>
void PlacedQr<T>::execute(Communicator& communicator, T* a, T* workspace, std::vector<T>& tau,
                          FactorTraffic& traffic) {
  const QrDecomposition& d = decomposition_;
  const auto reflectors = static_cast<std::size_t>(std::min(d.m, d.n));
  tau.assign(reflectors, T(0));
  move(communicator, 0, a, workspace, workspace, traffic);
  qr_.factor(communicator, part(a, workspace), tau.data(), workspace + storage_, traffic.factor);
  move(communicator, 1, workspace, a, workspace, traffic);
  if (static_cast<int>(d.places.size()) == communicator.size()) return;
  tell_tau(communicator, d.places.front(), tau);
}

template <class T>
void PlacedQr<T>::form(const Communicator& communicator, T* a, const std::vector<T>& tau,
                       T* workspace, FactorTraffic& traffic) {
  move(communicator, 0, a, workspace, workspace, traffic);
  qr_.form(communicator, part(a, workspace), tau.data(), workspace + storage_, traffic.factor);
  move(communicator, 1, workspace, a, workspace, traffic);
}

template <class T>
typename PlacedQr<T>::Elsewhere PlacedQr<T>::elsewhere(const Communicator& communicator,
                                                       const layout::Arrangement& c,
                                                       const Cyclic& across) const {
  const QrDecomposition& d = decomposition_;
  const std::int64_t leading = std::max<std::int64_t>(1, qr_.local_rows());
  const layout::Arrangement here =
      layout::arrangement(native(d, c.columns, across, leading), communicator.size());
  Elsewhere moves = {Transfer<T>(communicator, c, here, {}),
                     Transfer<T>(communicator, here, c, {}),
                     {},
                     leading,
                     0,
                     0};
  for (int q = 0; q < d.grid_columns(); ++q) {
    moves.columns.push_back(across.count(c.columns, q));
  }
  if (!qr_.idle()) moves.own = moves.columns[static_cast<std::size_t>(qr_.grid_column())];
  moves.workspace = leading * moves.own +
                    std::max({qr_.workspace(moves.own), moves.there.buffer(), moves.back.buffer()});
  return moves;
}

template <class T>
void PlacedQr<T>::apply(const Communicator& communicator, bool adjoint, const T* a,
                        const std::vector<T>& tau, Elsewhere& c_moves, T* c, T* workspace,
                        T* beside, FactorTraffic& traffic) {
  T* const copy = beside;
  T* const buffers = beside + c_moves.leading * c_moves.own;
  move(communicator, 0, a, workspace, workspace, traffic);
  {
    const comm::InPhase redistributes(comm::Phase::redistribute);
    c_moves.there.execute(communicator, T(1), c, T(0), copy, buffers, traffic.redistribute);
  }
  qr_.apply(communicator, adjoint, part(a, workspace), tau.data(), {copy, c_moves.leading},
            c_moves.columns, buffers, traffic.factor);
  const comm::InPhase redistributes(comm::Phase::redistribute);
  c_moves.back.execute(communicator, T(1), copy, T(0), c, buffers, traffic.redistribute);
}

template <class T>
std::int64_t PlacedQr<T>::workspace_here(const BlockCyclic& c) const {
  if (qr_.idle()) return storage_ + (moves_.empty() ? 0 : buffers_);
  const int column = qr_.grid_column();
  // vectors that are moved need their buffers first
  return storage_ + std::max(moves_.empty() ? 0 : buffers_,
                             qr_.workspace(c.across.count(c.first_column + c.columns, column) -
                                           c.across.count(c.first_column, column)));
}

template <class T>
void PlacedQr<T>::apply_here(const Communicator& communicator, bool adjoint, const T* a,
                             const std::vector<T>& tau, const BlockCyclic& layout_of_c, T* c,
                             T* workspace, FactorTraffic& traffic) {
  move(communicator, 0, a, workspace, workspace, traffic);
  if (qr_.idle()) return;
  const BlockCyclic& l = layout_of_c;
  std::vector<std::int64_t> columns;
  for (int q = 0; q < decomposition_.grid_columns(); ++q) {
    columns.push_back(l.across.count(l.first_column + l.columns, q) -
                      l.across.count(l.first_column, q));
  }
  T* const to = c + l.down.count(l.first_row, qr_.grid_row()) +
                l.leading * l.across.count(l.first_column, qr_.grid_column());
  qr_.apply(communicator, adjoint, part(a, workspace), tau.data(), {to, l.leading}, columns,
            workspace + storage_, traffic.factor);
}

template class PlacedQr<float>;
template class PlacedQr<double>;
template class PlacedQr<std::complex<float>>;
template class PlacedQr<std::complex<double>>;

}  // namespace redblue::linalg
