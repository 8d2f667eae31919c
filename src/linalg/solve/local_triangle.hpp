// SPDX-License-Identifier: BSD-3-Clause
// A rank's part of a triangular matrix that a grid of ranks holds in square blocks, and its
// diagonal blocks as they travel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "decomposition/cyclic_classes.hpp"
#include "layout/index_set.hpp"

namespace redblue::linalg {

// The ranks that store op(T): of (replica, row class, column class) at
// [(replica * grid_rows + row) * grid_columns + column].
using GridRanks = std::vector<int>;

// The indices of a class.
inline layout::IndexSet indices_of(const CyclicClasses& classes, int c) {
  return layout::local_indices({classes.block, 0, classes.classes, classes.block}, c, 0,
                               classes.extent);
}

// This rank's part of T: block (s, t) of op(T) starts at the positions of s and t in their classes;
// where op is not 'N', `data` holds op(T) row-major.
template <class T>
struct LocalTriangle {
  const T* data;
  std::int64_t leading;
  char op;    // 'N', 'T' or 'C'
  bool unit;  // ones on the diagonal, not read

  // Element of op(T) at these positions in this rank's classes.
  const T* at(std::int64_t row, std::int64_t column) const {
    return data + (op == 'N' ? row + column * leading : column + row * leading);
  }
  // Whether T itself is lower triangular, where op(T) is solved for backward or forward.
  bool lower(bool backward) const { return backward != (op == 'N'); }
};

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
