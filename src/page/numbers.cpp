// SPDX-License-Identifier: BSD-3-Clause
#include "page/numbers.hpp"

#include <fmt/core.h>

#include <cmath>
#include <iterator>

namespace redblue::page {

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t sign = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > sign + 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string grouped(double number) {
  if (std::abs(number) > 9e15) return fmt::format("{:.4e}", number);
  return grouped(static_cast<std::int64_t>(std::llround(number)));
}

std::string short_number(double number) {
  constexpr double many = 1e5;
  if (number < 1) return fmt::format("{:.2g}", number);
  if (number < 100 && number != std::floor(number)) return fmt::format("{:.3g}", number);
  if (number < many) return grouped(number);
  const char* units[] = {"k", "M", "G", "T", "P", "E"};
  std::size_t unit = 0;
  double part = number / 1e3;
  for (; part >= 999.5 && unit + 1 < std::size(units); ++unit) part /= 1e3;
  return part < 1e4 ? fmt::format("{:.3g} {}", part, units[unit]) : fmt::format("{:.3g}", number);
}

std::string short_seconds(double seconds) {
  return fmt::format("{:.3g}", seconds);
}

std::string time_text(double seconds) {
  return seconds >= 1       ? fmt::format("{:.3g} s", seconds)
         : seconds >= 0.001 ? fmt::format("{:.3g} ms", 1e3 * seconds)
                            : fmt::format("{:.3g} \u00b5s", 1e6 * seconds);
}

std::string ratio_text(double words, double bound, int digits) {
  if (bound > 0) return fmt::format("{:.{}f}", words / bound, digits);
  return words == 0 ? fmt::format("{:.{}f}", 1.0, digits) : "-";
}

}  // namespace redblue::page
