// SPDX-License-Identifier: BSD-3-Clause
#include "cli/plots/timeline_plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "page/svg.hpp"

namespace redblue::cli {

using namespace page;

using task_graph::Action;
using task_graph::Piece;

namespace {

constexpr double left = 70, top = 66, bar = 14, thin = 6, row = 30, second_axis = 17;
constexpr std::size_t most_rows = 64;
constexpr const char* path_colour = "#b3261e";

enum Colour : std::size_t { computing, waiting, together };
constexpr std::array<const char*, 3> colours = {"#2c5aa0", "#f2c6a0", "#999999"};
constexpr std::array<const char*, 3> kinds = {"hue0", "waits", "plain"};

struct Stretch {
  Colour colour;
  double begin, end;
};

// Along an axis of `seconds` and `width`: in each column, a pixel wide, what took most of it.
std::string bars(const std::vector<Stretch>& stretches, double seconds, double width, double y,
                 double height) {
  const auto columns = static_cast<std::size_t>(width);
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
  std::array<std::string, colours.size()> drawn;
  for (std::size_t c = 0; c < columns;) {
    const std::size_t first = c;
    const std::size_t colour = colour_of(c);
    while (c < columns && colour_of(c) == colour) ++c;
    if (colour == colours.size()) continue;
    drawn[colour] += fmt::format(
        "<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"currentColor\"/>\n",
        left + static_cast<double>(first), y, c - first, height);
  }
  std::string svg;
  for (std::size_t c = 0; c < drawn.size(); ++c) {
    if (!drawn[c].empty()) svg += svg_coloured(kinds[c], colours[c], drawn[c]);
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
std::string path_line(const std::vector<Piece>& path, double seconds, double width,
                      std::size_t rows) {
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
  return svg_coloured("edge", path_colour,
                      fmt::format("<polyline points=\"{}\" fill=\"none\" "
                                  "stroke=\"currentColor\" stroke-width=\"1.5\"/>\n",
                                  points));
}

std::string legend(double width) {
  std::string svg;
  double x = left;
  double y = 36;
  const auto entry = [&](const char* kind, const char* colour, const char* text, double room) {
    if (x > left && x + room > left + width) {
      x = left;
      y += 17;
    }
    svg += svg_coloured(kind, colour,
                        fmt::format("<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" "
                                    "fill=\"currentColor\"/>\n",
                                    x, y - 22)) +
           svg_label(x + 18, y - 11, "start", text);
    x += room;
  };
  entry(kinds[computing], colours[computing], "computes", 100);
  entry(kinds[waiting], colours[waiting], "waits for messages", 165);
  entry(kinds[together], colours[together], "waits for all", 120);
  entry("edge", path_colour, "critical path", 120);
  return svg;
}

std::size_t rows_of(const task_graph::Execution& execution) {
  return std::min(most_rows, execution.ranks.size());
}

// Seconds that the axis has for what is predicted and for what was measured: the same, or two
// scales where one would leave nothing to see of the other.
struct Spans {
  double predicted, measured;
  bool apart() const { return predicted != measured; }
};

Spans spans_of(const task_graph::Execution& execution, const task_graph::Timeline& timeline) {
  constexpr double least = 1e-12, most = 4;
  const double predicted = std::max(timeline.seconds, least), measured = execution.seconds;
  const double longer = std::max(predicted, measured), shorter = std::min(predicted, measured);
  return shorter > 0 && longer > most * shorter ? Spans{predicted, measured}
                                                : Spans{longer, longer};
}

// Round numbers of seconds below an axis.
std::string ticks(double seconds, double width, double y) {
  constexpr double wide = 500;
  const double rough = seconds / (width < wide ? 2 : 5);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double step = power * (rough > 5 * power ? 10 : rough > 2 * power ? 5 : 2);
  std::string svg;
  for (int t = 0; t * step <= seconds; ++t) {
    const double x = width * t * step / seconds;
    constexpr double near = 20;
    svg += svg_label(left + x, y, x > width - near ? "end" : "middle",
                     t == 0 ? "0 s" : time_text(t * step));
  }
  return svg;
}

// The bars, the path and the axis below them.
std::string drawn(const task_graph::Execution& execution, const task_graph::Timeline& timeline,
                  double width) {
  const std::size_t rows = rows_of(execution);
  const Spans spans = spans_of(execution, timeline);
  const double bottom = top + row * static_cast<double>(rows);
  std::string svg;
  for (std::size_t r = 0; r < rows; ++r) {
    const double y = top + row * static_cast<double>(r);
    svg += svg_label(left - 8, y + bar - 2, "end", fmt::format("rank {}", r));
    svg += bars(predicted(timeline.ranks[r]), spans.predicted, width, y, bar);
    if (execution.seconds > 0)
      svg += bars(measured(execution.ranks[r].actions), spans.measured, width, y + bar + 2, thin);
  }
  svg += path_line(timeline.path, spans.predicted, width, rows);
  if (!spans.apart()) return svg + ticks(spans.predicted, width, bottom + 18);
  return svg + svg_label(left - 16, bottom + 18, "end", "thick") +
         ticks(spans.predicted, width, bottom + 18) +
         svg_label(left - 16, bottom + 18 + second_axis, "end", "thin") +
         ticks(spans.measured, width, bottom + 18 + second_axis);
}

// What the axes need below the rows.
double room_below(const task_graph::Execution& execution, const task_graph::Timeline& timeline) {
  return spans_of(execution, timeline).apart() ? 50 + second_axis : 50;
}

std::string below_it(const task_graph::Execution& execution, const task_graph::Timeline& timeline) {
  std::string below =
      execution.seconds > 0 ? "thick bars: predicted; thin bars: measured" : "predicted";
  if (spans_of(execution, timeline).apart()) below += ", on a scale of their own";
  if (rows_of(execution) < execution.ranks.size()) {
    below += fmt::format("; the first {} of {} ranks", most_rows, execution.ranks.size());
  }
  return below;
}

}  // namespace

std::string timeline_plot(const std::string& title, const task_graph::Execution& execution,
                          const task_graph::Timeline& timeline) {
  constexpr double width = 1000;
  const double bottom = top + row * static_cast<double>(rows_of(execution));
  const double height = bottom + room_below(execution, timeline);
  return svg_begin(title, width + 2 * left, height, left) + "<g transform=\"translate(0 22)\">" +
         legend(width) + "</g>\n" + drawn(execution, timeline, width) +
         svg_label(left, height - 10, "start", below_it(execution, timeline)) + "</svg>\n";
}

std::string timeline_chart(const task_graph::Execution& execution,
                           const task_graph::Timeline& timeline, PagePicture place) {
  const double width = place.width - left - 16;
  place.height =
      top + row * static_cast<double>(rows_of(execution)) + room_below(execution, timeline);
  place.title = "What each rank did, over time";
  place.description = fmt::format(
      "A bar for each rank: when it computes and when it waits, {}. The critical path takes {:.3g} "
      "seconds; the execution took {:.3g} seconds. The table of ranks has the sums.",
      below_it(execution, timeline), timeline.seconds, execution.seconds);
  return svg_begin(place) + legend(width) + drawn(execution, timeline, width) +
         svg_label(left, place.height - 10, "start", below_it(execution, timeline)) + "</svg>\n";
}

}  // namespace redblue::cli
