// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <limits>

#include <cmath>

#include "cdag/brute_force.hpp"
#include "redblue/pebble.hpp"

namespace redblue::test {
namespace {

using namespace cdag;

TEST(Wavefront, IsTheSmallestOverAllSets) {
  for (int seed = 1; seed <= 40; ++seed) {
    const Graph graph = make_graph("random:13,3," + std::to_string(seed));
    for (Vertex v = 0; v < graph.size(); ++v) {
      if (graph.input(v)) continue;
      EXPECT_EQ(minimum_wavefront(graph, v), wavefront_by_sets(graph, v))
          << "seed " << seed << " at " << graph.name(v);
    }
  }
}

TEST(Wavefront, TheCutIsAWavefront) {
  const Graph graph = make_graph("cg:2,5,2");
  Subset cut;
  const Vertex v = graph.find("a(2,0)");
  const std::int64_t size = minimum_wavefront(graph, v, &cut);
  EXPECT_EQ(size, static_cast<std::int64_t>(cut.size()));
}

// A memory of any size: one that holds everything leaves compulsory words only.
TEST(Wavefront, TheLargestMemoryIsNoOverflow) {
  const Graph graph = make_graph("matmul:3,3,3");
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(wavefront_bound(graph, most).moved, 27);
  EXPECT_EQ(graph_bound(graph, most, false).moved, 27);
  EXPECT_EQ(graph_bound(make_graph("matmul:2,2,2"), most, true).moved, 12);
}

TEST(Wavefront, PiecesCountNoValueTwice) {
  for (const char* description : {"cg:3,4,2", "gmres:3,6,1", "fft:32", "stencil:8,16", "lu:8"}) {
    const Graph graph = make_graph(description);
    const WavefrontBound bound = wavefront_bound(graph, 4);
    ScheduleSearch search;
    search.seconds = std::numeric_limits<double>::infinity();
    search.vertices = 200 * std::int64_t{graph.size()};
    std::vector<int> counted(static_cast<std::size_t>(graph.size()), 0);
    for (const WavefrontPiece& p : bound.pieces) {
      EXPECT_GE(static_cast<std::int64_t>(p.counted.size()), p.size);
      for (const Vertex v : p.counted) ++counted[static_cast<std::size_t>(v)];
    }
    for (const int c : counted) EXPECT_LE(c, 1);
    EXPECT_LE(bound.moved, good_schedule(graph, 8, search).cost.moved());
  }
}

// Least squares of the leading coefficient c in Q = c x + d over points (x, Q).
double slope(const std::vector<std::pair<double, double>>& points) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [a, b] : points) {
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  const auto n = static_cast<double>(points.size());
  return (n * xy - x * y) / (n * xx - x * x);
}

// What one more iteration adds to the bound, per grid point, as the grid grows.
double words_per_point_and_iteration(const std::string& name, int dimensions,
                                     const std::vector<int>& sizes,
                                     const std::vector<std::string>& at, int from, int to) {
  std::vector<std::pair<double, double>> points;
  for (const int n : sizes) {
    std::int64_t moved[2] = {};
    for (const int side : {0, 1}) {
      const int iterations = side == 0 ? from : to;
      const Graph graph = make_graph(name + ":" + std::to_string(iterations) + "," +
                                     std::to_string(n) + "," + std::to_string(dimensions));
      const auto grid = static_cast<int>(std::lround(std::pow(n, dimensions)));
      Subset vertices;
      for (int t = 1; t <= iterations && !at.empty(); ++t) {
        for (std::string where : at) {
          where.replace(where.find('T'), 1, std::to_string(t));
          if (where[0] == 'h') where.insert(1, std::to_string(t - 1));
          if (where.find('P') != std::string::npos) {
            where.replace(where.find('P'), 1, std::to_string(grid - 1));
          }
          vertices.push_back(graph.find(where));
        }
      }
      moved[side] = wavefront_bound(graph, 4, vertices).moved;
    }
    points.emplace_back(std::pow(n, dimensions),
                        static_cast<double>(moved[1] - moved[0]) / (to - from));
  }
  return slope(points);
}

// Elango et al., Theorem 8: 6 n^d T. At the paper's two vertices per iteration.
TEST(Wavefront, ConjugateGradientsMoveSixWordsPerPointAndIteration) {
  const std::vector<std::string> paper{"a(T,0)", "g(T,0)"};
  EXPECT_NEAR(words_per_point_and_iteration("cg", 1, {32, 64, 96, 128}, paper, 3, 5), 6, 0.05);
  EXPECT_NEAR(words_per_point_and_iteration("cg", 2, {6, 8, 10, 12}, paper, 3, 5), 6, 0.05);
  EXPECT_NEAR(words_per_point_and_iteration("cg", 3, {4, 5, 6}, paper, 3, 5), 6, 0.05);
}

// The vertices found, not given.
TEST(Wavefront, TheAutomaticDecompositionOfConjugateGradientsReachesIt) {
  EXPECT_GT(words_per_point_and_iteration("cg", 1, {32, 48, 64}, {}, 3, 5), 5.9);
  EXPECT_GT(words_per_point_and_iteration("cg", 2, {6, 7, 8}, {}, 3, 5), 5.9);
}

// Theorem 9: 6 n^d m, at the last inner product and at the norm of every step.
TEST(Wavefront, GmresMovesSixWordsPerPointAndStep) {
  const std::vector<std::string> paper{"h(T,P)", "norm(T,P)"};
  EXPECT_NEAR(words_per_point_and_iteration("gmres", 1, {32, 64, 96}, paper, 3, 5), 6, 0.1);
  EXPECT_NEAR(words_per_point_and_iteration("gmres", 2, {6, 8, 10}, paper, 3, 5), 6, 0.1);
  EXPECT_NEAR(words_per_point_and_iteration("gmres", 3, {4, 5}, paper, 3, 5), 6, 0.1);
}

}  // namespace
}  // namespace redblue::test
