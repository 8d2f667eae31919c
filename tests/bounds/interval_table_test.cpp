// SPDX-License-Identifier: BSD-3-Clause
// Segments of interval tables filled block by block, against what their operands allow.
#include "bounds/interval_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "temporary_folder.hpp"

namespace redblue::bounds {
namespace {

// T[w, y] from T[w, x] and T[x, y], w < x < y.
struct Instance {
  int w, x, y;
  bool last;  // of [w, y]'s chain
};

// Blocks of intervals by their distance, each for all blocks between first, then interval by
// interval: a legal order in which segments use what they hold often.
std::vector<Instance> by_blocks(int points, int side) {
  std::vector<Instance> order;
  const int blocks = (points + side - 1) / side;
  const auto end = [&](int block) { return std::min(points, (block + 1) * side); };
  for (int distance = 0; distance < blocks; ++distance) {
    for (int bw = 0; bw + distance < blocks; ++bw) {
      const int by = bw + distance;
      const auto fill = [&](int w, int y, int from, int to, bool last) {
        for (int x = std::max(from, w + 1); x < std::min(to, y); ++x)
          order.push_back({w, x, y, false});
        if (last && !order.empty() && order.back().w == w && order.back().y == y)
          order.back().last = true;
      };
      for (int bx = bw + 1; bx < by; ++bx) {
        for (int w = bw * side; w < end(bw); ++w) {
          for (int y = by * side; y < end(by); ++y) fill(w, y, bx * side, end(bx), false);
        }
      }
      for (int w = end(bw) - 1; w >= bw * side; --w) {
        for (int y = std::max(w + 2, by * side); y < end(by); ++y) {
          fill(w, y, bw * side, end(bw), false);
          if (by != bw) fill(w, y, by * side, end(by), false);
          fill(w, y, y, y, true);
        }
      }
    }
  }
  return order;
}

double filled(const std::vector<Instance>& order, std::size_t first, std::size_t end, double e) {
  std::set<std::pair<int, int>> operands, chains;
  double finished = 0;
  for (std::size_t i = first; i < end; ++i) {
    const Instance& one = order[i];
    operands.insert({one.w, one.x});
    operands.insert({one.x, one.y});
    chains.insert({one.w, one.y});
    finished += one.last ? 1 : 0;
  }
  const double words =
      static_cast<double>(operands.size() + chains.size()) + (2 / e - 1) * finished;
  return static_cast<double>(end - first) / interval_table_chi(words, e);
}

TEST(IntervalTable, NoSegmentHoldsMore) {
  std::mt19937 random(1);
  for (const auto& [points, side] : {std::pair(20, 20), {24, 6}, {40, 8}, {60, 12}, {60, 20}}) {
    const std::vector<Instance> order = by_blocks(points, side);
    ASSERT_EQ(order.size(), static_cast<std::size_t>(points * (points - 1) * (points - 2) / 6));
    double most = 0;
    for (int cut = 0; cut < 400; ++cut) {
      const std::size_t length = 1 + random() % (order.size() / (1 + random() % 40));
      const std::size_t first = random() % (order.size() - length + 1);
      for (const double e : {0.05, 0.2, 0.5, 1.0, 2.0})
        most = std::max(most, filled(order, first, first + length, e));
    }
    EXPECT_LE(most, 1 + 1e-9) << points << " points in blocks of " << side;
    EXPECT_GT(most, 0.3);
  }
}

// Blocks I x K and K x J of a table that hold no operand in common meet the inequality.
TEST(IntervalTable, BlocksMeetIt) {
  constexpr int side = 30;
  std::vector<Instance> block;
  for (int w = 0; w < side; ++w) {
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) block.push_back({w, 2 * side + x, 4 * side + y, false});
    }
  }
  EXPECT_NEAR(filled(block, 0, block.size(), 1e-6), 1, 1e-5);
}

LowerBound best_of(const std::string& loops) {
  const std::string path = test::temporary_folder() + "redblue_interval.c";
  std::ofstream(path) << "double fmin(double, double);\n"
                         "void f(int N, double m[N][N], double p[N]) {\n"
                      << loops << "\n}\n";
  const BoundReport report = lower_bounds({path, "", {}, {}});
  return report.bounds[report.best];
}

// In the orders of the text books; where a value is used before it is finished, or the table is not
// its own operand, it is no such table.
TEST(IntervalTable, Recurrences) {
  const std::string chain = "m[i][j] = fmin(m[i][j], m[i][k] + m[k + 1][j] + p[i] * p[k] * p[j]);";
  const std::string polygon = "m[i][j] = fmin(m[i][j], m[i][k] + m[k][j]);";
  for (const std::string& loops :
       std::vector<std::string>{"for (int i = N - 1; i >= 0; i--) for (int j = i + 1; j < N; j++)\n"
                                "for (int k = i; k < j; k++) " +
                                    chain,
                                "for (int j = 1; j < N; j++) for (int i = j - 1; i >= 0; i--)\n"
                                "for (int k = i; k < j; k++) " +
                                    chain,
                                "for (int l = 1; l < N; l++) for (int i = 0; i < N - l; i++)\n"
                                "for (int k = i; k < i + l; k++)\n"
                                "m[i][i + l] = fmin(m[i][i + l], m[i][k] + m[k + 1][i + l]);",
                                "for (int i = N - 1; i >= 0; i--) for (int j = i + 2; j < N; j++)\n"
                                "for (int k = i + 1; k < j; k++) " +
                                    polygon}) {
    const LowerBound bound = best_of(loops);
    EXPECT_EQ(bound.method, "table") << loops;
    EXPECT_EQ(bound.leading, "N^3/(3*sqrt(S))") << loops;
    EXPECT_TRUE(bound.proved());
    EXPECT_FALSE(bound.recomputation);
  }
  EXPECT_NE(best_of("for (int i = 0; i < N; i++) for (int j = i + 2; j < N; j++)\n"
                    "for (int k = i + 1; k < j; k++) " +
                    polygon)
                .method,
            "table");
}

}  // namespace
}  // namespace redblue::bounds
