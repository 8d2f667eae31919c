// SPDX-License-Identifier: BSD-3-Clause
// One rank's rows of a panel of LU as they are sent along its grid row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "comm/communicator.hpp"
#include "redblue/units.hpp"

namespace redblue::linalg {

// Words of T that so many row numbers take in a message.
template <class T>
constexpr std::int64_t words_of_numbers(std::int64_t count) {
  constexpr auto word = static_cast<std::int64_t>(sizeof(T));
  return (count * static_cast<std::int64_t>(sizeof(std::int64_t)) + word - 1) / word;
}

// The message of a panel of `width` columns K from a rank with active rows R. Head, the same from
// all ranks of the panel:
//
//   numbers of the pivots P    `width` of them, in words of T
//   L(P, K) and U's diagonal   lower triangle of a square, packed by columns
//
// then
//
//   L(R, K)                    |R| x width, column-major without gaps
template <class T>
struct PanelMessage {
  T* words;
  std::int64_t width;

  // Room for any panel of `block` columns of these rows.
  static std::int64_t most_words(std::int64_t block, std::int64_t rows) {
    return words_of_numbers<T>(block) + block * (block + rows);
  }

  std::int64_t head_words() const { return words_of_numbers<T>(width) + width * (width + 1) / 2; }
  T* lower() const { return words + head_words(); }

  comm::Run head() const { return {0, head_words()}; }
  // Of L(R, K), some columns.
  comm::Run columns(std::int64_t rows, const Range& c) const {
    return {head_words() + rows * c.begin, rows * c.size()};
  }

  // `square`: L and U of the pivots' square, width x width.
  void write_head(const std::vector<std::int64_t>& pivots, const std::vector<T>& square) const {
    std::memcpy(static_cast<void*>(words), pivots.data(), pivots.size() * sizeof(std::int64_t));
    T* next = words + words_of_numbers<T>(width);
    for (std::int64_t c = 0; c < width; ++c) {
      next = std::copy_n(square.begin() + c * (width + 1), width - c, next);
    }
  }
  // What is above the diagonal of `square` is left as it is.
  void read_head(std::vector<std::int64_t>& pivots, std::vector<T>& square) const {
    pivots.resize(static_cast<std::size_t>(width));
    std::memcpy(pivots.data(), words, pivots.size() * sizeof(std::int64_t));
    const T* next = words + words_of_numbers<T>(width);
    square.resize(static_cast<std::size_t>(width * width));
    for (std::int64_t c = 0; c < width; ++c) {
      std::copy_n(next, width - c, square.begin() + c * (width + 1));
      next += width - c;
    }
  }
};

}  // namespace redblue::linalg
