// SPDX-License-Identifier: BSD-3-Clause
#include "cli/analysis/roofline.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "cli/output.hpp"
#include "cli/svg.hpp"

namespace redblue::cli {

namespace {

constexpr double left = 90, width = 520, top = 64, height = 220, gap = 84;
constexpr const char* pale = "stroke=\"#dddddd\"";
constexpr const char* colour = "#2c5aa0";
constexpr const char* red = "#b03030";

struct Point {
  double intensity, rate;
  std::string name;
  bool filled;
};

constexpr double giga = 1e9;  // rates are in 10^9 operations per second

// Of one level; nothing where it moves nothing or was not counted.
std::vector<Point> points_of(const Measurement& m, const LevelTraffic& level) {
  std::vector<Point> result;
  const auto add = [&](const std::optional<MemoryTraffic>& traffic, double seconds,
                       const std::string& name, bool filled) {
    if (!traffic || traffic->moved() == 0 || seconds <= 0) return;
    result.push_back({m.operations / static_cast<double>(traffic->moved()), m.operations / seconds,
                      name, filled});
  };
  add(level.original, m.original_seconds, "as written", false);
  if (m.schedule.changed) add(level.schedule, m.schedule_seconds, "as scheduled", true);
  return result;
}

class Frame {
 public:
  Frame(const Measurement& m, const LevelTraffic& level, double peak, double words_per_second,
        double above)
      : level_(level),
        points_(points_of(m, level)),
        peak_(peak),
        words_per_second_(words_per_second),
        above_(above),
        most_(level.bound > 0 ? m.operations / level.bound : 0) {
    constexpr double seen = 1e-9;
    double low = most_ > 0 ? most_ : 1, high = low;
    double slow = m.operations / std::max(m.original_seconds, seen) / giga, fast = peak_;
    for (const Point& p : points_) {
      low = std::min(low, p.intensity);
      high = std::max(high, p.intensity);
      slow = std::min(slow, p.rate);
      fast = std::max(fast, p.rate);
    }
    across_ = {std::max(low / 2, seen), 2 * high};
    up_ = {std::max(slow / 2, seen), std::max(2 * fast, 4 * slow)};
  }

  std::string svg() const {
    std::string svg = axes();
    if (most_ > 0) svg += edge();
    if (peak_ > 0) svg += roof();
    for (const Point& p : points_) svg += drawn(p);
    if (points_.empty()) {
      svg += svg_label(
          left + width / 2, above_ + height / 2, "middle",
          level_.not_counted.empty() ? "nothing moves" : "not counted: " + level_.not_counted);
    }
    return svg;
  }

 private:
  double x(double intensity) const {
    return left + width * std::clamp(across_.at(intensity), 0.0, 1.0);
  }
  double y(double rate) const { return above_ + height * (1 - std::clamp(up_.at(rate), 0.0, 1.0)); }

  std::string axes() const {
    std::string svg = svg_label(left, above_ - 10, "start",
                                level_.name + ", " + grouped(level_.capacity) + " words");
    for (const double v : across_.ticks()) {
      svg += svg_line(x(v), above_, x(v), above_ + height, pale);
      svg += svg_label(x(v), above_ + height + 18, "middle", fmt::format("{:g}", v));
    }
    for (const double v : up_.ticks()) {
      svg += svg_line(left, y(v), left + width, y(v), pale);
      svg += svg_label(left - 6, y(v) + 4, "end", fmt::format("{:g}", v));
    }
    svg += svg_line(left, above_ + height, left + width, above_ + height, "stroke=\"#888888\"");
    return svg + svg_label(left + width, above_ + height + 36, "end",
                           "operations per word moved; upwards: 10^9 operations per second");
  }

  // Beyond it no order computes.
  std::string edge() const {
    const double at = x(most_);
    return fmt::format(
               "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
               "fill-opacity=\"0.12\"/>\n",
               at, above_, left + width - at, height, red) +
           svg_line(at, above_, at, above_ + height,
                    fmt::format("stroke=\"{}\" stroke-width=\"2\"", red)) +
           svg_label(left + width, above_ - 10, "end",
                     fmt::format("proved: at most {:.4g} operations per word", most_));
  }

  // The slope of the memory up to the peak, and the peak from there on.
  std::string roof() const {
    const std::string style = fmt::format("stroke=\"#444444\" stroke-width=\"1.5\"");
    const double end = most_ > 0 ? most_ : across_.high;
    const double ridge = words_per_second_ > 0 ? peak_ / words_per_second_ : across_.low;
    std::string svg;
    if (ridge < end)
      svg += svg_line(x(std::max(ridge, across_.low)), y(peak_), x(end), y(peak_), style);
    if (words_per_second_ <= 0) return svg;
    const double from = std::max(across_.low, up_.low / words_per_second_);
    const double to = std::min(ridge, end);
    if (from < to)
      svg +=
          svg_line(x(from), y(from * words_per_second_), x(to), y(to * words_per_second_), style);
    return svg;
  }

  std::string drawn(const Point& p) const {
    const double shown_right = x(p.intensity) < left + 0.7 * width ? 1 : -1;
    return fmt::format(
               "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"{}\" stroke=\"{}\" "
               "stroke-width=\"2\"/>\n",
               x(p.intensity), y(p.rate), p.filled ? colour : "white", colour) +
           svg_label(x(p.intensity) + 10 * shown_right, y(p.rate) + 4,
                     shown_right > 0 ? "start" : "end", p.name);
  }

  const LevelTraffic& level_;
  std::vector<Point> points_;
  double peak_, words_per_second_, above_;
  double most_;  // operations per word
  LogAxis across_{1, 2}, up_{1, 2};
};

}  // namespace

std::string roofline(const Measurement& m, const Roof& roof) {
  const auto frames = static_cast<double>(m.levels.size());
  std::string svg = svg_begin("Roofline of " + m.schedule.program, width + 2 * left,
                              top + frames * (height + gap), left);
  double above = top;
  for (std::size_t l = 0; l < m.levels.size(); ++l) {
    const double words = l < roof.words_per_second.size() ? roof.words_per_second[l] : 0;
    svg += Frame(m, m.levels[l], roof.operations_per_second / giga, words / giga, above).svg();
    above += height + gap;
  }
  return svg + "</svg>\n";
}

}  // namespace redblue::cli
