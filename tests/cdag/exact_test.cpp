// SPDX-License-Identifier: BSD-3-Clause
// Exact optima: against shortest paths over all boards on tiny graphs, and as far as is asked.
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "cdag/brute_force.hpp"
#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue::test {
namespace {

using namespace cdag;

Exact solved(const Graph& graph, std::int64_t s, bool recomputation) {
  ExactOptions options;
  options.recomputation = recomputation;
  options.seconds = std::numeric_limits<double>::infinity();
  const Exact exact = optimal_pebbling(graph, s, options);
  const Tally tally = play(graph, exact.pebbling.game, exact.pebbling.moves);
  EXPECT_EQ(tally.moved(), exact.upper) << "the pebbling found must cost what is said";
  return exact;
}

TEST(Exact, EqualsShortestPathsOverAllBoards) {
  int helped = 0;
  for (int seed = 1; seed <= 60; ++seed) {
    const Graph graph = make_graph("random:8,2," + std::to_string(seed));
    for (std::int64_t s = graph.most_operands() + 1; s <= 5; ++s) {
      const Exact once = solved(graph, s, false), again = solved(graph, s, true);
      ASSERT_TRUE(once.proved() && again.proved());
      EXPECT_EQ(once.upper, optimum_by_boards(graph, s, false)) << "seed " << seed << " S " << s;
      EXPECT_EQ(again.upper, optimum_by_boards(graph, s, true)) << "seed " << seed << " S " << s;
      helped += again.upper < once.upper ? 1 : 0;
    }
  }
  RecordProperty("recomputation_helped", helped);
}

// Sinks that are no outputs: computed in both games, for nobody.
TEST(Exact, DeadValuesAreComputed) {
  int dearer = 0;
  for (int seed = 1; seed <= 12; ++seed) {
    const Graph all = make_graph("random:8,2," + std::to_string(seed));
    const Graph graph = all.retagged([&](Vertex v) { return all.input(v); },
                                     [&](Vertex v) { return all.output(v) && v % 2 == 0; });
    const std::int64_t s = graph.most_operands() + 1;
    for (const bool recomputation : {false, true}) {
      const Exact exact = solved(graph, s, recomputation);
      ASSERT_TRUE(exact.proved());
      EXPECT_EQ(exact.upper, optimum_by_boards(graph, s, recomputation)) << "seed " << seed;
      dearer += exact.upper > graph.inputs() + graph.outputs() ? 1 : 0;
      EXPECT_LE(graph_bound(graph, s, recomputation).moved, exact.upper) << "seed " << seed;
    }
  }
  EXPECT_GT(dearer, 0);
}

TEST(Exact, TagsAreFollowed) {
  // An unread input, a computed value nobody wants, an output that is read, a source computed
  // from nothing.
  Builder builder(1);
  const auto family = builder.family("v");
  const auto at = [](std::int32_t i) { return std::array{i}; };
  const Vertex a = builder.input(family, at(0));
  const Vertex unread = builder.input(family, at(1));
  const Vertex free = builder.compute({}, family, at(2));
  const Vertex b = builder.compute(std::array{a, free}, family, at(3));
  const Vertex c = builder.compute(std::array{b, a}, family, at(4));
  const Vertex idle = builder.compute(std::array{b}, family, at(5));
  builder.output(b);
  builder.output(c);
  builder.output(unread);
  const Graph graph = builder.finish(false);
  EXPECT_FALSE(graph.output(idle));
  for (std::int64_t s = 3; s <= 4; ++s) {
    for (const bool recomputation : {false, true}) {
      const Exact exact = solved(graph, s, recomputation);
      ASSERT_TRUE(exact.proved());
      EXPECT_EQ(exact.upper, optimum_by_boards(graph, s, recomputation));
    }
  }
}

struct Case {
  std::string graph;
  std::int64_t from, to;  // S
};

class AsFarAsAsked : public testing::TestWithParam<Case> {};

TEST_P(AsFarAsAsked, IsProvedInAMinute) {
  const Graph graph = make_graph(GetParam().graph);
  for (std::int64_t s = GetParam().from; s <= GetParam().to; ++s) {
    const Exact once = solved(graph, s, false), again = solved(graph, s, true);
    EXPECT_TRUE(once.proved()) << "S " << s << " " << once.lower << ".." << once.upper;
    EXPECT_TRUE(again.proved()) << "S " << s << " " << again.lower << ".." << again.upper;
    EXPECT_LE(again.upper, once.upper);
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, AsFarAsAsked,
                         testing::Values(Case{"matmul:2,2,2", 4, 12}, Case{"matmul:3,2,2", 5, 8},
                                         Case{"diamond:3,3", 3, 5}, Case{"diamond:4,4", 3, 6},
                                         Case{"diamond:5,5", 3, 7}, Case{"diamond:6,6", 3, 8},
                                         Case{"fft:4", 3, 8}, Case{"fft:8", 3, 10},
                                         Case{"stencil:4,6", 4, 9}, Case{"stencil:3,6", 4, 9},
                                         Case{"stencil:6,4", 4, 7}),
                         [](const auto& instance) {
                           std::string name = instance.param.graph;
                           for (char& c : name)
                             c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                           return name;
                         });

TEST(Exact, RecomputationHelps) {
  const Graph graph = make_graph("diamond:6,6");
  EXPECT_EQ(solved(graph, 4, false).upper, 17);
  EXPECT_EQ(solved(graph, 4, true).upper, 13);
}

TEST(Exact, SaysWhatItKnowsWhenItMustEnd) {
  const Graph graph = make_graph("matmul:3,3,3");
  ExactOptions options;
  options.seconds = std::numeric_limits<double>::infinity();
  options.states = 200'000;
  std::int64_t reports = 0;
  options.progress = [&reports](const WorkDone& work) {
    ++reports;
    EXPECT_EQ(work.unit, "states");
  };
  const Exact exact = optimal_pebbling(graph, 6, options);
  EXPECT_LE(exact.states, options.states + graph.size() + 2);
  EXPECT_GT(reports, 10);
  const Exact again = optimal_pebbling(graph, 6, options);
  EXPECT_EQ(again.states, exact.states);
  EXPECT_EQ(again.lower, exact.lower);
  EXPECT_LE(exact.lower, 39);
  EXPECT_GE(exact.upper, 39);
  EXPECT_GT(exact.lower, 27);  // more than every input and output once
  EXPECT_EQ(play(graph, exact.pebbling.game, exact.pebbling.moves).moved(), exact.upper);
}

TEST(Exact, RefusesWhatItCannotDo) {
  EXPECT_THROW(optimal_pebbling(make_graph("matmul:4,4,4"), 8), Error);
  EXPECT_THROW(optimal_pebbling(make_graph("matmul:2,2,2"), 3), Error);
}

}  // namespace
}  // namespace redblue::test
