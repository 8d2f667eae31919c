// SPDX-License-Identifier: BSD-3-Clause
// Random arrangements of a matrix, and what each element of their ranks' arrays is, one by one.
#pragma once

#include <complex>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/number.hpp"
#include "layout/arrangement.hpp"
#include "linalg/random_layouts.hpp"

namespace redblue::comm {

using Element = std::pair<std::int64_t, std::int64_t>;

// A small integer, so that sums are exact in any order; of complex numbers both parts.
template <class T>
T small_number(std::int64_t seed, std::int64_t row, std::int64_t column) {
  const std::int64_t mixed = 7 * row * row + 13 * row * column + 29 * column + 31 * seed;
  const auto real = static_cast<int>(mixed % 9) - 4;
  if constexpr (std::is_floating_point_v<T> || std::is_integral_v<T>) {
    return static_cast<T>(real);
  } else {
    using R = decltype(std::abs(T{}));
    return T(static_cast<R>(real), static_cast<R>(mixed % 5) - R(2));
  }
}

// Block-cyclic or in blocks of any size, or either of the transposed matrix, seen from the other
// side; each rank's leading dimension is its own.
inline layout::Arrangement random_arrangement(Dice& dice, std::int64_t rows, std::int64_t columns,
                                              const Communicator& world) {
  const int ranks = world.size();
  if (dice.one_in(3)) {
    return layout::transposed(
        layout::arrangement(random_layout(dice, columns, rows, ranks, world.rank()), ranks));
  }
  return layout::arrangement(random_layout(dice, rows, columns, ranks, world.rank()), ranks);
}

// The rank's elements and where they stand.
inline std::map<Element, std::int64_t> places(const std::vector<layout::Patch>& patches,
                                              layout::Part part = layout::Part::all) {
  std::map<Element, std::int64_t> result;
  layout::for_each_element(patches, [&](auto row, auto column, auto place) {
    if (part == layout::Part::lower ? row < column : part == layout::Part::upper && row > column) {
      return;
    }
    result[{row, column}] = place;
  });
  return result;
}

inline std::size_t array_size(const std::vector<layout::Patch>& patches) {
  std::int64_t size = 0;
  for (const layout::Patch& p : patches) size = std::max(size, layout::extent(p));
  return static_cast<std::size_t>(size);
}

// The array with which patches hold value(row, column); `between` where they hold nothing.
template <class T, class Value>
std::vector<T> filled(const std::vector<layout::Patch>& patches, T between, Value value) {
  std::vector<T> array(array_size(patches), between);
  for (const layout::Patch& p : patches) {
    layout::for_each_element({p}, [&](auto row, auto column, auto place) {
      const T x = value(row, column);
      array[static_cast<std::size_t>(place)] = p.conjugated ? conjugated(x) : x;
    });
  }
  return array;
}

}  // namespace redblue::comm
