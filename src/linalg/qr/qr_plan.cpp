// SPDX-License-Identifier: BSD-3-Clause
// The public plan of a QR factorization: from the caller's layout and back.
#include <algorithm>
#include <complex>
#include <memory>
#include <type_traits>
#include <utility>

#include "linalg/plan/caller_layouts.hpp"
#include "linalg/qr/placed.hpp"
#include "redblue/error.hpp"
#include "redblue/qr.hpp"

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
  const layout::Arrangement at_c = layout::arrangement(layout_of_c, p.communicator.size());
  const QrDecomposition& d = p.decomposition();
  if (at_c.rows != d.m) {
    throw Error("Q C with " + std::to_string(at_c.rows) + " rows of C",
                "Q has " + std::to_string(d.m), "pass as many");
  }
  typename PlacedQr<T>::Elsewhere moves =
      p.placed->elsewhere(p.communicator, at_c, {d.block, 0, d.grid_columns(), d.block});
  Buffer<T> beside;
  beside.resize(moves.workspace);
  p.placed->apply(p.communicator, op != Op::none, a, tau, moves, c, p.workspace.data(),
                  beside.data(), p.traffic);
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
