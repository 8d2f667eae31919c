// SPDX-License-Identifier: BSD-3-Clause
#include "cli/analysis/count_plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "page/svg.hpp"

namespace redblue::cli {

using namespace page;

namespace {

constexpr double left = 60, width = 560, top = 60, height = 220, gap = 60;
constexpr const char* colour = "#2c5aa0";

// Where a number of processes stands on the horizontal axis that ends at `most`.
double across(double processes, double most) {
  return left + width * std::log2(processes) / std::log2(most);
}

// A frame from y = `above` down, with powers of two below it, every second one and so on where
// there are many.
std::string frame(double above, double most, const std::string& what) {
  constexpr const char* pale = "stroke=\"#dddddd\"";
  std::string svg = svg_label(left, above - 8, "start", what);
  const int powers = static_cast<int>(std::log2(most));
  const int each = powers / 10 + 1;
  for (int power = 0; power <= powers; power += each) {
    const double x = across(std::exp2(power), most);
    svg += svg_line(x, above, x, above + height, pale);
    svg += svg_label(x, above + height + 18, "middle", std::to_string(std::int64_t{1} << power));
  }
  return svg + svg_line(left, above + height, left + width, above + height, "stroke=\"#888888\"");
}

template <class Value>
std::string curve(const std::vector<EfficiencyPoint>& points, double most, const Value& y_of) {
  std::string places;
  for (const EfficiencyPoint& point : points) {
    places += fmt::format("{:.1f},{:.1f} ", across(static_cast<double>(point.processes), most),
                          y_of(point));
  }
  return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n",
                     places, colour);
}

}  // namespace

std::vector<std::int64_t> plotted_processes(std::int64_t most) {
  std::set<std::int64_t> result = {1, most};
  for (std::int64_t p = 1; p <= std::min<std::int64_t>(16, most); ++p) result.insert(p);
  for (double p = 16; p < static_cast<double>(most); p *= std::exp2(0.125))
    result.insert(static_cast<std::int64_t>(std::llround(p)));
  return {result.begin(), result.end()};
}

std::string efficiency_plot(const std::string& title, const std::vector<EfficiencyPoint>& points,
                            std::int64_t useful) {
  const auto most = static_cast<double>(points.back().processes);
  const double second = top + height + gap, bottom = second + height;
  std::string svg = svg_begin(title, width + 2 * left, bottom + 70, left);
  // Speedups below 1 lie on the axis.
  const auto speedup_at = [&](double speedup) {
    return top + height * (1 - std::log2(std::max(1.0, speedup)) / std::log2(most));
  };
  svg += frame(top, most, "speedup T(1) / T(p); dashed: p");
  for (double power = 1; power <= most;
       power *= std::max(2.0, std::exp2(std::floor(std::log2(most) / 5))))
    svg += svg_label(left - 6, speedup_at(power) + 4, "end", fmt::format("{:g}", power));
  svg += svg_line(left, speedup_at(1), left + width, speedup_at(most),
                  "stroke=\"#888888\" stroke-dasharray=\"5 4\"");
  svg += curve(points, most, [&](const EfficiencyPoint& p) {
    return speedup_at(p.efficiency * static_cast<double>(p.processes));
  });
  svg += frame(second, most, "efficiency T(1) / (p T(p))");
  for (const double tick : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    const double y = bottom - height * tick;
    svg += svg_line(left, y, left + width, y, "stroke=\"#dddddd\"");
    svg += svg_label(left - 6, y + 4, "end", fmt::format("{:g}", tick));
  }
  svg += curve(points, most, [&](const EfficiencyPoint& p) {
    return bottom - height * std::clamp(p.efficiency, 0.0, 1.0);
  });
  if (useful > 1 && useful <= points.back().processes) {
    const double x = across(static_cast<double>(useful), most);
    svg += svg_line(x, top, x, bottom, "stroke=\"#c0392b\" stroke-dasharray=\"2 3\"");
    svg += svg_label(x, bottom + 36, "middle", fmt::format("largest useful p: {}", useful));
  }
  svg += svg_label(left + width, bottom + 58, "end", "p, processes or threads");
  return svg + "</svg>\n";
}

}  // namespace redblue::cli
