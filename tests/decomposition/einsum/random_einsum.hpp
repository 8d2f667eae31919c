// SPDX-License-Identifier: BSD-3-Clause
// Random summations for tests: letters, operands, extents (0 and 1 included).
#pragma once

#include <map>
#include <random>
#include <string>

#include "redblue/einsum_model.hpp"

namespace redblue::test {

struct RandomEinsum {
  std::string text;
  std::map<std::string, std::int64_t> sizes;
};

// At most `letters` letters, one to four operands of at most four letters, extents up to `extent`.
inline RandomEinsum random_einsum(std::mt19937& random, int letters, std::int64_t extent,
                                  bool empty_ones = false) {
  const auto below = [&random](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned long>(n));
  };
  RandomEinsum result;
  if (below(8) == 0) {  // products of matrices
    result.text = "bij,bjk->bik";
    for (const char c : {'b', 'i', 'j', 'k'})
      result.sizes["N" + std::string(1, c)] = 1 + below(c == 'b' ? 3 * extent : extent);
    return result;
  }
  std::string used;
  const auto operands = 1 + below(4);
  for (std::int64_t o = 0; o < operands; ++o) {
    std::string operand;
    for (char c = 'a'; c < static_cast<char>('a' + letters); ++c) {
      if (below(2) == 0 && operand.size() < 4) operand += c;
    }
    if (operand.empty()) operand = "a";
    std::shuffle(operand.begin(), operand.end(), random);
    for (const char c : operand) {
      if (used.find(c) == std::string::npos) used += c;
    }
    result.text += (o == 0 ? "" : ",") + operand;
  }
  result.text += "->";
  for (const char c : used) {
    if (below(2) == 0) result.text += c;
  }
  for (const char c : used) {
    const std::int64_t size = empty_ones && below(20) == 0 ? 0 : 1 + below(extent);
    result.sizes["N" + std::string(1, c)] = size;
  }
  return result;
}

inline EinsumShape shape_of(const RandomEinsum& e) {
  return einsum_shape(e.text, e.sizes);
}

}  // namespace redblue::test
