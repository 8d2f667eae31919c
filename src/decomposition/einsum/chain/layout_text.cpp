// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cctype>

#include "redblue/einsum_model.hpp"
#include "redblue/error.hpp"

namespace redblue {

namespace {

std::vector<std::int64_t> numbers(const std::string& text, const std::string& whole) {
  std::vector<std::int64_t> result;
  std::string digits;
  for (const char c : text + "x") {
    if (c != 'x') {
      digits += c;
      continue;
    }
    constexpr std::size_t most_digits = 9;
    const bool is_number = !digits.empty() && digits.size() <= most_digits &&
                           std::all_of(digits.begin(), digits.end(), [](char d) {
                             return std::isdigit(static_cast<unsigned char>(d)) != 0;
                           });
    if (!is_number)
      throw Error("layout '" + whole + "'", "'" + digits + "' is no number",
                  "write a grid, or a grid and blocks, as 2x2 or 2x2/64x64");
    result.push_back(std::stoll(digits));
    digits.clear();
  }
  return result;
}

}  // namespace

EinsumLayout einsum_layout(const std::string& text) {
  const std::size_t slash = text.find('/');
  EinsumLayout layout;
  for (const std::int64_t g : numbers(text.substr(0, slash), text))
    layout.grid.push_back(static_cast<int>(g));
  if (slash != std::string::npos) layout.block = numbers(text.substr(slash + 1), text);
  return layout;
}

}  // namespace redblue
