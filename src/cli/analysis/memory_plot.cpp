// SPDX-License-Identifier: BSD-3-Clause
#include "cli/analysis/memory_plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/output.hpp"
#include "cli/svg.hpp"

namespace redblue::cli {

namespace {

constexpr double left = 96, width = 540, top = 64, height = 260, gap = 84, legend = 220;
constexpr const char* pale = "stroke=\"#dddddd\"";
constexpr const char* schedule_colour = "#b03030";

struct Style {
  std::string colour, more;  // further attributes
  std::string name;
};

// The strongest bound is a broad line behind the others, so that they show where they carry it.
std::vector<Style> styles_of(const std::vector<MemoryCurve>& curves) {
  constexpr std::array colours = {"#2c5aa0", "#2e8b57", "#8e44ad", "#c77800",
                                  "#008b8b", "#a0522d", "#5f6b00", "#c2185b"};
  std::vector<Style> result;
  std::size_t next = 0;
  for (const MemoryCurve& curve : curves) {
    Style style;
    const std::string dashed = curve.proved ? "" : " stroke-dasharray=\"6 4\"";
    if (curve.method.empty()) {
      style = {"#f3c200", curve.proved ? " stroke-width=\"7\"" : " stroke-width=\"3\"",
               "strongest bound"};
    } else if (curve.method == "compulsory") {
      style = {"#666666", " stroke-width=\"2\"", "compulsory traffic"};
    } else {
      style = {colours[next++ % colours.size()], " stroke-width=\"2\"", curve.method};
    }
    style.more += dashed;
    style.name += curve.proved ? "" : ", assumed";
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
    const double room = std::max(1.15, std::pow(high / low, 0.06));
    return {low / room, std::max(high * room, 2 * low)};
  }
};

// One frame: `scale` / words upwards, or words where scale is 0.
class Frame {
 public:
  Frame(const MemoryPicture& picture, double above, double scale)
      : picture_(picture), above_(above), scale_(scale) {
    Span across, up;
    for (const MemoryCurve& curve : picture.curves) {
      for (const auto& [s, words] : curve.points) {
        across.take(static_cast<double>(s));
        // Methods that fall to nothing leave the frame below.
        if (curve.method.empty()) up.take(value(words));
      }
    }
    for (const ReplayedMemory& r : picture.replays) {
      for (const auto& moved : {r.as_written, r.as_scheduled}) {
        if (moved) up.take(value(static_cast<double>(*moved)));
      }
    }
    across_ = across.axis();
    up_ = up.axis();
  }

  std::string svg(const std::string& title, const std::vector<Style>& styles) const {
    const std::string clip = fmt::format("frame{:.0f}", above_);
    std::string svg = fmt::format(
        "<clipPath id=\"{}\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>"
        "</clipPath>\n",
        clip, left, above_, width, height);
    svg += axes(title);
    svg += fmt::format("<g clip-path=\"url(#{})\">\n", clip);
    for (std::size_t c = 0; c < styles.size(); ++c) svg += line(picture_.curves[c], styles[c]);
    svg += "</g>\n";
    for (const ReplayedMemory& r : picture_.replays) {
      if (r.as_written) svg += point(r.s, *r.as_written, false);
      if (r.as_scheduled) svg += point(r.s, *r.as_scheduled, true);
    }
    return svg;
  }

 private:
  double value(double words) const { return scale_ == 0 || words <= 0 ? words : scale_ / words; }
  double x(double s) const { return left + width * across_.at(s); }
  double y(double words) const { return above_ + height * (1 - up_.at(value(words))); }

  std::string axes(const std::string& title) const {
    std::string svg = svg_label(left, above_ - 10, "start", title);
    const std::vector<double> across = across_.ticks();
    const std::size_t each = across.size() / 8 + 1;
    for (std::size_t t = 0; t < across.size(); t += each) {
      const double at = x(across[t]);
      svg += svg_line(at, above_, at, above_ + height, pale);
      svg += svg_label(at, above_ + height + 18, "middle", grouped(across[t]));
    }
    for (const double v : up_.ticks()) {
      const double at = above_ + height * (1 - up_.at(v));
      svg += svg_line(left, at, left + width, at, pale);
      svg += svg_label(left - 6, at + 4, "end", v < 1 ? fmt::format("{:g}", v) : short_number(v));
    }
    svg += svg_line(left, above_ + height, left + width, above_ + height, "stroke=\"#888888\"");
    return svg + svg_label(left + width, above_ + height + 36, "end", "S, words of fast memory");
  }

  // 4,096 and 16M: labels beside the axis have little room.
  static std::string short_number(double v) {
    constexpr double many = 1e7;
    return v < many ? grouped(v) : fmt::format("{:.3g}", v);
  }

  std::string line(const MemoryCurve& curve, const Style& style) const {
    std::string places;
    for (const auto& [s, words] : curve.points) {
      if (words <= 0) continue;
      places += fmt::format("{:.1f},{:.1f} ", x(static_cast<double>(s)), y(words));
    }
    return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\"{}/>\n", places,
                       style.colour, style.more);
  }

  std::string point(std::int64_t s, std::int64_t moved, bool filled) const {
    if (moved <= 0) return "";
    return fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\" fill=\"{}\" stroke=\"{}\" "
        "stroke-width=\"1.5\"/>\n",
        x(static_cast<double>(s)), y(static_cast<double>(moved)),
        filled ? schedule_colour : "white", schedule_colour);
  }

  const MemoryPicture& picture_;
  double above_, scale_;
  LogAxis across_{1, 2}, up_{1, 2};
};

std::string legend_of(const MemoryPicture& picture, const std::vector<Style>& styles) {
  constexpr double from = left + width + 24, step = 24, sample = 28;
  double y = top + 12;
  std::string svg;
  for (const Style& style : styles) {
    svg += svg_line(from, y, from + sample, y,
                    fmt::format("stroke=\"{}\"{}", style.colour, style.more));
    svg += svg_label(from + sample + 8, y + 4, "start", style.name);
    y += step;
  }
  if (picture.replays.empty()) return svg;
  for (const bool filled : {false, true}) {
    svg += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\" fill=\"{}\" stroke=\"{}\" "
        "stroke-width=\"1.5\"/>\n",
        from + sample / 2, y, filled ? schedule_colour : "white", schedule_colour);
    svg += svg_label(from + sample + 8, y + 4, "start",
                     filled ? "schedule found, replayed" : "as written, replayed");
    y += step;
  }
  return svg;
}

}  // namespace

std::string memory_plot(const MemoryPicture& picture) {
  const double second = top + height + gap;
  const std::vector<Style> styles = styles_of(picture.curves);
  std::string svg = svg_begin(picture.program + ": words moved by size of the fast memory",
                              left + width + legend + 24,
                              second + height + (picture.note.empty() ? 56 : 80), left);
  svg += Frame(picture, top, 0).svg("words: bounds from below, schedules from above", styles);
  if (picture.operations > 0) {
    svg += Frame(picture, second, picture.operations)
               .svg(picture.unit + " per word: bounds from above, schedules from below", styles);
  }
  svg += legend_of(picture, styles);
  if (!picture.note.empty()) svg += svg_label(left, second + height + 62, "start", picture.note);
  return svg + "</svg>\n";
}

}  // namespace redblue::cli
