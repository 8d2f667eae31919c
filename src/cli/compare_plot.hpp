// A picture of measured times.
#pragma once

#include <string>
#include <vector>

namespace redblue::cli {

struct TimeSeries {
  std::string name;
  std::vector<double> seconds;
};

// An SVG picture: one row per series, a dot per call on a common axis from 0, the median as a line.
std::string times_plot(const std::vector<TimeSeries>& series);

}  // namespace redblue::cli
