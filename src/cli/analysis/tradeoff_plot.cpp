// SPDX-License-Identifier: BSD-3-Clause
#include "cli/analysis/tradeoff_plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/output.hpp"
#include "page/svg.hpp"

namespace redblue::cli {

using namespace page;

namespace {

constexpr double left = 90, width = 520, top = 64, height = 240, gap = 76;
constexpr const char* pale = "stroke=\"#dddddd\"";

std::string frame(double above, const TradeoffProduct& product) {
  double most_s = 1, low = product.curve.front().second, high = low;
  for (const auto& [s, least] : product.curve) {
    most_s = std::max(most_s, static_cast<double>(s));
    low = std::min(low, least);
    high = std::max(high, least);
  }
  const LogAxis across{1, std::max(2.0, most_s)};
  const LogAxis up{std::max(1.0, low / 1.3), std::max(high * 1.3, 2 * std::max(1.0, low))};
  std::string svg = svg_label(left, above - 10, "start", product.formula);
  for (const double v : across.ticks()) {
    const double x = left + width * across.at(v);
    svg += svg_line(x, above, x, above + height, pale);
    svg += svg_label(x, above + height + 18, "middle", fmt::format("{:g}", v));
  }
  for (const double v : up.ticks()) {
    const double y = above + height * (1 - up.at(v));
    svg += svg_line(left, y, left + width, y, pale);
    svg += svg_label(left - 6, y + 4, "end", fmt::format("{:g}", v));
  }
  svg += svg_line(left, above + height, left + width, above + height, "stroke=\"#888888\"");
  std::string places;
  for (const auto& [s, least] : product.curve) {
    if (s < 1 || least < up.low) continue;
    places += fmt::format("{:.1f},{:.1f} ", left + width * across.at(static_cast<double>(s)),
                          above + height * (1 - up.at(least)));
  }
  svg += fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke=\"#2c5aa0\" stroke-width=\"2\"/>\n", places);
  const std::string what = product.name.substr(0, 1) == "F" ? "F, vertices computed" : "W, words";
  return svg + svg_label(left + width, above + height + 36, "end",
                         "S, synchronisations; upwards: least " + what + " on one path");
}

}  // namespace

std::string tradeoff_plot(const std::string& title, const std::vector<TradeoffProduct>& products) {
  const auto frames = static_cast<double>(products.size());
  std::string svg = svg_begin(title, width + 2 * left, top + frames * (height + gap), left);
  double above = top;
  for (const TradeoffProduct& product : products) {
    svg += frame(above, product);
    above += height + gap;
  }
  return svg + "</svg>\n";
}

}  // namespace redblue::cli
