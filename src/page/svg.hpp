// SPDX-License-Identifier: BSD-3-Clause
// Pieces of SVG that several pictures need.
#pragma once

#include <string>
#include <vector>

#include "page/numbers.hpp"

namespace redblue::page {

// `text` as the content of an element.
std::string svg_text(const std::string& text);

// The head of a picture on white, with its title shown at the top, `left` from the border.
std::string svg_begin(const std::string& title, double width, double height, double left);

// Where a picture stands in a page: it scales with its column, has the page's colours and no
// background, and says in words what it shows to who cannot see it. `id`: of no other picture.
struct PagePicture {
  std::string id, title, description;
  double width = 760, height = 320;  // its own units: pixels where the column is as wide
};

// As wide as a page's column, and as a telephone's screen; the second's id ends in "-narrow".
PagePicture wide_picture(const std::string& id, double height = 0);
PagePicture narrow_picture(const std::string& id, double height = 0);

// The head of a picture in a page; colours are then those that the page gives to the classes.
std::string svg_begin(const PagePicture& picture);

// `style`: attributes, stroke="#dddddd".
std::string svg_line(double x1, double y1, double x2, double y2, const std::string& style);

// Text whose start, middle or end (`anchor`) stands at x.
std::string svg_label(double x, double y, const std::string& anchor, const std::string& text);

// The same with a rim of the background's colour, to be read on lines.
std::string svg_label_on_lines(double x, double y, const std::string& anchor,
                               const std::string& text);

// What is drawn in one colour: `colour`, or what a page gives to the class. Its elements say
// currentColor.
std::string svg_coloured(const std::string& kind, const std::string& colour,
                         const std::string& elements);

// A circle at a point of a chart, of the background's colour inside where not filled.
std::string svg_point(double x, double y, bool filled);

// A diamond in its place.
std::string svg_diamond(double x, double y, bool filled);

// Moves numbers that lie nearer together than `apart` away from each other, all between `from` and
// `to` as far as there is room; keeps their order and the places in the vector.
void spread(std::vector<double>& places, double apart, double from, double to);

// A logarithmic axis from `low` to `high`.
struct LogAxis {
  double low, high;
  double at(double value) const;              // 0 to 1
  std::vector<double> ticks() const;          // powers of 2, 10 or 1000
  std::vector<double> decimal_ticks() const;  // 1, 2, 5 and 10 times powers of ten, or some powers
};

}  // namespace redblue::page
