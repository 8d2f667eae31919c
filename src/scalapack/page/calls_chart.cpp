// SPDX-License-Identifier: BSD-3-Clause
#include "scalapack/page/calls_chart.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "page/numbers.hpp"

namespace redblue::scalapack {

using namespace page;

namespace {

constexpr double left = 88, top = 36, row = 24, bar = 14;

std::string rectangle(double x, double y, double width, double height) {
  char text[160];
  std::snprintf(text, sizeof text,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                "fill=\"currentColor\"/>\n",
                x, y, width, height);
  return text;
}

std::string seconds_text(double seconds) {
  return short_seconds(seconds) + " s";
}

std::string legend() {
  const auto entry = [](const char* kind, const char* colour, double x, const char* text) {
    return svg_coloured(kind, colour, rectangle(x, 8, 12, 12)) +
           svg_label(x + 18, 19, "start", text);
  };
  return entry("hue0", "#2c5aa0", left, "redblue") +
         entry("hue3", "#97560a", left + 100, "ScaLAPACK");
}

// The bars of one routine and server; those that touch are one.
std::string bars(const std::vector<std::pair<double, double>>& stretches, double y) {
  constexpr double least = 1.5;
  std::string svg;
  for (std::size_t i = 0; i < stretches.size();) {
    const double begin = stretches[i].first;
    double end = begin;
    for (; i < stretches.size() && stretches[i].first <= end + (end > begin ? 0.5 : 0); ++i)
      end = std::max({end, stretches[i].second, begin + least});
    svg += rectangle(begin, y, end - begin, bar);
  }
  return svg;
}

}  // namespace

std::string calls_chart(const ProgramHistory& program, PagePicture place) {
  const std::vector<Span>& spans = program.all.spans;
  const double width = place.width - left - 16;
  const double first = spans.front().begin;
  double last = first;
  std::map<std::string, std::map<bool, std::vector<std::pair<double, double>>>> rows;
  for (const Span& span : spans) last = std::max(last, span.end);
  const double length = std::max(last - first, 1e-9);
  const auto at = [&](double time) { return left + width * (time - first) / length; };
  for (const Span& span : spans)
    rows[span.routine][span.served].emplace_back(at(span.begin), at(span.end));
  const double bottom = top + row * static_cast<double>(rows.size());
  place.height = bottom + 26;
  place.title = "Calls over time";
  place.description = "A row for each of " + std::to_string(rows.size()) +
                      " routines with a bar for each call, by who served it, in " +
                      seconds_text(length) + ". The tables of calls have the sums.";
  std::string svg = svg_begin(place) + legend();
  double y = top;
  for (const auto& [routine, servers] : rows) {
    svg += svg_label(left - 8, y + bar - 2, "end", routine);
    for (const auto& [served, stretches] : servers) {
      svg += svg_coloured(served ? "hue0" : "hue3", served ? "#2c5aa0" : "#97560a",
                          bars(stretches, y));
    }
    y += row;
  }
  for (const double part : {0.0, 0.5, 1.0}) {
    svg += svg_label(left + width * part, bottom + 16,
                     part == 0  ? "start"
                     : part < 1 ? "middle"
                                : "end",
                     seconds_text(length * part));
  }
  return svg + "</svg>\n";
}

}  // namespace redblue::scalapack
