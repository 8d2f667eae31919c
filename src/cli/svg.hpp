// SPDX-License-Identifier: BSD-3-Clause
// Pieces of SVG that several pictures need.
#pragma once

#include <string>
#include <vector>

namespace redblue::cli {

// `text` as the content of an element.
std::string svg_text(const std::string& text);

// The head of a picture on white, with its title shown at the top, `left` from the border.
std::string svg_begin(const std::string& title, double width, double height, double left);

// `style`: attributes, stroke="#dddddd".
std::string svg_line(double x1, double y1, double x2, double y2, const std::string& style);

// Text whose start, middle or end (`anchor`) stands at x.
std::string svg_label(double x, double y, const std::string& anchor, const std::string& text);

// A logarithmic axis from `low` to `high`.
struct LogAxis {
  double low, high;
  double at(double value) const;      // 0 to 1
  std::vector<double> ticks() const;  // powers of 2, 10 or 1000
};

}  // namespace redblue::cli
