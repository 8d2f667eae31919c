// SPDX-License-Identifier: BSD-3-Clause
// Places of labels against pictures looked at point by point.
#include "page/labels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace redblue::page {
namespace {

constexpr double wide = 60, high = 10, foot = 4;

double height(const Line& line, double x) {
  for (std::size_t p = 1; p < line.size(); ++p) {
    const auto& [x0, y0] = line[p - 1];
    const auto& [x1, y1] = line[p];
    if (x0 <= x && x <= x1) return y0 + (x - x0) / (x1 - x0) * (y1 - y0);
  }
  return NAN;
}

// Each pixel of the box is clear of lines and boxes, and lies on the edge's right side.
bool clear(const Room& room, const Box& box) {
  for (double x = box.left + 0.5; x < box.right; ++x) {
    for (const Line& line : room.lines) {
      const double at = height(line, x);
      if (at > box.above && at < box.below) return false;
    }
    const double edge = height(room.edge, x);
    if (!(room.below_edge ? edge <= box.above : edge >= box.below)) return false;
    for (double y = box.above + 0.5; y < box.below; ++y) {
      for (const Box& b : room.boxes) {
        if (x > b.left && x < b.right && y > b.above && y < b.below) return false;
      }
    }
  }
  return true;
}

Line random_line(std::mt19937& random) {
  std::uniform_real_distribution<double> up(0, 200);
  Line line;
  for (double x = 0; x <= 300; x += 50) line.emplace_back(x, up(random));
  return line;
}

TEST(Labels, StandWhereNothingElseIs) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> across(0, 280), up(0, 180);
  int found = 0, none = 0;
  for (int i = 0; i < 300; ++i) {
    Room room = {{0, 0, 300, 200}, {}, {}, random_line(random), i % 2 == 0};
    for (int l = 0; l < 6 * (i % 4); ++l) room.lines.push_back(random_line(random));
    for (int b = 0; b < i % 3; ++b) {
      const double x = across(random), y = up(random);
      room.boxes.push_back({x, y, x + 18, y + 18});
    }
    const auto place = place_of(room, wide, high);
    if (!place) {
      ++none;
      // Nor is there a clear place well inside of where one was looked for.
      for (double x = 0; x + wide <= 300; x += 10) {
        for (double y = high; y + foot <= 200; y += 4)
          EXPECT_FALSE(clear(room, {x - 0.5, y - high - 0.5, x + wide + 0.5, y + foot + 0.5}));
      }
      continue;
    }
    ++found;
    const auto [x, y] = *place;
    EXPECT_GE(x, 0);
    EXPECT_LE(x + wide, 300);
    EXPECT_TRUE(clear(room, {x + 0.1, y - high + 0.1, x + wide - 0.1, y + foot - 0.1})) << i;
  }
  EXPECT_GT(found, 50);
  EXPECT_GT(none, 5);
}

TEST(Labels, NeedAnEdgeOverTheirWholeWidth) {
  EXPECT_FALSE(place_of({{0, 0, 300, 200}, {}, {}, {}, true}, wide, high));
  EXPECT_FALSE(place_of({{0, 0, 300, 200}, {}, {}, {{100, 5}, {150, 5}}, true}, wide, high));
  const auto place = place_of({{0, 0, 300, 200}, {}, {}, {{100, 5}, {180, 5}}, true}, wide, high);
  ASSERT_TRUE(place);
  EXPECT_GE(place->first, 100);
}

}  // namespace
}  // namespace redblue::page
