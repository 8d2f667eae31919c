// SPDX-License-Identifier: BSD-3-Clause
#include "cli/plots/timeline_plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "cli/svg.hpp"

namespace redblue::cli {

using task_graph::Action;
using task_graph::Piece;

namespace {

constexpr double left = 70, width = 1000, top = 66, bar = 14, thin = 6, row = 30;
constexpr std::size_t most_rows = 64;

enum Colour : std::size_t { computing, waiting, together };
constexpr std::array<const char*, 3> colours = {"#2c5aa0", "#f2c6a0", "#999999"};

struct Stretch {
  Colour colour;
  double begin, end;
};

// Along an axis of `seconds`: in each column, a pixel wide, what took most of it.
std::string bars(const std::vector<Stretch>& stretches, double seconds, double y, double height) {
  constexpr auto columns = static_cast<std::size_t>(width);
  std::vector<std::array<double, colours.size()>> shares(columns);
  const double per_column = seconds / width;
  for (const Stretch& s : stretches) {
    const double first = std::clamp(s.begin / per_column, 0.0, width);
    const double last = std::clamp(s.end / per_column, 0.0, width);
    for (auto c = static_cast<std::size_t>(first); c < columns && static_cast<double>(c) < last;
         ++c) {
      const auto column = static_cast<double>(c);
      shares[c][s.colour] += std::min(last, column + 1) - std::max(first, column);
    }
  }
  const auto colour_of = [&](std::size_t c) -> std::size_t {
    if (c == columns) return colours.size();
    const auto most = std::max_element(shares[c].begin(), shares[c].end());
    constexpr double half = 0.5;
    double all = 0;
    for (const double x : shares[c]) all += x;
    return all < half ? colours.size() : static_cast<std::size_t>(most - shares[c].begin());
  };
  std::string svg;
  for (std::size_t c = 0; c < columns;) {
    const std::size_t first = c;
    const std::size_t colour = colour_of(c);
    while (c < columns && colour_of(c) == colour) ++c;
    if (colour == colours.size()) continue;
    svg += fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
                       left + static_cast<double>(first), y, c - first, height, colours[colour]);
  }
  return svg;
}

std::vector<Stretch> predicted(const std::vector<Piece>& pieces) {
  std::vector<Stretch> result;
  for (const Piece& p : pieces) {
    const Colour colour = p.kind == Piece::Kind::compute ? computing
                          : p.kind == Piece::Kind::wait  ? waiting
                                                         : together;
    result.push_back({colour, p.begin, p.end});
  }
  return result;
}

std::vector<Stretch> measured(const std::vector<Action>& actions) {
  std::vector<Stretch> result;
  for (const Action& a : actions) {
    if (a.kind == Action::Kind::compute) result.push_back({computing, a.begin, a.end});
    if (a.kind == Action::Kind::wait) result.push_back({waiting, a.begin, a.end});
    if (a.kind == Action::Kind::collective) result.push_back({together, a.begin, a.end});
  }
  return result;
}

double middle_of(int rank) {
  return top + row * rank + bar / 2;
}

// The critical path; a message goes from its sender's row to its receiver's.
std::string path_line(const std::vector<Piece>& path, double seconds, std::size_t rows) {
  std::string points;
  std::pair<double, double> last = {-1, -1};
  const auto add = [&](double time, int rank) {
    if (static_cast<std::size_t>(rank) >= rows) return;
    const std::pair point = {left + width * time / seconds, middle_of(rank)};
    constexpr double near = 0.5;
    if (std::abs(point.first - last.first) < near && point.second == last.second) return;
    points += fmt::format("{:.1f},{:.1f} ", point.first, point.second);
    last = point;
  };
  for (const Piece& p : path) {
    add(p.begin, p.kind == Piece::Kind::collective ? p.peer : p.rank);
    add(p.end, p.kind == Piece::Kind::message ? p.peer : p.rank);
  }
  return fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke=\"#c0392b\" stroke-width=\"1.5\"/>\n", points);
}

std::string legend() {
  std::string svg;
  double x = left;
  const auto entry = [&](const char* colour, const char* text, double room) {
    svg += fmt::format("<rect x=\"{}\" y=\"36\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x,
                       colour);
    svg += svg_label(x + 18, 47, "start", text);
    x += room;
  };
  entry(colours[computing], "computes", 110);
  entry(colours[waiting], "waits for messages", 170);
  entry(colours[together], "waits for all", 130);
  entry("#c0392b", "critical path", 130);
  return svg;
}

}  // namespace

std::string timeline_plot(const std::string& title, const task_graph::Execution& execution,
                          const task_graph::Timeline& timeline) {
  const std::size_t rows = std::min(most_rows, execution.ranks.size());
  const double seconds = std::max({timeline.seconds, execution.seconds, 1e-12});
  const double bottom = top + row * static_cast<double>(rows);
  std::string svg = svg_begin(title, width + 2 * left, bottom + 50, left) + legend();
  for (std::size_t r = 0; r < rows; ++r) {
    const double y = top + row * static_cast<double>(r);
    svg += svg_label(left - 8, y + bar - 2, "end", fmt::format("rank {}", r));
    svg += bars(predicted(timeline.ranks[r]), seconds, y, bar);
    if (execution.seconds > 0) {
      svg += bars(measured(execution.ranks[r].actions), seconds, y + bar + 2, thin);
    }
  }
  svg += path_line(timeline.path, seconds, rows);
  for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    svg += svg_label(left + width * part, bottom + 18, "middle",
                     fmt::format("{:.3g} s", seconds * part));
  }
  std::string below = execution.seconds > 0 ? "predicted; the thin bars are measured" : "predicted";
  if (rows < execution.ranks.size()) {
    below += fmt::format("; the first {} of {} ranks", rows, execution.ranks.size());
  }
  svg += svg_label(left, bottom + 40, "start", below);
  return svg + "</svg>\n";
}

}  // namespace redblue::cli
