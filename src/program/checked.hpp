// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on sizes in 64 bits: a result that does not fit throws Error instead of wrapping.
#pragma once

#include <isl/val.h>

#include <cstdint>
#include <optional>

namespace redblue::program {

[[noreturn]] void beyond_64_bits();

inline std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) beyond_64_bits();
  return result;
}

inline std::int64_t difference(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) beyond_64_bits();
  return result;
}

inline std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) beyond_64_bits();
  return result;
}

// A whole number of isl's, which have no limit; `value` stays the caller's.
std::int64_t to_64_bits(isl_val* value);

// Takes isl's value: nothing where there is none, or it is no whole number (a bound that does not
// exist).
std::optional<std::int64_t> whole_number(isl_val* value);

}  // namespace redblue::program
