// SPDX-License-Identifier: BSD-3-Clause
#include "cli/compare/compare_plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "page/svg.hpp"

namespace redblue::cli {

using namespace page;

namespace {

constexpr double left = 20, width = 640, top = 50, row = 56;

// The largest of 1, 2, 5 times a power of ten that leaves at least three steps in `range`.
double step_of(double range) {
  const double power = std::pow(10, std::floor(std::log10(range / 3)));
  for (const double factor : {5.0, 2.0}) {
    if (factor * power <= range / 3) return factor * power;
  }
  return power;
}

}  // namespace

std::string times_plot(const std::string& title, const std::vector<TimeSeries>& series) {
  double most = 1e-9;
  for (const TimeSeries& s : series) {
    most = std::max(most, *std::max_element(s.seconds.begin(), s.seconds.end()));
  }
  const double scale = width / (1.05 * most);
  const double bottom = top + row * static_cast<double>(series.size());
  std::string svg = svg_begin(title, width + 2 * left, bottom + 75, left);
  const double step = step_of(1.05 * most);
  for (int tick = 0; tick * step <= 1.05 * most; ++tick) {
    const double at = tick * step;
    const double x = left + at * scale;
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#dddddd\"/>\n"
        "<text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4:g}</text>\n",
        x, top, bottom, bottom + 18, at);
  }
  svg += fmt::format(
      "<text x=\"{0}\" y=\"{1}\">seconds per call</text>\n"
      "<text x=\"{0}\" y=\"{2}\">hollow: the first call, which also plans; filled: later calls; "
      "line: the median of the later calls</text>\n",
      left, bottom + 40, bottom + 62);
  for (std::size_t i = 0; i < series.size(); ++i) {
    const double y = top + row * (static_cast<double>(i) + 0.65);
    const char* colour = i == 0 ? "#c0392b" : "#2c5aa0";
    svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\">{}</text>\n", left, y - 18,
                       svg_text(series[i].name));
    const double middle = left + series[i].median * scale;
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\" "
        "stroke-width=\"2\"/>\n",
        middle, y - 11, y + 11, colour);
    for (std::size_t call = 0; call < series[i].seconds.size(); ++call) {
      svg += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" stroke=\"{}\" fill=\"{}\" "
          "fill-opacity=\"0.5\"/>\n",
          left + series[i].seconds[call] * scale, y, colour, call == 0 ? "none" : colour);
    }
  }
  return svg + "</svg>\n";
}

}  // namespace redblue::cli
