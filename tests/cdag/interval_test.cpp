// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "cdag/brute_force.hpp"
#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue::test {
namespace {

using namespace cdag;

TEST(Interval, IsTheRectangleBetweenTwoVerticesOfADiamond) {
  const Graph graph = make_graph("diamond:6,7");
  EXPECT_EQ(interval(graph, graph.find("v(1,2)"), graph.find("v(4,5)")).size(), 16U);
  EXPECT_TRUE(interval(graph, graph.find("v(1,2)"), graph.find("v(4,1)")).empty());
  EXPECT_EQ(interval(graph, 3, 3).size(), 1U);
}

TEST(Interval, SeparatorsAreTheSmallest) {
  for (int seed = 1; seed <= 25; ++seed) {
    const Graph graph = make_graph("random:11,2," + std::to_string(seed));
    Subset all;
    for (Vertex v = 0; v < graph.size(); ++v) all.push_back(v);
    for (const double q : {3.0, 4.0}) {
      const Separator found = balanced_separator(graph, all, q, 2);
      EXPECT_EQ(found.lower, found.upper);
      EXPECT_EQ(found.upper, separator_by_sets(graph, q, 2)) << "seed " << seed << " q " << q;
      EXPECT_EQ(static_cast<std::int64_t>(found.vertices.size()), found.upper);
    }
  }
}

TEST(Interval, LargeSeparatorsComeAsAnInterval) {
  const Graph graph = make_graph("diamond:30,30");
  const Separator found = balanced_separator(graph, interval(graph, 0, 899), 4, 2, 0.2);
  EXPECT_GT(found.lower, 1);
  EXPECT_LE(found.upper, 22);  // cutting a corner of a quarter of the vertices
  EXPECT_GE(found.upper, found.lower);
}

struct Expected {
  std::string graph;
  double sigma, epsilon;
};

class Growth : public testing::TestWithParam<Expected> {};

// Solomonik et al.: Theorems for the diamond, TRSV (section 6.1), Cholesky (6.2) and stencils
// (6.3).
TEST_P(Growth, HasThePapersExponents) {
  const Graph graph = make_graph(GetParam().graph);
  const IntervalGrowth growth = interval_growth(graph, main_chain(graph));
  EXPECT_NEAR(growth.sigma, GetParam().sigma, 0.25);
  EXPECT_NEAR(growth.epsilon, GetParam().epsilon, 0.25);
}

INSTANTIATE_TEST_SUITE_P(Graphs, Growth,
                         testing::Values(Expected{"diamond:30,30", 2, 1}, Expected{"trsv:40", 2, 1},
                                         Expected{"cholesky:28", 3, 2},
                                         Expected{"stencil:30,60", 2, 1},
                                         Expected{"stencil:16,17,17", 3, 2}),
                         [](const auto& instance) {
                           return instance.param.graph.substr(0, instance.param.graph.find(':')) +
                                  std::to_string(instance.index);
                         });

TEST(Interval, ChainsAreChains) {
  for (const char* description :
       {"diamond:9,9", "trsv:9", "cholesky:7", "stencil:6,9", "tree:9,2"}) {
    const Graph graph = make_graph(description);
    const std::vector<Vertex> chain = main_chain(graph);
    for (std::size_t i = 1; i < chain.size(); ++i) {
      EXPECT_FALSE(interval(graph, chain[i - 1], chain[i]).empty()) << description;
    }
  }
  EXPECT_THROW(main_chain(make_graph("diamond:100,100")), Error);
}

}  // namespace
}  // namespace redblue::test
