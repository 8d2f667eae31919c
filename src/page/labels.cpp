// SPDX-License-Identifier: BSD-3-Clause
#include "page/labels.hpp"

#include <algorithm>
#include <cstddef>

namespace redblue::page {

namespace {

using Point = std::pair<double, double>;

// From `from` to `to` within the box: what is left of 0 to 1 after each of its sides.
bool crosses(const Point& from, const Point& to, const Box& box) {
  double begin = 0, end = 1;
  const auto cut = [&](double a, double b, double low, double high) {
    if (a == b) return a > low && a < high;
    const double first = (low - a) / (b - a), last = (high - a) / (b - a);
    begin = std::max(begin, std::min(first, last));
    end = std::min(end, std::max(first, last));
    return begin < end;
  };
  return cut(from.first, to.first, box.left, box.right) &&
         cut(from.second, to.second, box.above, box.below);
}

// The edge reaches over the whole box, and the box lies on its right side.
bool beside_edge(const Room& room, const Box& box) {
  const Line& edge = room.edge;
  if (edge.empty() || edge.front().first > box.left || edge.back().first < box.right) return false;
  if (crosses(edge, box)) return false;
  const auto after = std::find_if(edge.begin() + 1, edge.end(),
                                  [&](const Point& p) { return p.first >= box.left; });
  if (after == edge.end()) return false;
  const Point& to = *after;
  const Point& from = *(after - 1);
  const double part = to.first > from.first ? (box.left - from.first) / (to.first - from.first) : 1;
  const double height = from.second + part * (to.second - from.second);
  return room.below_edge ? height <= box.above : height >= box.below;
}

bool free(const Room& room, const Box& box) {
  return beside_edge(room, box) &&
         std::none_of(room.lines.begin(), room.lines.end(),
                      [&](const Line& line) { return crosses(line, box); }) &&
         std::none_of(room.boxes.begin(), room.boxes.end(),
                      [&](const Box& other) { return box.meets(other); });
}

}  // namespace

bool Box::meets(const Box& other) const {
  return left < other.right && other.left < right && above < other.below && other.above < below;
}

bool crosses(const Line& line, const Box& box) {
  for (std::size_t p = 1; p < line.size(); ++p) {
    if (crosses(line[p - 1], line[p], box)) return true;
  }
  return false;
}

std::optional<std::pair<double, double>> place_of(const Room& room, double wide, double high) {
  constexpr double across = 10, up = 4, foot = 4;  // foot: of letters, below the baseline
  std::optional<Point> best;
  double most = 0;
  for (double x = room.frame.left; x + wide <= room.frame.right; x += across) {
    double from = 0, room_here = 0;
    for (double y = room.frame.above + high; y + foot <= room.frame.below; y += up) {
      if (!free(room, {x, y - high, x + wide, y + foot})) {
        room_here = 0;
        continue;
      }
      if (room_here == 0) from = y;
      room_here += up;
      if (room_here > most) {
        most = room_here;
        best = {x, (from + y) / 2};
      }
    }
  }
  return best;
}

}  // namespace redblue::page
