#include "linalg/delayed_updates.hpp"

#include <algorithm>
#include <complex>

namespace redblue {

template <class T>
void DelayedUpdates<T>::start(T* workspace) {
  lower_ = workspace;
  upper_ = workspace + most_ * leading_;
  pivots_ = 0;
}

template <class T>
void DelayedUpdates<T>::apply(const ActiveRows& active, std::int64_t first, std::int64_t columns,
                              T* a) const {
  if (pivots_ == 0) return;
  for (int s = 0; s < active.segments(); ++s) {
    blas::gemm(active.count(s), columns, pivots_, T(-1), {lower_ + active.start(s), leading_},
               {upper_ + first * most_, most_}, T(1), a + active.start(s) + first * leading_,
               leading_);
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
  blas::gemm(count, columns, pivots_, T(-1), {lower.data(), count}, {upper_ + first * most_, most_},
             T(1), rows, count);
}

template <class T>
void DelayedUpdates<T>::close_gaps(const ActiveRows& active) {
  for (std::int64_t c = 0; c < pivots_; ++c) active.close_gaps(lower_ + c * leading_);
}

template <class T>
void DelayedUpdates<T>::add_lower(const ActiveRows& active, int segment, std::int64_t pivots,
                                  const blas::Factor<T>& lower) {
  T* to = lower_ + active.start(segment) + pivots_ * leading_;
  for (std::int64_t c = 0; c < pivots; ++c) {
    std::copy_n(lower.data + c * lower.leading, active.count(segment), to + c * leading_);
  }
}

template <class T>
void DelayedUpdates<T>::add_upper(std::int64_t first, std::int64_t pivots,
                                  const blas::Factor<T>& upper) {
  for (std::int64_t c = first; c < columns_; ++c) {
    std::copy_n(upper.data + (c - first) * upper.leading, pivots, upper_ + pivots_ + c * most_);
  }
}

template class DelayedUpdates<float>;
template class DelayedUpdates<double>;
template class DelayedUpdates<std::complex<float>>;
template class DelayedUpdates<std::complex<double>>;

}  // namespace redblue
