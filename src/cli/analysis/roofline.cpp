// SPDX-License-Identifier: BSD-3-Clause
#include "cli/analysis/roofline.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/output.hpp"
#include "page/labels.hpp"
#include "page/svg.hpp"

namespace redblue::cli {

using namespace page;

namespace {

constexpr const char* grid = "class=\"grid\" stroke=\"#dddddd\"";
constexpr const char* colour = "#1f2328";
constexpr const char* red = "#b3261e";

constexpr double giga = 1e9;  // rates are drawn in 10^9 operations per second

// Of one level; nothing where it moves nothing or was not counted.
std::vector<RooflinePoint> points_of(const Measurement& m, const LevelTraffic& level) {
  std::vector<RooflinePoint> result;
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

struct Place {
  double left = 90, above = 64, width = 520, height = 220;
  bool narrow = false;
};

class Frame {
 public:
  Frame(const RooflineLevel& level, double peak, const Place& place)
      : level_(level),
        peak_(peak / giga),
        words_per_second_(level.words_per_second / giga),
        most_(level.most),
        place_(place) {
    constexpr double seen = 1e-9;
    double low = most_ > 0 ? most_ : 1, high = low;
    double slow = peak_ > 0 ? peak_ : 0, fast = peak_;
    for (const RooflinePoint& p : level.points) {
      low = std::min(low, p.intensity);
      high = std::max(high, p.intensity);
      slow = slow > 0 ? std::min(slow, p.rate / giga) : p.rate / giga;
      fast = std::max(fast, p.rate / giga);
    }
    if (peak_ > 0 && words_per_second_ > 0) low = std::min(low, peak_ / words_per_second_);
    across_ = {std::max(low / 4, seen), 3 * high};
    // The slope is seen from the left end of the axis on.
    if (words_per_second_ > 0) slow = std::min(slow, across_.low * words_per_second_);
    up_ = {std::max(slow / 2, seen), std::max({2 * fast, 4 * slow, 4 * seen})};
  }

  std::string svg() const {
    std::string svg = axes();
    if (most_ > 0) svg += edge();
    if (peak_ > 0) svg += roof();
    svg += points();
    if (level_.points.empty() && !level_.no_points.empty())
      svg += svg_label(left() + width() / 2, above() + height() - 12, "middle", level_.no_points);
    return svg;
  }

 private:
  double left() const { return place_.left; }
  double above() const { return place_.above; }
  double width() const { return place_.width; }
  double height() const { return place_.height; }
  double bottom() const { return place_.above + place_.height; }
  double x(double intensity) const {
    return left() + width() * std::clamp(across_.at(intensity), 0.0, 1.0);
  }
  double y(double rate) const {
    return above() + height() * (1 - std::clamp(up_.at(rate), 0.0, 1.0));
  }

  std::string axes() const {
    std::string svg;
    const std::vector<double> across = across_.decimal_ticks();
    const std::size_t each = across.size() / (place_.narrow ? 5 : 9) + 1;
    for (std::size_t t = 0; t < across.size(); t += each) {
      const double at = x(across[t]);
      svg += svg_line(at, above(), at, bottom(), grid);
      svg += svg_label(at, bottom() + 18, "middle", short_number(across[t]));
    }
    for (const double v : up_.decimal_ticks()) {
      svg += svg_line(left(), y(v), left() + width(), y(v), grid);
      svg += svg_label(left() - 6, y(v) + 4, "end", short_number(v));
    }
    svg +=
        svg_line(left(), bottom(), left() + width(), bottom(), "class=\"axis\" stroke=\"#888888\"");
    return svg + svg_label(left() + width() / 2, bottom() + 38, "middle",
                           place_.narrow ? "operations per word" : "operations per word moved");
  }

  // Beyond it no order computes.
  std::string edge() const {
    const double at = x(most_);
    const std::string name = place_.narrow
                                 ? fmt::format("at most {}", short_number(most_))
                                 : fmt::format("proved: at most {} per word", short_number(most_));
    return svg_coloured(
        "edge", red,
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                    "fill=\"currentColor\" fill-opacity=\"0.12\"/>\n",
                    at, above(), left() + width() - at, height()) +
            svg_line(at, above(), at, bottom(), "stroke=\"currentColor\" stroke-width=\"2\"") +
            svg_label_on_lines(std::max(left() + width() / 2, at - 6), bottom() - 10, "end", name));
  }

  // The slope of the memory up to the peak, and the peak from there on.
  std::string roof() const {
    const std::string style = "class=\"roof\" stroke=\"#444444\" stroke-width=\"2\"";
    const double end = most_ > 0 ? most_ : across_.high;
    const double ridge = words_per_second_ > 0 ? peak_ / words_per_second_ : across_.low;
    std::string svg;
    if (ridge < end)
      svg += svg_line(x(std::max(ridge, across_.low)), y(peak_), x(end), y(peak_), style);
    svg += svg_label(left() + 4, y(peak_) - 6, "start",
                     fmt::format("peak {} G/s", short_number(peak_)));
    if (words_per_second_ <= 0) return svg;
    const double from = std::max(across_.low, up_.low / words_per_second_);
    const double to = std::min(ridge, end);
    if (from < to)
      svg +=
          svg_line(x(from), y(from * words_per_second_), x(to), y(to * words_per_second_), style);
    return svg;
  }

  // Names stand below their points or above, as near as other names and points leave room.
  std::string points() const {
    constexpr double symbol = 8, margin = 60, letter = 6.6, high = 12;
    std::vector<Box> taken;
    std::string symbols, names;
    for (const RooflinePoint& p : level_.points) {
      const double at = x(p.intensity), up = y(p.rate / giga);
      taken.push_back({at - symbol, up - symbol, at + symbol, up + symbol});
      symbols += p.timed ? svg_diamond(at, up, p.filled) : svg_point(at, up, p.filled);
    }
    for (const RooflinePoint& p : level_.points) {
      const double at = x(p.intensity), up = y(p.rate / giga);
      const double wide = letter * static_cast<double>(p.name.size());
      const bool first = at<left() + margin, last = at> left() + width() - margin;
      const double from = first ? at : last ? at - wide : at - wide / 2;
      const auto box = [&](double away) {
        return Box{from, up + away - high, from + wide, up + away + 3};
      };
      double chosen = 22;
      for (const double away : {22.0, -13.0, 39.0, -30.0, 56.0, -47.0, 73.0, -64.0}) {
        const Box here = box(away);
        if (here.above < above() || here.below > bottom()) continue;
        if (std::any_of(taken.begin(), taken.end(), [&](const Box& b) { return b.meets(here); }))
          continue;
        chosen = away;
        break;
      }
      taken.push_back(box(chosen));
      names += svg_label_on_lines(at, up + chosen,
                                  first  ? "start"
                                  : last ? "end"
                                         : "middle",
                                  p.name);
    }
    return svg_coloured("schedule", colour, symbols + names);
  }

  const RooflineLevel& level_;
  double peak_, words_per_second_;
  double most_;  // operations per word
  Place place_;
  LogAxis across_{1, 2}, up_{1, 2};
};

std::string heading(const RooflineLevel& level) {
  return level.name + ", " + grouped(level.capacity) + " words";
}

constexpr const char* upwards = "10^9 operations per second";

}  // namespace

std::vector<RooflineLevel> roofline_levels(const Measurement& m, const Roof& roof) {
  std::vector<RooflineLevel> result;
  for (std::size_t l = 0; l < m.levels.size(); ++l) {
    const LevelTraffic& level = m.levels[l];
    const double words = l < roof.words_per_second.size() ? roof.words_per_second[l] : 0;
    result.push_back(
        {level.name, level.capacity, level.bound > 0 ? m.operations / level.bound : 0, words,
         points_of(m, level),
         level.not_counted.empty() ? "nothing moves" : "not counted: " + level.not_counted});
  }
  return result;
}

std::string roofline(const std::string& program, const std::vector<RooflineLevel>& levels,
                     double peak) {
  constexpr double gap = 96;
  Place place;
  std::string svg = svg_begin(
      "Roofline of " + program, place.width + 2 * place.left,
      place.above + static_cast<double>(levels.size()) * (place.height + gap), place.left);
  for (const RooflineLevel& level : levels) {
    svg +=
        svg_label(place.left, place.above - 10, "start", heading(level) + "; upwards: " + upwards);
    svg += Frame(level, peak, place).svg();
    place.above += place.height + gap;
  }
  return svg + "</svg>\n";
}

std::string roofline_chart(const RooflineLevel& level, double peak, PagePicture place) {
  constexpr double wide = 500, left = 56, above = 16, below = 46;
  place.title = "Roofline of " + heading(level);
  place.description = std::string("Upwards ") + upwards +
                      ", to the right operations per word moved, both logarithmic.";
  if (level.most > 0)
    place.description += " It ends at " + short_number(level.most) + " operations per word.";
  for (const RooflinePoint& p : level.points) {
    place.description += fmt::format(" {}: {} operations per word, {} per second.", p.name,
                                     short_number(p.intensity), short_number(p.rate));
  }
  const Place frame = {left, above, place.width - left - 16, place.height - above - below,
                       place.width < wide};
  return svg_begin(place) + Frame(level, peak, frame).svg() + "</svg>\n";
}

}  // namespace redblue::cli
