// SPDX-License-Identifier: BSD-3-Clause
#include "cli/svg.hpp"

#include <fmt/core.h>

#include <cmath>

namespace redblue::cli {

std::string svg_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c == '<' ? std::string("&lt;") : c == '&' ? std::string("&amp;") : std::string(1, c);
  }
  return result;
}

std::string svg_begin(const std::string& title, double width, double height, double left) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n<title>{3}</title>\n<text x=\"{2}\" y=\"24\" "
      "font-weight=\"bold\">{3}</text>\n",
      width, height, left, svg_text(title));
}

std::string svg_line(double x1, double y1, double x2, double y2, const std::string& style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1,
                     x2, y2, style);
}

std::string svg_label(double x, double y, const std::string& anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     svg_text(text));
}

double LogAxis::at(double value) const {
  return std::log(value / low) / std::log(high / low);
}

std::vector<double> LogAxis::ticks() const {
  const double decades = std::log10(high / low);
  const double base = decades <= 3 ? 2 : decades <= 12 ? 10 : 1000;
  std::vector<double> result;
  for (double v = std::pow(base, std::ceil(std::log(low) / std::log(base))); v <= high * 1.0001;
       v *= base)
    result.push_back(v);
  return result;
}

}  // namespace redblue::cli
