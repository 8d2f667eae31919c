// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/lu/delayed_updates.hpp"

#include <algorithm>
#include <complex>

namespace redblue::linalg {

template <class T>
void DelayedUpdates<T>::start(T* workspace) {
  lower_ = workspace;
  upper_ = workspace + most_ * leading_;
  pivots_ = 0;
}

template <class T>
void DelayedUpdates<T>::apply(const std::vector<ActiveRows::RowRun>& rows, std::int64_t first,
                              std::int64_t columns, T* a) const {
  if (pivots_ == 0) return;
  for (const ActiveRows::RowRun& s : rows) {
    // A(s, J') -= L(s, D) U(D, J')
    blas::gemm(s.count, columns, pivots_, T(-1), {lower_ + s.start, leading_},
               {upper_ + first * most_, most_}, T(1), a + s.start + first * leading_, leading_);
  }
}

template <class T>
std::vector<T> DelayedUpdates<T>::lower_rows(const std::vector<std::int64_t>& places) const {
  std::vector<T> lower;
  lower.reserve(places.size() * static_cast<std::size_t>(pivots_));
  for (std::int64_t c = 0; c < pivots_; ++c) {
    for (const std::int64_t p : places) lower.push_back(lower_[p + c * leading_]);
  }
  return lower;
}

template <class T>
void DelayedUpdates<T>::apply_to(std::int64_t count, const std::vector<T>& lower,
                                 std::int64_t first, std::int64_t columns, T* rows) const {
  if (lower.empty()) return;
  // A(P, J') -= L(P, D) U(D, J')
  blas::gemm(count, columns, pivots_, T(-1), {lower.data(), count}, {upper_ + first * most_, most_},
             T(1), rows, count);
}

template <class T>
void DelayedUpdates<T>::close_gaps(const ActiveRows& active) {
  for (std::int64_t c = 0; c < pivots_; ++c) active.close_gaps(lower_ + c * leading_);
}

template <class T>
void DelayedUpdates<T>::add(const std::vector<ActiveRows::RowRun>& rows,
                            const std::vector<blas::Factor<T>>& lower, std::int64_t pivots,
                            std::int64_t first, const blas::Factor<T>& upper) {
  for (std::size_t s = 0; s < rows.size(); ++s) {
    T* to = lower_ + rows[s].start + pivots_ * leading_;
    for (std::int64_t c = 0; c < pivots; ++c) {
      std::copy_n(lower[s].data + c * lower[s].leading, rows[s].count, to + c * leading_);
    }
  }
  for (std::int64_t c = first; c < columns_; ++c) {
    std::copy_n(upper.data + (c - first) * upper.leading, pivots, upper_ + pivots_ + c * most_);
  }
  pivots_ += pivots;
}

template class DelayedUpdates<float>;
template class DelayedUpdates<double>;
template class DelayedUpdates<std::complex<float>>;
template class DelayedUpdates<std::complex<double>>;

}  // namespace redblue::linalg
