// SPDX-License-Identifier: BSD-3-Clause
// Rows of a few columns, copied.
#pragma once

#include <algorithm>
#include <cstdint>

namespace redblue::linalg {

// rows x width from one place to another; leading dimensions in elements.
template <class T>
void copy_rows(std::int64_t rows, std::int64_t width, const T* from, std::int64_t leading, T* to,
               std::int64_t leading_to) {
  for (std::int64_t c = 0; c < width; ++c)
    std::copy_n(from + c * leading, rows, to + c * leading_to);
}

}  // namespace redblue::linalg
