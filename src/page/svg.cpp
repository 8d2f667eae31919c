// SPDX-License-Identifier: BSD-3-Clause
#include "page/svg.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "page/numbers.hpp"

namespace redblue::page {

PagePicture wide_picture(const std::string& id, double height) {
  return {id, "", "", 820, height};
}

PagePicture narrow_picture(const std::string& id, double height) {
  return {id + "-narrow", "", "", 380, height};
}

std::string svg_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c == '<' ? std::string("&lt;") : c == '&' ? std::string("&amp;") : std::string(1, c);
  }
  return result;
}

std::string svg_begin(const std::string& title, double width, double height, double left) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n<title>{3}</title>\n<text x=\"{2}\" y=\"24\" "
      "font-weight=\"bold\">{3}</text>\n",
      width, height, left, svg_text(title));
}

std::string svg_begin(const PagePicture& picture) {
  return fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" role=\"img\" aria-labelledby=\"{2}-title {2}-text\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n<title id=\"{2}-title\">{3}</title>\n"
      "<desc id=\"{2}-text\">{4}</desc>\n",
      picture.width, picture.height, picture.id, svg_text(picture.title),
      svg_text(picture.description));
}

std::string svg_line(double x1, double y1, double x2, double y2, const std::string& style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1,
                     x2, y2, style);
}

std::string svg_label(double x, double y, const std::string& anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     svg_text(text));
}

std::string svg_label_on_lines(double x, double y, const std::string& anchor,
                               const std::string& text) {
  return fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"rim\" fill=\"currentColor\" "
      "stroke=\"white\" stroke-width=\"4\" stroke-linejoin=\"round\" paint-order=\"stroke\">{}"
      "</text>\n",
      x, y, anchor, svg_text(text));
}

std::string svg_coloured(const std::string& kind, const std::string& colour,
                         const std::string& elements) {
  return fmt::format("<g class=\"{}\" color=\"{}\">\n{}</g>\n", kind, colour, elements);
}

std::string svg_point(double x, double y, bool filled) {
  return fmt::format(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" {} stroke=\"currentColor\" "
      "stroke-width=\"2\"/>\n",
      x, y, filled ? "3.5" : "6",
      filled ? "fill=\"currentColor\"" : "class=\"hollow\" fill=\"white\"");
}

std::string svg_diamond(double x, double y, bool filled) {
  const double r = filled ? 5.5 : 8;
  return fmt::format(
      "<polygon points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\" {} "
      "stroke=\"currentColor\" stroke-width=\"2\"/>\n",
      x, y - r, x + r, y, x, y + r, x - r, y,
      filled ? "fill=\"currentColor\"" : "class=\"hollow\" fill=\"white\"");
}

void spread(std::vector<double>& places, double apart, double from, double to) {
  if (places.empty()) return;
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return places[a] < places[b]; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double least = i == 0 ? from : places[order[i - 1]] + apart;
    places[order[i]] = std::max(places[order[i]], least);
  }
  for (std::size_t i = order.size(); i-- > 0;) {
    const double most = i + 1 == order.size() ? to : places[order[i + 1]] - apart;
    places[order[i]] = std::min(places[order[i]], most);
  }
}

double LogAxis::at(double value) const {
  return std::log(value / low) / std::log(high / low);
}

std::vector<double> LogAxis::ticks() const {
  if (!(low > 0 && high > low)) return {};
  const double decades = std::log10(high / low);
  const double base = decades <= 3 ? 2 : decades <= 12 ? 10 : 1000;
  std::vector<double> result;
  for (double v = std::pow(base, std::ceil(std::log(low) / std::log(base))); v <= high * 1.0001;
       v *= base)
    result.push_back(v);
  return result;
}

std::vector<double> LogAxis::decimal_ticks() const {
  if (!(low > 0 && high > low)) return {};
  const double decades = std::log10(high / low);
  const double most = 1.0001 * high;
  std::vector<double> result;
  if (decades > 2.5) {
    const int each = static_cast<int>(decades / 7) + 1;
    for (int power = static_cast<int>(std::ceil(std::log10(low))); std::pow(10, power) <= most;
         power += each)
      result.push_back(std::pow(10, power));
    return result;
  }
  const std::vector<double> steps =
      decades > 1.2 ? std::vector<double>{1, 2, 5} : std::vector<double>{1, 1.5, 2, 3, 4, 5, 7};
  for (int power = static_cast<int>(std::floor(std::log10(low))); std::pow(10, power) <= most;
       ++power) {
    for (const double step : steps) {
      const double tick = step * std::pow(10, power);
      if (tick >= low && tick <= most) result.push_back(tick);
    }
  }
  return result;
}

}  // namespace redblue::page
