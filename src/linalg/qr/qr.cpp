// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/qr/qr.hpp"

#include <algorithm>
#include <complex>

namespace redblue::linalg {

using comm::Communicator;

template <class T>
Qr<T>::Qr(const QrDecomposition& decomposition, Rank me, std::int64_t reflectors)
    : d_(decomposition),
      steps_(decomposition, reflectors),
      grid_columns_(decomposition.grid_columns()) {
  const auto found = std::find(d_.places.begin(), d_.places.end(), me);
  if (found == d_.places.end()) return;
  const auto place = static_cast<int>(found - d_.places.begin());
  row_ = place / grid_columns_;
  column_ = place % grid_columns_;
}

template <class T>
QrStep Qr<T>::step(const QrPanel& panel) const {
  return {panel, panel.width(), steps_.rows_from(row_, panel.begin()),
          steps_.row_position(row_, panel.begin()), steps_.top_rows(panel, row_)};
}

template <class T>
QrWorkspace<T> Qr<T>::parts(T* memory, std::int64_t columns) const {
  const QrBuffers b = qr_buffers(steps_, row_, columns);
  QrWorkspace<T> w;
  w.stack = memory;
  w.vectors = w.stack + b.stack;
  w.product = w.vectors + b.vectors;
  w.added = w.product + b.product;
  w.squares = w.added + b.product;
  w.received = w.squares + b.squares;
  w.square_words = steps_.widest() * steps_.widest();
  return w;
}

template <class T>
std::vector<std::int64_t> Qr<T>::columns_from(std::int64_t column) const {
  std::vector<std::int64_t> counts;
  for (int q = 0; q < grid_columns_; ++q) counts.push_back(steps_.columns_from(q, column));
  return counts;
}

template <class T>
void Qr<T>::factor(const Communicator& communicator, const LocalPart<T>& a, T* tau, T* memory,
                   Traffic& traffic) {
  if (idle()) return;
  const QrWorkspace<T> w = parts(memory, local_columns());
  for (const QrPanel& panel : steps_.panels()) {
    const QrStep s = step(panel);
    T* const from = a.data + s.position;
    if (column_ == panel.grid_column) {
      const std::int64_t at = steps_.column_position(column_, panel.begin());
      factor_panel(communicator, s, from + at * a.leading, a.leading, w, traffic);
    }
    const std::vector<std::int64_t> columns = columns_from(panel.columns.end);
    exchange_vectors(communicator, s, columns, tau + panel.begin(), w, traffic);
    const std::int64_t at = steps_.column_position(column_, panel.columns.end);
    update(communicator, s, true, {from + at * a.leading, a.leading},
           columns[static_cast<std::size_t>(column_)], w, traffic);
    Communicator::wait(sends_);
  }
}

// Columns first .. end-1 of the identity.
template <class T>
void Qr<T>::set_identity(const LocalPart<T>& a, std::int64_t first, std::int64_t end) const {
  for (std::int64_t column = first; column < end; ++column) {
    if (d_.across.owner(column) != column_) continue;
    T* const to = a.data + steps_.column_position(column_, column) * a.leading;
    std::fill_n(to, local_rows(), T(0));
    if (d_.down.owner(column) == row_) to[steps_.row_position(row_, column)] = T(1);
  }
}

template <class T>
void Qr<T>::form(const Communicator& communicator, const LocalPart<T>& a, const T* tau, T* memory,
                 Traffic& traffic) {
  if (idle()) return;
  const QrWorkspace<T> w = parts(memory, local_columns());
  const std::vector<QrPanel>& panels = steps_.panels();
  set_identity(a, panels.empty() ? 0 : panels.back().columns.end, d_.n);
  for (auto panel = panels.rbegin(); panel != panels.rend(); ++panel) {
    const QrStep s = step(*panel);
    T* const from = a.data + s.position;
    const std::int64_t at = steps_.column_position(column_, panel->begin());
    if (column_ == panel->grid_column) {
      load_vectors(communicator, s, from + at * a.leading, a.leading, tau + panel->begin(), w,
                   traffic);
    }
    const std::vector<std::int64_t> columns = columns_from(panel->begin());
    exchange_vectors(communicator, s, columns, nullptr, w, traffic);
    set_identity(a, panel->begin(), panel->columns.end);
    update(communicator, s, false, {from + at * a.leading, a.leading},
           columns[static_cast<std::size_t>(column_)], w, traffic);
    Communicator::wait(sends_);
  }
}

template <class T>
void Qr<T>::apply(const Communicator& communicator, bool adjoint, const LocalPart<const T>& a,
                  const T* tau, const LocalPart<T>& c, const std::vector<std::int64_t>& columns,
                  T* memory, Traffic& traffic) {
  if (idle()) return;
  const std::int64_t own = columns[static_cast<std::size_t>(column_)];
  const QrWorkspace<T> w = parts(memory, own);
  std::vector<QrPanel> panels = steps_.panels();
  if (!adjoint) std::reverse(panels.begin(), panels.end());
  for (const QrPanel& panel : panels) {
    const QrStep s = step(panel);
    if (column_ == panel.grid_column) {
      const std::int64_t at = steps_.column_position(column_, panel.begin());
      load_vectors(communicator, s, a.data + s.position + at * a.leading, a.leading,
                   tau + panel.begin(), w, traffic);
    }
    exchange_vectors(communicator, s, columns, nullptr, w, traffic);
    update(communicator, s, adjoint, {c.data + s.position, c.leading}, own, w, traffic);
    Communicator::wait(sends_);
  }
}

template class Qr<float>;
template class Qr<double>;
template class Qr<std::complex<float>>;
template class Qr<std::complex<double>>;

}  // namespace redblue::linalg
