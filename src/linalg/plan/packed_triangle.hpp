// SPDX-License-Identifier: BSD-3-Clause
// Diagonal blocks as they travel: a triangle without gaps.
#pragma once

#include <algorithm>
#include <cstdint>

namespace redblue::linalg {

// The triangle of a square block of order n, by columns, without gaps; returns the end of it.
template <class T>
T* pack_triangle(const T* square, std::int64_t leading, std::int64_t n, bool lower, T* packed) {
  for (std::int64_t c = 0; c < n; ++c) {
    const std::int64_t first = lower ? c : 0;
    packed = std::copy_n(square + first + c * leading, lower ? n - c : c + 1, packed);
  }
  return packed;
}

// Back to a square block with leading dimension n, the other triangle of which stays as it is.
template <class T>
void unpack_triangle(const T* packed, std::int64_t n, bool lower, T* square) {
  for (std::int64_t c = 0; c < n; ++c) {
    const std::int64_t count = lower ? n - c : c + 1;
    std::copy_n(packed, count, square + (lower ? c : 0) + c * n);
    packed += count;
  }
}

}  // namespace redblue::linalg
