// SPDX-License-Identifier: BSD-3-Clause
// Strong types for counts, so that words, bytes and ranks cannot be mixed up.
#pragma once

#include <compare>
#include <cstdint>

namespace redblue {

// A count of one kind of thing, 64 bits wide. Quantities of one kind add, subtract and compare;
// scaling by a plain number keeps the kind.
template <class Tag>
struct Quantity {
  std::int64_t value = 0;

  constexpr Quantity() = default;
  constexpr explicit Quantity(std::int64_t v) : value(v) {}

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity o) { return value += o.value, *this; }
  constexpr Quantity& operator-=(Quantity o) { return value -= o.value, *this; }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }
  friend constexpr Quantity operator*(std::int64_t s, Quantity a) { return Quantity(s * a.value); }
};

using Words = Quantity<struct WordsTag>;        // matrix elements, whatever their type
using Bytes = Quantity<struct BytesTag>;        // 8-bit bytes
using Messages = Quantity<struct MessagesTag>;  // point-to-point messages

// A process of a communicator, counted from 0.
struct Rank {
  int value = 0;
  constexpr auto operator<=>(const Rank&) const = default;
};

// Half-open: begin <= x < end.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

}  // namespace redblue
