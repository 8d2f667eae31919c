// SPDX-License-Identifier: BSD-3-Clause
// The public plan of a QR factorization: from the caller's layout and back.
#include <algorithm>
#include <complex>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include "comm/phases.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "linalg/qr/placed.hpp"
#include "linalg/qr/tau.hpp"
#include "redblue/error.hpp"
#include "redblue/qr.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::Transfer;

namespace {

QrDecomposition chosen(const Layout& layout, int ranks, const FactorOptions& options) {
  if (const auto* l = std::get_if<BlockCyclic>(&layout)) return choose_qr(*l, ranks, options);
  const auto& grid = std::get<BlockGrid>(layout);
  return choose_qr(grid.row_cuts.back(), grid.column_cuts.back(), ranks, options);
}

// Where the matrix, or one of other columns and the same rows, lies while it is factored.
BlockCyclic native(const QrDecomposition& d, std::int64_t columns, const Cyclic& across,
                   std::int64_t leading) {
  return {d.m, columns, d.down, across, d.places, std::max<std::int64_t>(1, leading)};
}

}  // namespace

template <class T>
PlacedQr<T>::PlacedQr(const Communicator& communicator, const Layout& layout,
                      const FactorOptions& options, std::optional<std::int64_t> reflectors)
    : decomposition_(chosen(layout, communicator.size(), options)),
      qr_(decomposition_, communicator.rank(),
          reflectors.value_or(std::min(decomposition_.m, decomposition_.n))),
      buffers_(qr_.workspace()) {
  const QrDecomposition& d = decomposition_;
  if (d.in_place) {
    place(std::get<BlockCyclic>(layout));
    return;
  }
  leading_ = std::max<std::int64_t>(1, qr_.local_rows());
  storage_ = qr_.local_rows() * qr_.local_columns();
  const layout::Arrangement caller = layout::arrangement(layout, communicator.size());
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
void PlacedQr<T>::apply(const Communicator& communicator, bool adjoint, const T* a,
                        const std::vector<T>& tau, const Layout& layout_of_c, T* c, T* workspace,
                        FactorTraffic& traffic) {
  const QrDecomposition& d = decomposition_;
  const layout::Arrangement caller = layout::arrangement(layout_of_c, communicator.size());
  const Cyclic across = {d.block, 0, d.grid_columns(), d.block};
  const std::int64_t leading = std::max<std::int64_t>(1, qr_.local_rows());
  const layout::Arrangement here =
      layout::arrangement(native(d, caller.columns, across, leading), communicator.size());
  Transfer<T> there(communicator, caller, here, {});
  Transfer<T> back(communicator, here, caller, {});
  std::vector<std::int64_t> columns;
  for (int q = 0; q < d.grid_columns(); ++q) columns.push_back(across.count(caller.columns, q));
  const std::int64_t own = qr_.idle() ? 0 : columns[static_cast<std::size_t>(qr_.grid_column())];
  Buffer<T> memory;
  memory.resize(leading * own + std::max({qr_.workspace(own), there.buffer(), back.buffer()}));
  T* const beside = memory.data() + leading * own;
  move(communicator, 0, a, workspace, workspace, traffic);
  there.execute(communicator, T(1), c, T(0), memory.data(), beside, traffic.redistribute);
  const T* const vectors = d.in_place ? a + offset_ : workspace;
  qr_.apply(communicator, adjoint, {vectors, leading_}, tau.data(), {memory.data(), leading},
            columns, beside, traffic.factor);
  back.execute(communicator, T(1), memory.data(), T(0), c, beside, traffic.redistribute);
}

template <class T>
std::int64_t PlacedQr<T>::workspace_here(const BlockCyclic& c) const {
  if (qr_.idle()) return 0;
  const int column = qr_.grid_column();
  return qr_.workspace(c.across.count(c.first_column + c.columns, column) -
                       c.across.count(c.first_column, column));
}

template <class T>
void PlacedQr<T>::apply_here(const Communicator& communicator, bool adjoint, const T* a,
                             const std::vector<T>& tau, const BlockCyclic& layout_of_c, T* c,
                             T* workspace, FactorTraffic& traffic) {
  if (qr_.idle()) return;
  const BlockCyclic& l = layout_of_c;
  std::vector<std::int64_t> columns;
  for (int q = 0; q < decomposition_.grid_columns(); ++q) {
    columns.push_back(l.across.count(l.first_column + l.columns, q) -
                      l.across.count(l.first_column, q));
  }
  T* const to = c + l.down.count(l.first_row, qr_.grid_row()) +
                l.leading * l.across.count(l.first_column, qr_.grid_column());
  qr_.apply(communicator, adjoint, {a + offset_, leading_}, tau.data(), {to, l.leading}, columns,
            workspace, traffic.factor);
}

template class PlacedQr<float>;
template class PlacedQr<double>;
template class PlacedQr<std::complex<float>>;
template class PlacedQr<std::complex<double>>;

}  // namespace redblue::linalg

namespace redblue {

using namespace linalg;
using comm::Communicator;

template <class T>
struct QrPlan<T>::Impl {
  Communicator communicator;
  Words owned;
  std::optional<PlacedQr<T>> placed;
  Buffer<T> workspace;
  std::vector<T> tau;
  FactorTraffic traffic;

  Impl(MPI_Comm original, const Layout& layout, const FactorOptions& options)
      : communicator(original) {
    check_layout(communicator, "A", layout);
    if (!communicator.same_everywhere(
            {options.block.value_or(0), options.memory.value_or(Words(-1)).value})) {
      throw Error("qr", "ranks ask for different things", "pass the same on all ranks");
    }
    owned = array_words(layout, communicator.rank());
    reserve(communicator, "qr", options.memory, placed, workspace,
            [&] { placed.emplace(communicator, layout, options); });
  }

  const QrDecomposition& decomposition() const { return placed->decomposition(); }
  void check(const T* a) {
    const T* const arrays[] = {a};
    const Words words[] = {owned};
    check_arrays(communicator, "qr", arrays, words);
    traffic = {};
  }
  void check_tau(const std::vector<T>& given) {
    const auto needed = static_cast<std::size_t>(std::min(decomposition().m, decomposition().n));
    if (communicator.all(given.size() == needed)) return;
    throw Error("qr with " + std::to_string(given.size()) + " numbers tau",
                "there are " + std::to_string(needed) + " vectors", "pass one for each");
  }
};

template <class T>
QrPlan<T>::QrPlan(MPI_Comm communicator, const Layout& layout, const FactorOptions& options)
    : impl_(std::make_unique<Impl>(communicator, layout, options)) {}
template <class T>
QrPlan<T>::~QrPlan() = default;
template <class T>
QrPlan<T>::QrPlan(QrPlan&&) noexcept = default;
template <class T>
QrPlan<T>& QrPlan<T>::operator=(QrPlan&&) noexcept = default;

template <class T>
const QrDecomposition& QrPlan<T>::decomposition() const {
  return impl_->decomposition();
}
template <class T>
Words QrPlan<T>::memory() const {
  return Words(impl_->workspace.size());
}
template <class T>
void QrPlan<T>::execute(T* a) {
  Impl& p = *impl_;
  p.check(a);
  p.placed->execute(p.communicator, a, p.workspace.data(), p.tau, p.traffic);
}
template <class T>
const std::vector<T>& QrPlan<T>::tau() const {
  return impl_->tau;
}
template <class T>
void QrPlan<T>::form(T* a, const std::vector<T>& tau) {
  Impl& p = *impl_;
  p.check(a);
  p.check_tau(tau);
  const QrDecomposition& d = p.decomposition();
  if (d.m < d.n) {
    throw Error("Q of a QR factorization of " + std::to_string(d.m) + " x " + std::to_string(d.n),
                "fewer rows than columns", "factor the first " + std::to_string(d.m) + " columns");
  }
  p.placed->form(p.communicator, a, tau, p.workspace.data(), p.traffic);
}
template <class T>
void QrPlan<T>::apply(Op op, const T* a, const std::vector<T>& tau, const Layout& layout_of_c,
                      T* c) {
  Impl& p = *impl_;
  check_layout(p.communicator, "C", layout_of_c);
  const T* const arrays[] = {a, a, c};
  const Words words[] = {p.owned, Words(), array_words(layout_of_c, p.communicator.rank())};
  check_arrays(p.communicator, "qr", arrays, words);
  p.traffic = {};
  p.check_tau(tau);
  if (op == Op::transpose && !std::is_floating_point_v<T>) {
    throw Error("Q^T C of a complex Q", "only Q and Q^H are applied", "use conjugate_transpose");
  }
  const std::int64_t rows = layout::arrangement(layout_of_c, p.communicator.size()).rows;
  if (rows != p.decomposition().m) {
    throw Error("Q C with " + std::to_string(rows) + " rows of C",
                "Q has " + std::to_string(p.decomposition().m), "pass as many");
  }
  p.placed->apply(p.communicator, op != Op::none, a, tau, layout_of_c, c, p.workspace.data(),
                  p.traffic);
}
template <class T>
const FactorTraffic& QrPlan<T>::traffic() const {
  return impl_->traffic;
}

template class QrPlan<float>;
template class QrPlan<double>;
template class QrPlan<std::complex<float>>;
template class QrPlan<std::complex<double>>;

}  // namespace redblue
