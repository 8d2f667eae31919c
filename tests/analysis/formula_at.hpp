// SPDX-License-Identifier: BSD-3-Clause
// Sizes of a program, and what a printed formula is at them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "redblue/analysis.hpp"

namespace redblue::test {

using SizeMap = std::map<std::string, std::int64_t>;

inline std::string text_of(const SizeMap& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes)
    text += (text.empty() ? "" : ",") + name + "=" + std::to_string(value);
  return text;
}

inline double formula_at(const Formula& formula, const SizeMap& sizes) {
  std::map<std::string, double> values;
  for (const auto& [name, value] : sizes) values[name] = static_cast<double>(value);
  return formula.at(values);
}

}  // namespace redblue::test
