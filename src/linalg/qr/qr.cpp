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
std::vector<QrStep> Qr<T>::steps_of(const QrGroup& group) const {
  std::vector<QrStep> steps;
  const std::int64_t group_rows = steps_.rows_from(row_, group.begin());
  for (const QrPanel& panel : group.panels) {
    const std::int64_t rows = steps_.rows_from(row_, panel.begin());
    steps.push_back({panel, panel.width(), rows, steps_.row_position(row_, panel.begin()),
                     steps_.top_rows(panel, row_), group_rows, group_rows - rows,
                     static_cast<std::int64_t>(steps.size()), panel.begin() - group.begin()});
  }
  return steps;
}

template <class T>
QrWorkspace<T> Qr<T>::parts(T* memory, std::int64_t columns) const {
  const QrBuffers b = qr_buffers(steps_, row_, columns);
  QrWorkspace<T> w;
  w.widest = steps_.widest();
  w.stack = memory;
  w.vectors = w.stack + b.stack;
  w.messages = w.vectors + steps_.rows_from(row_, 0) * steps_.widest_group();
  w.sums = w.vectors + b.vectors;
  w.product = w.sums + b.sums;
  w.added = w.product + b.product;
  w.squares = w.added + b.product;
  w.triangles = w.squares + b.squares;
  w.gram = w.triangles + steps_.most_panels() * w.widest * w.widest;
  w.received = w.triangles + b.group;
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
  for (const QrGroup& group : steps_.groups()) {
    const std::vector<QrStep> steps = steps_of(group);
    const std::int64_t later = steps_.column_position(column_, group.end());
    for (const QrStep& s : steps) {
      T* const from = a.data + s.position;
      if (column_ == s.panel.grid_column) {
        const std::int64_t at = steps_.column_position(column_, s.panel.begin());
        factor_panel(communicator, s, from + at * a.leading, a.leading, w, traffic);
      }
      const std::int64_t end = s.panel.columns.end;
      exchange_vectors(communicator, s, columns_from(end), tau + s.panel.begin(), w, traffic);
      const std::int64_t at = steps_.column_position(column_, end);
      update(communicator, &s, {later - at}, true, {from + at * a.leading, a.leading}, w, traffic);
      Communicator::wait(sends_);
    }
    update(communicator, steps.data(),
           std::vector<std::int64_t>(steps.size(), local_columns() - later), true,
           {a.data + steps.front().position + later * a.leading, a.leading}, w, traffic);
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
  const std::vector<QrGroup>& groups = steps_.groups();
  set_identity(a, groups.empty() ? 0 : groups.back().end(), d_.n);
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    const std::vector<QrStep> steps = steps_of(*group);
    std::vector<std::int64_t> reached;
    for (const QrStep& s : steps) {
      const std::int64_t at = steps_.column_position(column_, s.panel.begin());
      if (column_ == s.panel.grid_column) {
        load_vectors(communicator, s, a.data + s.position + at * a.leading, a.leading,
                     tau + s.panel.begin(), w, traffic);
      }
      exchange_vectors(communicator, s, columns_from(s.panel.begin()), nullptr, w, traffic);
      if (at < local_columns()) reached.push_back(local_columns() - at);
    }
    set_identity(a, group->begin(), group->end());
    const std::int64_t at = steps_.column_position(column_, group->begin());
    update(communicator, steps.data(), reached, false,
           {a.data + steps.front().position + at * a.leading, a.leading}, w, traffic);
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
  std::vector<QrGroup> groups = steps_.groups();
  if (!adjoint) std::reverse(groups.begin(), groups.end());
  for (const QrGroup& group : groups) {
    const std::vector<QrStep> steps = steps_of(group);
    for (const QrStep& s : steps) {
      if (column_ == s.panel.grid_column) {
        const std::int64_t at = steps_.column_position(column_, s.panel.begin());
        load_vectors(communicator, s, a.data + s.position + at * a.leading, a.leading,
                     tau + s.panel.begin(), w, traffic);
      }
      exchange_vectors(communicator, s, columns, nullptr, w, traffic);
    }
    update(communicator, steps.data(), std::vector<std::int64_t>(steps.size(), own), adjoint,
           {c.data + steps.front().position, c.leading}, w, traffic);
    Communicator::wait(sends_);
  }
}

template class Qr<float>;
template class Qr<double>;
template class Qr<std::complex<float>>;
template class Qr<std::complex<double>>;

}  // namespace redblue::linalg
