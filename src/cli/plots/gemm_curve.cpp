// SPDX-License-Identifier: BSD-3-Clause
#include "cli/plots/gemm_curve.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "page/svg.hpp"

namespace redblue::cli {

using namespace page;

namespace {

std::string title(const GemmPlanRequest& request) {
  const GemmShape& s = request.shape;
  const std::string memory =
      request.memory ? " within " + grouped(request.memory->value) + " words" : "";
  return fmt::format("gemm {} x {} x {} on {} ranks{}: words against messages", s.m, s.n, s.k,
                     request.ranks, memory);
}

double bound(const GemmPlanRequest& request) {
  return gemm_lower_bound(request.shape, request.ranks, request.memory);
}

double words_of(const TradeOffPoint& point) {
  return static_cast<double>(point.cost.words.value);
}

double messages_of(const TradeOffPoint& point) {
  return static_cast<double>(point.cost.messages.value);
}

}  // namespace

void print_curve(const GemmPlanRequest& request, const std::vector<TradeOffPoint>& points) {
  fmt::print("{}\n", bold(title(request)));
  fmt::print("  {:<30} {:>6} {:>10} {:>14} {:>8} {:>10} {:>14} {:>12}\n", "decomposition", "rounds",
             "reductions", "words per rank", "ratio", "messages", "memory", "predicted s");
  for (const TradeOffPoint& p : points) {
    fmt::print("  {:<30} {:>6} {:>10} {:>14} {:>8} {:>10} {:>14} {:>12.3g}\n",
               p.decomposition.name(), p.decomposition.rounds,
               p.decomposition.reductions * p.decomposition.panels, grouped(p.cost.words.value),
               ratio_text(words_of(p), bound(request)), grouped(p.cost.messages.value),
               grouped(p.cost.memory.value), p.cost.seconds);
  }
}

Json curve_json(const GemmPlanRequest& request, const std::vector<TradeOffPoint>& points) {
  const GemmShape& s = request.shape;
  Json json = {{"m", s.m}, {"n", s.n}, {"k", s.k}, {"ranks", request.ranks}};
  json["memory"] = request.memory ? Json(request.memory->value) : Json(nullptr);
  json["lower_bound"] = bound(request);
  json["curve"] = Json::array();
  for (const TradeOffPoint& p : points) {
    json["curve"].push_back({{"decomposition", p.decomposition.name()},
                             {"rounds", p.decomposition.rounds},
                             {"panels", p.decomposition.panels},
                             {"reductions", p.decomposition.reductions},
                             {"words_per_rank", p.cost.words.value},
                             {"ratio", ratio_json(words_of(p), bound(request))},
                             {"messages", p.cost.messages.value},
                             {"memory_words", p.cost.memory.value},
                             {"predicted_seconds", p.cost.seconds}});
  }
  return json;
}

std::string curve_plot(const GemmPlanRequest& request, const std::vector<TradeOffPoint>& points) {
  constexpr double left = 110, width = 620, top = 60, height = 340, margin = 1.5;
  LogAxis across{1e300, 1};  // words
  LogAxis down{1e300, 1};    // messages
  for (const TradeOffPoint& p : points) {
    across.low = std::min(across.low, std::max(1.0, words_of(p)) / margin);
    across.high = std::max(across.high, words_of(p) * margin);
    down.low = std::min(down.low, std::max(1.0, messages_of(p)) / margin);
    down.high = std::max(down.high, messages_of(p) * margin);
  }
  const auto x = [&](double words) { return left + width * across.at(std::max(1.0, words)); };
  const auto y = [&](double messages) {
    return top + height * (1 - down.at(std::max(1.0, messages)));
  };
  std::string svg = svg_begin(title(request), left + width + 160, top + height + 60, left);
  for (const double tick : across.ticks()) {
    svg += svg_line(x(tick), top, x(tick), top + height, "stroke=\"#dddddd\"");
    svg += svg_label(x(tick), top + height + 18, "middle", grouped(tick));
  }
  for (const double tick : down.ticks()) {
    svg += svg_line(left, y(tick), left + width, y(tick), "stroke=\"#dddddd\"");
    svg += svg_label(left - 8, y(tick) + 4, "end", grouped(tick));
  }
  svg += svg_label(left, top + height + 42, "start",
                   "words received by the busiest rank; upwards: the messages it receives");
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double at = x(words_of(points[i]));
    const double high = y(messages_of(points[i]));
    if (i > 0) {
      svg += svg_line(x(words_of(points[i - 1])), y(messages_of(points[i - 1])), at, high,
                      "stroke=\"#2c5aa0\"");
    }
    svg +=
        fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"#2c5aa0\"/>\n", at, high);
    svg += svg_label(at + 8, high - 6, "start", points[i].decomposition.name());
  }
  return svg + "</svg>\n";
}

}  // namespace redblue::cli
