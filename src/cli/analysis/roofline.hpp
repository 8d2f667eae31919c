// SPDX-License-Identifier: BSD-3-Clause
// The picture that `redblue measure --picture` draws.
#pragma once

#include <string>
#include <vector>

#include "redblue/measure.hpp"

namespace redblue::cli {

// What a machine file says of the processor; 0: nothing.
struct Roof {
  double operations_per_second = 0;
  std::vector<double> words_per_second;  // of each level of the measurement, to what is below it
};

// An SVG with a roofline [williams2009] per level: operations per second against operations per
// word moved, both logarithmic; the original and the schedule as points. It ends on the right where
// the proof ends it: at the operations over the bound, which no order exceeds.
std::string roofline(const Measurement& measurement, const Roof& roof);

}  // namespace redblue::cli
