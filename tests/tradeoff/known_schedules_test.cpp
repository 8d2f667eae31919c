// SPDX-License-Identifier: BSD-3-Clause
// Schedules of Cholesky, counted value by value, that are within eight times of its products.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "redblue/cdag.hpp"
#include "redblue/tradeoff.hpp"
#include "tradeoff/parallel_schedule.hpp"

namespace redblue {
namespace {

using cdag::Graph;
using cdag::Vertex;
using test::Owners;
using test::PathCosts;

struct Factorization {
  TradeoffReport report;
  Graph graph;
};

Factorization cholesky(int n) {
  TradeoffRequest request;
  request.program.file = std::string(REDBLUE_SOURCE_DIR) + "/kernels/cholesky.c";
  request.program.sizes = {{"N", n}};
  return {tradeoffs(request), cdag::source_graph(request.program)};
}

// The counters of a vertex: S0 has (j, k, i), S1 (j), S2 (j, i).
struct Place {
  int i = 0, j = 0, k = 0;
};

Place place(const Graph& graph, Vertex v) {
  const auto at = graph.coordinates(v);
  if (graph.family(v) == "S0") return {at[2], at[0], at[1]};
  if (graph.family(v) == "S1") return {at[0], at[0], at[0]};
  return {at[1], at[0], at[0]};
}

// One processor factors all blocks of b on the diagonal; each pair of rows' blocks of r has
// another, which computes its rows of the block column again: two synchronisations a block column.
TEST(KnownSchedules, OfCholeskyAreWithinEightTimesOfOperations) {
  for (const auto& [n, b, r] :
       std::vector<std::array<int, 3>>{{32, 16, 2}, {48, 16, 2}, {48, 12, 2}}) {
    const Factorization c = cholesky(n);
    const int blocks = n / r;
    const auto of_pair = [blocks = blocks](int row, int column) {
      return 1 + std::max(row, column) * blocks + std::min(row, column);
    };
    Owners owners(static_cast<std::size_t>(c.graph.size()));
    for (Vertex v = 0; v < c.graph.size(); ++v) {
      if (c.graph.input(v)) continue;
      const Place at = place(c.graph, v);
      auto& of = owners[static_cast<std::size_t>(v)];
      if (at.k / b < at.j / b) {
        of = {of_pair(at.i / r, at.j / r)};
      } else if (at.i / b == at.j / b) {
        of = {0};
      } else {
        for (int other = (at.j / b + 1) * b / r; other < blocks; ++other)
          of.push_back(of_pair(at.i / r, other));
      }
    }
    const PathCosts costs = test::superstep_schedule(c.graph, owners, 1 + blocks * blocks);
    EXPECT_EQ(costs.computed.size(), 2U * static_cast<unsigned>(n / b - 1) + 1);
    const double times = PathCosts::product(costs.computed, 1, 2) / *c.report.products.at(0).value;
    EXPECT_GE(times, 1) << n << ", " << b;
    EXPECT_LE(times, 8) << n << ", " << b;
    RecordProperty("times_" + std::to_string(n) + "_" + std::to_string(b), std::to_string(times));
  }
}

// Two processors with half of the columns, and so of the products of three, each.
TEST(KnownSchedules, OfCholeskyAreWithinEightTimesOfWords) {
  constexpr int n = 96;
  const Factorization c = cholesky(n);
  Owners owners(static_cast<std::size_t>(c.graph.size()));
  for (Vertex v = 0; v < c.graph.size(); ++v) {
    if (!c.graph.input(v))
      owners[static_cast<std::size_t>(v)] = {place(c.graph, v).j < n / 2 ? 0 : 1};
  }
  const PathCosts costs = test::superstep_schedule(c.graph, owners, 2);
  ASSERT_EQ(costs.words.size(), 2U);
  EXPECT_EQ(costs.words[1], n * n / 2);
  const double times = PathCosts::product(costs.words, 0, 1) / *c.report.products.at(1).value;
  EXPECT_GE(times, 1);
  EXPECT_LE(times, 8);
}

}  // namespace
}  // namespace redblue
