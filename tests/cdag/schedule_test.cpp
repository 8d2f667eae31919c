// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue::test {
namespace {

using namespace cdag;

TEST(Schedule, ReplaysAreLegalGamesOfThatCost) {
  for (const char* description : {"matmul:4,3,5", "lu:6", "cholesky:7", "fft:16", "stencil:4,4,4",
                                  "cg:2,3,2", "gmres:2,4,1", "random:60,3,5", "tree:20,3"}) {
    const Graph graph = make_graph(description);
    for (const std::int64_t extra : {1, 2, 5, 1000}) {
      const std::int64_t s = graph.most_operands() + extra;
      for (const Replacement r : {Replacement::belady, Replacement::lru}) {
        for (const Order& order : {natural_order(graph), greedy_order(graph, s)}) {
          const Replayed cost = replay(graph, order, s, r, true);
          const Tally tally = play(graph, red_blue_white(s), cost.moves);
          EXPECT_EQ(tally.loads, cost.loads);
          EXPECT_EQ(tally.stores, cost.stores);
        }
      }
    }
  }
}

TEST(Schedule, BeladyIsNeverWorseThanLruInLoads) {
  for (int seed = 1; seed <= 20; ++seed) {
    const Graph graph = make_graph("random:80,3," + std::to_string(seed));
    const Order order = natural_order(graph);
    for (const std::int64_t s : {4, 6, 9}) {
      EXPECT_LE(replay(graph, order, s).loads, replay(graph, order, s, Replacement::lru).loads);
    }
  }
}

TEST(Schedule, TilesFollowDependencesOrAreRefused) {
  const Graph stencil = make_graph("stencil:6,12");
  EXPECT_THROW(tiled_order(stencil, {{1, 3, 0}, {0, 1, 0}}), Error);
  const Order skewed = tiled_order(stencil, {{1, 3, 1}, {0, 1, 0}});
  play(stencil, red_blue_white(8), replay(stencil, skewed, 8, Replacement::belady, true).moves);
  EXPECT_LT(replay(stencil, skewed, 8).moved(), replay(stencil, natural_order(stencil), 8).moved());
  EXPECT_THROW(tiled_order(stencil, {{4, 2, 0}}), Error);
}

TEST(Schedule, GoodSchedulesBeatTheNaturalOrder) {
  for (const char* description : {"matmul:12,12,12", "lu:14", "cholesky:16", "stencil:16,32"}) {
    const Graph graph = make_graph(description);
    ScheduleSearch search;
    search.seconds = std::numeric_limits<double>::infinity();
    search.vertices = 1'000 * std::int64_t{graph.size()};
    const Schedule good = good_schedule(graph, 20, search);
    EXPECT_LT(good.cost.moved(), replay(graph, natural_order(graph), 20).moved()) << description;
    EXPECT_EQ(good.cost.moved(), replay(graph, good.order, 20).moved());
  }
}

// Nothing is left to gain: the search ends, however long it might go on.
TEST(Schedule, SearchesEndWhereOnlyWhatMustMoveMoves) {
  const Graph graph = make_graph("matmul:6,6,6");
  ScheduleSearch search;
  search.seconds = std::numeric_limits<double>::infinity();
  const Schedule good = good_schedule(graph, 90, search);
  EXPECT_EQ(good.cost.moved(), 3 * 36);
  // a memory that holds everything, of any size
  for (const std::int64_t s : {std::int64_t{1000}, std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(good_schedule(graph, s, search).cost.moved(), 3 * 36);
  }
}

TEST(Schedule, TheSameEffortGivesTheSameSchedule) {
  const Graph graph = make_graph("lu:9");
  ScheduleSearch search;
  search.seconds = std::numeric_limits<double>::infinity();
  search.vertices = 300 * std::int64_t{graph.size()};
  std::int64_t reports = 0;
  search.progress = [&reports](const WorkDone& work) {
    ++reports;
    EXPECT_EQ(work.done, static_cast<double>(reports));
    EXPECT_TRUE(work.best_so_far);
  };
  const Schedule first = good_schedule(graph, 12, search);
  EXPECT_GE(reports, 300);
  reports = 0;
  EXPECT_EQ(good_schedule(graph, 12, search).order, first.order);
}

TEST(Schedule, TooSmallAMemoryIsNamed) {
  const Graph graph = make_graph("matmul:2,2,2");
  try {
    replay(graph, natural_order(graph), 3);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("C(0,0,1) and its operands need 4 words"),
              std::string::npos)
        << e.what();
  }
}

// Equations 3.27 and 3.28 of the dissertation.
std::int64_t paper_a(std::int64_t s) {
  const double root = std::sqrt(std::pow(static_cast<double>(s - 1), 3));
  return static_cast<std::int64_t>(
      std::floor((root - static_cast<double>(s) + 1) / static_cast<double>(s - 2)));
}
std::int64_t paper_b(std::int64_t s) {
  const double root = std::sqrt(std::pow(static_cast<double>(s - 1), 3));
  const auto x = static_cast<double>(s);
  return static_cast<std::int64_t>(std::floor(-(2 * x + root - x * x - 1) / (root - x + 1)));
}

TEST(OuterProduct, SimulatedWordsEqualTheFormula) {
  for (const std::int64_t s : {8, 14, 22, 32, 60}) {
    const OuterProduct probe = outer_product(64, 64, 4, s);
    const auto m = static_cast<std::int32_t>(3 * probe.a),
               n = static_cast<std::int32_t>(2 * probe.b);
    const std::int32_t k = 7;
    const OuterProduct product = outer_product(m, n, k, s);
    const Pebbling pebbling = outer_product_pebbling(m, n, k, s);
    const Graph graph = make_graph(pebbling.graph);
    const Tally tally = play(graph, pebbling.game, pebbling.moves);
    EXPECT_EQ(tally.moved(), outer_product_words(m, n, k, product));
    EXPECT_EQ(tally.moved(), std::int64_t{m} * n * k / product.a +
                                 std::int64_t{m} * n * k / product.b + std::int64_t{m} * n);
    EXPECT_LE(tally.units[0][0].most_words, s);
    EXPECT_GT(static_cast<double>(tally.moved()),
              2.0 * m * n * k / std::sqrt(static_cast<double>(s)) + 1.0 * m * n -
                  2.0 * static_cast<double>(s));
  }
}

// The paper's a and b, with the word more that a new partial result takes; and whole numbers that
// do better than the rounded real optimum.
TEST(OuterProduct, PaperTilesAreReachedOrBeaten) {
  int equal = 0, better = 0;
  for (std::int64_t s = 5; s <= 400; ++s) {
    const std::int64_t a = paper_a(s), b = paper_b(s);
    ASSERT_LE(a * b + a + 1, s);
    const std::int64_t large = 1000;
    const OuterProduct product = outer_product(1000, 1000, 2, s + 1);
    const std::int64_t ours = outer_product_words(large, large, 2, product);
    const std::int64_t paper = outer_product_words(large, large, 2, {a, b});
    EXPECT_LE(ours, paper) << s;
    equal += ours == paper ? 1 : 0;
    better += ours < paper ? 1 : 0;
  }
  EXPECT_GT(equal, 0);
  EXPECT_GT(better, 0);
  EXPECT_EQ(paper_a(17), 3);
  EXPECT_EQ(paper_b(17), 4);
}

TEST(OuterProduct, FewestWordsAmongOptimaOfSmallProducts) {
  const Pebbling product = outer_product_pebbling(2, 2, 2, 8);
  const Graph graph = make_graph("matmul:2,2,2");
  const Tally tally = play(graph, product.game, product.moves);
  EXPECT_EQ(tally.moved(), optimal_pebbling(graph, 8).upper);
  EXPECT_THROW(outer_product(2, 2, 2, 3), Error);
}

}  // namespace
}  // namespace redblue::test
