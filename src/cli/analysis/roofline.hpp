// SPDX-License-Identifier: BSD-3-Clause
// Rooflines [williams2009] that end where a proof ends them: the picture that `redblue measure
// --picture` draws, and the charts of a page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "page/svg.hpp"
#include "redblue/measure.hpp"

namespace redblue::cli {

// What a machine file says of the processor; 0: nothing.
struct Roof {
  double operations_per_second = 0;
  std::vector<double> words_per_second;  // of each level of the measurement, to what is below it
};

struct RooflinePoint {
  double intensity, rate;  // operations per word and per second
  std::string name;
  bool filled;
  bool timed = false;  // a diamond, beside circles that nothing was timed for
};

// Operations against the words that one cache moves.
struct RooflineLevel {
  std::string name;
  std::int64_t capacity = 0;    // words
  double most = 0;              // operations per word: the operations over the bound; 0: none
  double words_per_second = 0;  // to what is below it; 0: unknown
  std::vector<RooflinePoint> points;
  std::string no_points;  // why
};

// The original and the schedule as measured.
std::vector<RooflineLevel> roofline_levels(const Measurement& measurement, const Roof& roof);

// An SVG with a roofline per level: operations per second against operations per word moved, both
// logarithmic. It ends on the right at the operations over the bound, which no order exceeds.
// `peak`: operations per second; 0: unknown.
std::string roofline(const std::string& program, const std::vector<RooflineLevel>& levels,
                     double peak);

// Of one level, for a page.
std::string roofline_chart(const RooflineLevel& level, double peak, page::PagePicture place);

}  // namespace redblue::cli
