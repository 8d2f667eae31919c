// SPDX-License-Identifier: BSD-3-Clause
#include "cli/svg.hpp"

#include <fmt/core.h>

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

}  // namespace redblue::cli
