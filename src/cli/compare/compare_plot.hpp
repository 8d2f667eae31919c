// SPDX-License-Identifier: BSD-3-Clause
// A picture of measured times.
#pragma once

#include <string>
#include <vector>

namespace redblue::cli {

struct TimeSeries {
  std::string name;
  std::vector<double> seconds;  // first call first
  double median = 0;            // of the calls that count
};

// An SVG picture: one row per series, a dot per call on a common axis from 0 (the first call's is
// hollow), the median as a line; above them `title`, below them what the signs mean.
std::string times_plot(const std::string& title, const std::vector<TimeSeries>& series);

}  // namespace redblue::cli
