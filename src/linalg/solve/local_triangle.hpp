// SPDX-License-Identifier: BSD-3-Clause
// A rank's part of a triangular matrix that a grid of ranks holds in square blocks.
#pragma once

#include <cstdint>

#include "decomposition/cyclic_classes.hpp"
#include "layout/index_set.hpp"

namespace redblue::linalg {

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

}  // namespace redblue::linalg
