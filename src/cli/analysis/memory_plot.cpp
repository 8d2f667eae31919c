// SPDX-License-Identifier: BSD-3-Clause
#include "cli/analysis/memory_plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/output.hpp"
#include "page/labels.hpp"
#include "page/svg.hpp"

namespace redblue::cli {

using namespace page;

namespace {

constexpr const char* grid = "class=\"grid\" stroke=\"#dddddd\"";
constexpr const char* edge_colour = "#b3261e";
constexpr const char* schedule_colour = "#1f2328";
constexpr double line_height = 17;

struct Style {
  std::string kind, colour, name;
  bool proved, strongest;
};

// `narrow`: a star for what rests on assumptions.
std::vector<Style> styles_of(const std::vector<MemoryCurve>& curves, bool narrow) {
  constexpr std::array colours = {"#2c5aa0", "#1d7a4a", "#8e44ad", "#a35c00",
                                  "#007a80", "#a0522d", "#5f6b00", "#c2185b"};
  std::vector<Style> result;
  std::size_t next = 0;
  for (const MemoryCurve& curve : curves) {
    Style style;
    style.proved = curve.proved;
    style.strongest = curve.method.empty();
    if (style.strongest) {
      style.kind = "edge";
      style.colour = edge_colour;
      style.name = "strongest";
    } else if (curve.method == "compulsory") {
      style.kind = "plain";
      style.colour = "#666666";
      style.name = curve.method;
    } else {
      const std::size_t hue = next++ % colours.size();
      style.kind = fmt::format("hue{}", hue);
      style.colour = colours[hue];
      style.name = curve.method;
    }
    if (!curve.proved) style.name += narrow ? "*" : ", assumed";
    result.push_back(style);
  }
  return result;
}

struct Span {
  double low = 0, high = 0;
  void take(double value) {
    if (value <= 0) return;
    low = low == 0 ? value : std::min(low, value);
    high = std::max(high, value);
  }
  // Room on both sides.
  LogAxis axis() const {
    if (high <= 0) return {1, 2};
    const double room = std::max(1.15, std::pow(high / low, 0.08));
    return {low / room, std::max(high * room, 2 * low)};
  }
};

// Where a chart's frame lies in its picture. The names of curves stand on the right of it.
struct Place {
  double left, above, width, height;
  bool narrow = false;
  std::string id;
};

class Frame {
 public:
  Frame(const MemoryPicture& picture, MemoryChart chart, const Place& place)
      : picture_(picture),
        scale_(chart == MemoryChart::words ? 0 : picture.operations),
        place_(place),
        styles_(styles_of(picture.curves, place.narrow)) {
    Span across, up;
    for (const MemoryCurve& curve : picture.curves) {
      for (const auto& [s, words] : curve.points) {
        across.take(static_cast<double>(s));
        // Methods that fall to nothing leave the frame.
        if (curve.method.empty()) up.take(value(words));
      }
    }
    for (const auto* points : {&picture.replays, &picture.timed}) {
      for (const ReplayedMemory& r : *points) {
        across.take(static_cast<double>(r.s));
        for (const auto& moved : {r.as_written, r.as_scheduled}) {
          if (moved) up.take(value(static_cast<double>(*moved)));
        }
      }
    }
    constexpr double room = 1.15;
    if (across.high > 0)
      across_ = {across.low / room, room * std::max(across.high, 2 * across.low)};
    up_ = up.axis();
  }

  std::string svg() const {
    std::string svg = axes();
    svg += fmt::format(
        "<clipPath id=\"{}-frame\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
        "height=\"{:.1f}\"/></clipPath>\n<g clip-path=\"url(#{}-frame)\">\n",
        place_.id, place_.left, place_.above, place_.width, place_.height, place_.id);
    for (std::size_t c = 0; c < styles_.size(); ++c) {
      if (styles_[c].strongest && styles_[c].proved) svg += edge(picture_.curves[c]);
    }
    for (std::size_t c = 0; c < styles_.size(); ++c) {
      if (!styles_[c].strongest || !styles_[c].proved) svg += line(picture_.curves[c], styles_[c]);
    }
    svg += "</g>\n";
    svg += names() + mark();
    for (const bool timed : {true, false}) svg += schedules(false, timed) + schedules(true, timed);
    return svg;
  }

 private:
  bool words() const { return scale_ == 0; }
  double value(double words) const { return scale_ == 0 || words <= 0 ? words : scale_ / words; }
  double x(double s) const { return place_.left + place_.width * across_.at(s); }
  double y(double words) const { return place_.above + place_.height * (1 - up_.at(value(words))); }
  double right() const { return place_.left + place_.width; }
  double bottom() const { return place_.above + place_.height; }

  std::string axes() const {
    std::string svg;
    const std::vector<double> across = across_.ticks();
    const std::size_t each = across.size() / (place_.narrow ? 4 : 7) + 1;
    for (std::size_t t = 0; t < across.size(); t += each) {
      const double at = x(across[t]);
      svg += svg_line(at, place_.above, at, bottom(), grid);
      svg += svg_label(at, bottom() + 18, "middle", short_number(across[t]));
    }
    for (const double v : up_.decimal_ticks()) {
      const double at = place_.above + place_.height * (1 - up_.at(v));
      svg += svg_line(place_.left, at, right(), at, grid);
      svg += svg_label(place_.left - 6, at + 4, "end", short_number(v));
    }
    svg += svg_line(place_.left, bottom(), right(), bottom(), "class=\"axis\" stroke=\"#888888\"");
    return svg + svg_label(place_.left + place_.width / 2, bottom() + 38, "middle",
                           "S, words of fast memory");
  }

  std::string points_of(const MemoryCurve& curve) const {
    std::string places;
    for (const auto& [s, words] : curve.points) {
      if (words <= 0) continue;
      places += fmt::format("{:.1f},{:.1f} ", x(static_cast<double>(s)), y(words));
    }
    return places;
  }

  // What no schedule reaches, and the line that it ends at: broad, behind the others.
  std::string edge(const MemoryCurve& curve) const {
    const std::string places = points_of(curve);
    if (places.empty()) return "";
    const auto across = [&](bool last) {
      double found = 0;
      for (const auto& [s, words] : curve.points) {
        if (words > 0 && (last || found == 0)) found = x(static_cast<double>(s));
      }
      return found;
    };
    const double far = words() ? bottom() : place_.above;
    return svg_coloured(
        "edge", edge_colour,
        fmt::format("<polygon points=\"{:.1f},{:.1f} {}{:.1f},{:.1f}\" fill=\"currentColor\" "
                    "fill-opacity=\"0.09\"/>\n<polyline points=\"{}\" fill=\"none\" "
                    "stroke=\"currentColor\" stroke-width=\"7\" stroke-opacity=\"0.4\" "
                    "stroke-linejoin=\"round\"/>\n",
                    across(false), far, places, across(true), far, places));
  }

  std::string line(const MemoryCurve& curve, const Style& style) const {
    return svg_coloured(
        style.kind, style.colour,
        fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"currentColor\" "
                    "stroke-width=\"2\"{}/>\n",
                    points_of(curve), style.proved ? "" : " stroke-dasharray=\"6 4\""));
  }

  bool visible(double words) const {
    constexpr double least = 0.5;
    return words > 0 && y(words) < bottom() - least && y(words) > place_.above + least;
  }

  // The name of each curve beside its last point in the frame, and of the edge in its region.
  std::string names() const {
    std::vector<std::size_t> named;
    std::vector<double> ends, places;
    for (std::size_t c = 0; c < styles_.size(); ++c) {
      if (styles_[c].strongest && styles_[c].proved) continue;
      double at = -1, last = 0;
      for (const auto& [s, words] : picture_.curves[c].points) {
        if (!visible(words)) continue;
        at = y(words);
        last = x(static_cast<double>(s));
      }
      if (at < 0) continue;
      named.push_back(c);
      places.push_back(at + 4);
      ends.push_back(last);
    }
    const std::vector<double> wished = places;
    spread(places, line_height, place_.above + 8, bottom());
    std::string svg;
    for (std::size_t i = 0; i < named.size(); ++i) {
      const Style& style = styles_[named[i]];
      std::string text;
      constexpr double near = 3;
      if (ends[i] < right() - near || std::abs(wished[i] - places[i]) > near) {
        text = fmt::format(
            "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" "
            "stroke=\"currentColor\" stroke-width=\"1\" stroke-opacity=\"0.6\"/>\n",
            ends[i], wished[i] - 4, right() + 8, places[i] - 4);
      }
      text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"currentColor\">{}</text>\n",
                          right() + 11, places[i], svg_text(style.name));
      svg += svg_coloured(style.kind, style.colour, text);
    }
    return svg + edge_name();
  }

  // In the region that nothing reaches, where no line and no point is; nowhere where there is no
  // room.
  std::string edge_name() const {
    if (picture_.curves.empty() || !picture_.curves.front().method.empty()) return "";
    Room room = {{place_.left + 6, place_.above, right() - 4, bottom()}, {}, {}, {}, words()};
    for (const MemoryCurve& curve : picture_.curves) {
      Line line;
      for (const auto& [s, moved] : curve.points) {
        if (moved > 0) line.emplace_back(x(static_cast<double>(s)), y(moved));
      }
      if (room.edge.empty()) room.edge = line;
      room.lines.push_back(line);
    }
    for (const auto* points : {&picture_.replays, &picture_.timed}) {
      for (const ReplayedMemory& r : *points) {
        for (const auto& moved : {r.as_written, r.as_scheduled}) {
          constexpr double symbol = 9;
          if (!moved || *moved <= 0) continue;
          const double at = x(static_cast<double>(r.s)), up = y(static_cast<double>(*moved));
          room.boxes.push_back({at - symbol, up - symbol, at + symbol, up + symbol});
        }
      }
    }
    const std::string brief = "no order reaches this";
    const std::string full =
        words() ? "proved: no order moves so little" : "proved: no order computes so much per word";
    for (const std::string& text : {place_.narrow ? brief : full, brief}) {
      constexpr double letter = 6.8, high = 12;
      if (const auto at = place_of(room, letter * static_cast<double>(text.size()), high))
        return svg_coloured("edge", edge_colour,
                            svg_label_on_lines(at->first, at->second, "start", text));
    }
    return "";
  }

  std::string mark() const {
    if (!picture_.marked) return "";
    const double at = x(static_cast<double>(*picture_.marked));
    if (at < place_.left || at > right()) return "";
    const bool left_of = at > place_.left + place_.width / 2;
    return svg_coloured(
        "schedule", schedule_colour,
        svg_line(at, place_.above - 4, at, bottom(),
                 "stroke=\"currentColor\" stroke-width=\"1\" stroke-dasharray=\"2 3\"") +
            svg_label_on_lines(at + (left_of ? -4 : 4), place_.above - 8, left_of ? "end" : "start",
                               "S = " + grouped(*picture_.marked)));
  }

  // Points, and a name on the right of the one with most room; where both are one, a ring around.
  // `timed`: those that were timed, diamonds.
  std::string schedules(bool scheduled, bool timed) const {
    std::string svg;
    double best = -1, name_x = 0, name_y = 0;
    for (const ReplayedMemory& r : timed ? picture_.timed : picture_.replays) {
      const auto& moved = scheduled ? r.as_scheduled : r.as_written;
      const auto& other = scheduled ? r.as_written : r.as_scheduled;
      if (!moved || *moved <= 0) continue;
      const double across = x(static_cast<double>(r.s)), up = y(static_cast<double>(*moved));
      svg += timed ? svg_diamond(across, up, scheduled) : svg_point(across, up, scheduled);
      constexpr double room = 55;
      const double away =
          other && *other > 0 ? std::abs(up - y(static_cast<double>(*other))) : room;
      const bool inside = across < right() - 2 * room;
      if (inside && std::min(away, room) > best) {
        best = std::min(away, room);
        name_x = across;
        name_y = up;
      }
    }
    constexpr double line = 14;
    if (best >= 0 && best < line && scheduled) name_y += line;  // below the other's name
    if (best >= 0 && !timed)
      svg += svg_label_on_lines(name_x + 10, name_y + 4, "start",
                                scheduled ? "schedule found" : "as written");
    return svg.empty() ? "" : svg_coloured("schedule", schedule_colour, svg);
  }

  const MemoryPicture& picture_;
  double scale_;
  Place place_;
  std::vector<Style> styles_;
  LogAxis across_{1, 2}, up_{1, 2};
};

std::string heading(const MemoryPicture& picture, MemoryChart chart) {
  return chart == MemoryChart::words
             ? "words moved: bounds from below, schedules from above"
             : picture.unit + " per word moved: bounds from above, schedules from below";
}

// What the chart shows, for who cannot see it.
std::string description(const MemoryPicture& picture, MemoryChart chart) {
  const auto value = [&](double words) {
    return chart == MemoryChart::words ? grouped(words)
           : words > 0                 ? short_number(picture.operations / words)
                                       : "any number";
  };
  if (picture.curves.empty()) return "Nothing is proved.";
  const auto& strongest = picture.curves.front().points;
  std::string text = fmt::format(
      "Over the words S of fast memory, both axes logarithmic. The strongest proved bound goes "
      "from "
      "{} at S = {} to {} at S = {}.",
      value(strongest.front().second), grouped(strongest.front().first),
      value(strongest.back().second), grouped(strongest.back().first));
  for (const ReplayedMemory& r : picture.replays) {
    if (!r.as_scheduled) continue;
    text += fmt::format(" At S = {} the schedule found has {}.", grouped(r.s),
                        value(static_cast<double>(*r.as_scheduled)));
  }
  for (const ReplayedMemory& r : picture.timed) {
    if (!r.as_written) continue;
    text += fmt::format(" Through a cache of {} the program as written has {}", grouped(r.s),
                        value(static_cast<double>(*r.as_written)));
    if (r.as_scheduled)
      text += " and ordered for speed " + value(static_cast<double>(*r.as_scheduled));
    text += ".";
  }
  return text + " The table below has all numbers.";
}

}  // namespace

std::string memory_plot(const MemoryPicture& picture) {
  constexpr double left = 76, width = 560, top = 76, height = 280, gap = 100, names = 170;
  const double second = top + height + gap;
  const bool both = picture.operations > 0;
  const double bottom = both ? second + height : top + height;
  std::string svg =
      svg_begin(picture.program + ": words moved by size of the fast memory", left + width + names,
                bottom + (picture.note.empty() ? 56 : 80), left);
  const auto frame = [&](MemoryChart chart, double above, const char* id) {
    svg += svg_label(left, above - 26, "start", heading(picture, chart));
    svg += Frame(picture, chart, {left, above, width, height, false, id}).svg();
  };
  frame(MemoryChart::words, top, "words");
  if (both) frame(MemoryChart::intensity, second, "intensity");
  if (!picture.note.empty()) svg += svg_label(left, bottom + 62, "start", picture.note);
  return svg + "</svg>\n";
}

std::string memory_chart(const MemoryPicture& picture, MemoryChart chart, PagePicture place) {
  constexpr double wide = 500, left = 60, above = 26, below = 46;
  const bool narrow = place.width < wide;
  place.title = picture.program + ", " + heading(picture, chart);
  place.description = description(picture, chart);
  // As much room as the longest name takes.
  std::size_t letters = 0;
  for (const Style& style : styles_of(picture.curves, narrow)) {
    if (!style.strongest || !style.proved) letters = std::max(letters, style.name.size());
  }
  const double names = 18 + 7.2 * static_cast<double>(letters);
  const Place frame = {left,   above,   place.width - left - names, place.height - above - below,
                       narrow, place.id};
  return svg_begin(place) + Frame(picture, chart, frame).svg() + "</svg>\n";
}

}  // namespace redblue::cli
