// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/qr/triangles.hpp"

#include <algorithm>
#include <complex>

#include "comm/number.hpp"
#include "linalg/blas/blas.hpp"
#include "linalg/blas/lapack.hpp"

namespace redblue::linalg {

template <class T>
T* pack_upper(std::int64_t width, const T* x, std::int64_t leading, T* packed) {
  for (std::int64_t c = 0; c < width; ++c) packed = std::copy_n(x + c * leading, c + 1, packed);
  return packed;
}

template <class T>
void unpack_upper(std::int64_t width, const T* packed, T* x) {
  for (std::int64_t c = 0; c < width; ++c) {
    std::copy_n(packed, c + 1, x + c * width);
    std::fill_n(x + c * width + c + 1, width - c - 1, T(0));
    packed += c + 1;
  }
}

// V is an identity above an upper triangle, as reflectors leave zeros alone.
template <class T>
void combine(std::int64_t width, T* r, const T* other, T* top, T* bottom, T* scratch) {
  T* const stacked = scratch;
  T* const t = scratch + 2 * width * width;
  for (std::int64_t c = 0; c < width; ++c) {
    std::copy_n(r + c * width, width, stacked + 2 * c * width);
    std::copy_n(other + c * width, width, stacked + (2 * c + 1) * width);
  }
  std::fill_n(t, width * width, T(0));
  lapack::householder(2 * width, width, stacked, 2 * width, t, width);
  for (std::int64_t c = 0; c < width; ++c) {
    std::copy_n(stacked + 2 * c * width, c + 1, r + c * width);
    for (std::int64_t i = 0; i < width; ++i) top[i + c * width] = -t[i + c * width];
    top[c + c * width] += T(1);
  }
  blas::gemm(width, width, width, T(-1), {stacked + width, 2 * width}, {t, width}, T(0), bottom,
             width);
}

template <class T>
void multiply(std::int64_t width, const T* x, const T* y, T* to) {
  blas::gemm(width, width, width, T(1), {x, width}, {y, width}, T(0), to, width);
}

template <class T>
void reconstruct(std::int64_t width, T* q, std::vector<int>& signs, T* t) {
  signs.assign(static_cast<std::size_t>(width), 1);
  for (std::int64_t j = 0; j < width; ++j) {
    T* const column = q + j * width;
    // eliminate with the columns before, then choose the sign
    for (std::int64_t k = 0; k < j; ++k) {
      const T u = column[k];
      const T* const l = q + k * width;
      for (std::int64_t i = k + 1; i < width; ++i) column[i] -= l[i] * u;
    }
    if (std::real(column[j]) >= 0) signs[static_cast<std::size_t>(j)] = -1;
    column[j] -= T(static_cast<decltype(std::real(T{}))>(signs[static_cast<std::size_t>(j)]));
    const T inverse = T(1) / column[j];
    for (std::int64_t i = j + 1; i < width; ++i) column[i] *= inverse;
  }
  for (std::int64_t j = 0; j < width; ++j) {
    const int sign = signs[static_cast<std::size_t>(j)];
    for (std::int64_t i = 0; i < width; ++i) {
      const T u = q[i + j * width];
      t[i + j * width] = i > j ? T(0) : sign > 0 ? -u : u;
    }
  }
  lapack::solve({lapack::Side::right, 'L', 'C', true}, width, width, q, width, t, width);
}

template <class T>
void triangle_of(std::int64_t width, const T* gram, const T* tau, T* t) {
  for (std::int64_t j = 0; j < width; ++j) {
    T* const column = t + j * width;
    std::fill_n(column, width, T(0));
    for (std::int64_t k = 0; k < j; ++k) {
      const T g = gram[k + j * width] * tau[j];
      for (std::int64_t i = 0; i <= k; ++i) column[i] -= t[i + k * width] * g;
    }
    column[j] = tau[j];
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define REDBLUE_INSTANTIATE(T)                                        \
  template T* pack_upper(std::int64_t, const T*, std::int64_t, T*);   \
  template void unpack_upper(std::int64_t, const T*, T*);             \
  template void combine(std::int64_t, T*, const T*, T*, T*, T*);      \
  template void multiply(std::int64_t, const T*, const T*, T*);       \
  template void reconstruct(std::int64_t, T*, std::vector<int>&, T*); \
  template void triangle_of(std::int64_t, const T*, const T*, T*);
// NOLINTEND(bugprone-macro-parentheses)
REDBLUE_FOR_ALL_NUMBERS(REDBLUE_INSTANTIATE)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::linalg
