// SPDX-License-Identifier: BSD-3-Clause
// Segments of two sums over one triangle, as symm's: dots along rows, updates along columns, over
// many lines of B; none may hold more instances than symmetric_product_chi allows its operands.
#include "bounds/projection/symmetric_product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace redblue::bounds {
namespace {

// On each of `lines` lines, row i's dot visits [from, to) of the rows before it, row k's update
// those after it.
struct Segment {
  std::vector<std::pair<int, int>> dots, updates;

  explicit Segment(int rows)
      : dots(static_cast<std::size_t>(rows)), updates(static_cast<std::size_t>(rows)) {}
};

struct Operands {
  double instances = 0, a = 0, of_a_line = 0;
};

// Instances less than `distance` from the diagonal count 1 / sqrt(2).
Operands operands(const Segment& segment, int distance) {
  const int rows = static_cast<int>(segment.dots.size());
  std::set<std::pair<int, int>> a;
  std::set<int> b;
  Operands result;
  const auto visit = [&](const std::pair<int, int>& places, int first, int end, auto element) {
    double visited = 0;
    for (int p = std::max(first, places.first); p < std::min(end, places.second); ++p) {
      const std::pair<int, int> read = element(p);
      a.insert(read);
      b.insert(p);
      visited += read.first - read.second < distance ? std::sqrt(0.5) : 1;
    }
    result.instances += visited;
    result.of_a_line += visited > 0 ? 1 : 0;
  };
  for (int r = 0; r < rows; ++r) {
    const auto row = static_cast<std::size_t>(r);
    visit(segment.dots[row], 0, r, [r](int p) { return std::pair(r, p); });
    visit(segment.updates[row], r + 1, rows, [r](int p) { return std::pair(p, r); });
  }
  result.a = static_cast<double>(a.size());
  result.of_a_line += static_cast<double>(b.size());
  return result;
}

// Instances / what is allowed for a distance, on as many lines as suit the inequality best.
double filled(const Operands& one, int distance) {
  if (one.instances == 0) return 0;
  double most = 0;
  for (const double scale : {0.5, 1.0, 2.0, 4.0}) {
    const double lines = std::max(1.0, std::round(scale * one.a / one.of_a_line));
    most = std::max(most, lines * one.instances /
                              symmetric_product_chi(one.a + lines * one.of_a_line, distance));
  }
  return most;
}

// One step of a climb: a chain's part moves at one end, or goes to where another's is.
Segment changed(Segment segment, std::mt19937& random) {
  const int rows = static_cast<int>(segment.dots.size());
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  auto& chains = pick(2) == 0 ? segment.dots : segment.updates;
  auto& part = chains[static_cast<std::size_t>(pick(rows))];
  switch (pick(4)) {
    case 0:
      part.first = pick(rows + 1);
      break;
    case 1:
      part.second = pick(rows + 1);
      break;
    case 2:
      part = chains[static_cast<std::size_t>(pick(rows))];
      break;
    default:
      part = {};
  }
  return segment;
}

TEST(SymmetricProduct, NoSegmentHoldsMore) {
  std::mt19937 random(1);
  double most = 0;
  for (const int rows : {6, 10, 16, 24}) {
    for (const int distance : {1, 2, 3, 5, 8, 12}) {
      if (distance > rows) continue;
      for (int climb = 0; climb < 3; ++climb) {
        Segment segment(rows);
        double best = 0;
        for (int step = 0; step < 2500; ++step) {
          Segment next = changed(segment, random);
          if (step % 2 == 0) next = changed(next, random);
          const double value = filled(operands(next, distance), distance);
          if (value < best * 0.999) continue;
          best = value;
          segment = std::move(next);
        }
        EXPECT_LE(best, 1 + 1e-9) << rows << " rows, distance " << distance;
        most = std::max(most, best);
      }
    }
  }
  EXPECT_GT(most, 0.9);  // the climb gets somewhere
}

// A block far off the diagonal meets the inequality; a triangle on it holds more than what would be
// right there.
TEST(SymmetricProduct, Extremes) {
  constexpr int side = 40;
  Segment block(5 * side), triangle(2 * side);
  for (std::size_t r = 0; r < side; ++r) {
    block.updates[r] = {4 * side, 5 * side};
    block.dots[4 * side + r] = {0, side};
    triangle.updates[r] = {0, 2 * side};
    triangle.dots[side + r] = {0, 2 * side};
  }
  EXPECT_GT(filled(operands(block, 3 * side), 3 * side), 0.999);
  EXPECT_GT(filled(operands(triangle, 1), 4 * side), 1.05);
  EXPECT_LE(filled(operands(triangle, 1), 1), 1);
}

TEST(SymmetricProduct, FallsToOneSide) {
  for (const double x : {30.0, 300.0, 3000.0}) {
    const double one_side = std::pow(x / 3, 1.5);
    EXPECT_DOUBLE_EQ(symmetric_product_chi(x, 2 * std::sqrt(x) + 1), one_side);
    EXPECT_DOUBLE_EQ(symmetric_product_chi(x, std::sqrt(8 * x / 3) * 1.01 + 1), one_side);
    EXPECT_NEAR(symmetric_product_chi(x, 1), std::sqrt(2) * one_side, 0.01 * one_side);
    EXPECT_GT(symmetric_product_chi(x, 0.5 * std::sqrt(x)), 1.01 * one_side);
  }
}

}  // namespace
}  // namespace redblue::bounds
