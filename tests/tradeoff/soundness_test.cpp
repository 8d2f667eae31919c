// SPDX-License-Identifier: BSD-3-Clause
// No parallel schedule is below a printed product.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "redblue/cdag.hpp"
#include "redblue/error.hpp"
#include "redblue/tradeoff.hpp"
#include "tradeoff/parallel_schedule.hpp"

namespace redblue {
namespace {

using cdag::Graph;
using cdag::Vertex;
using test::Owners;
using test::PathCosts;

struct Case {
  std::string kernel;
  std::map<std::string, std::int64_t> sizes;
  int power;           // of S + 1 beside F
  int words_power;     // of S beside W; -1 where there is no such product
  std::string family;  // whose instances with increasing counters must be balanced
};

TradeoffRequest request_for(const Case& c) {
  TradeoffRequest request;
  request.program.file = std::string(REDBLUE_SOURCE_DIR) + "/kernels/" + c.kernel + ".c";
  request.program.sizes = c.sizes;
  return request;
}

const TradeoffProduct& product(const TradeoffReport& report, char what) {
  for (const TradeoffProduct& p : report.products) {
    if (p.name.front() == what) return p;
  }
  throw Error("a product", "none", "");
}

// Different ways to share vertices out: at random, by one counter in blocks or cyclically, most to
// one processor.
Owners random_owners(const Graph& graph, int processors, bool again, std::mt19937& random) {
  Owners owners(static_cast<std::size_t>(graph.size()));
  const int kind = std::uniform_int_distribution<>(0, 3)(random);
  const auto dimension = std::uniform_int_distribution<std::size_t>(0, 2)(random);
  const int block = std::uniform_int_distribution<>(1, 4)(random);
  std::uniform_int_distribution<> any(0, processors - 1);
  std::bernoulli_distribution seldom(again ? 0.1 : 0.0), first(0.7);
  for (Vertex v = 0; v < graph.size(); ++v) {
    if (graph.input(v)) continue;
    const auto places = graph.coordinates(v);
    const int place = places.empty() ? 0 : places[dimension % places.size()];
    const int owner = kind == 0   ? any(random)
                      : kind == 1 ? place / block % processors
                      : kind == 2 ? place % processors
                                  : (first(random) ? 0 : any(random));
    auto& of = owners[static_cast<std::size_t>(v)];
    of.push_back(owner);
    const int other = any(random);
    if (seldom(random) && other != owner) of.push_back(other);
  }
  return owners;
}

// Whether no processor has more than half of the family's vertices with counters in any one order.
bool balanced(const Graph& graph, const Owners& owners, const std::string& family) {
  std::map<std::vector<std::size_t>, std::map<int, int>> shares;  // by order, by processor
  for (Vertex v = 0; v < graph.size(); ++v) {
    if (graph.input(v) || graph.family(v) != family) continue;
    const auto places = graph.coordinates(v);
    std::vector<std::size_t> order(places.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return places[a] < places[b]; });
    bool increasing = true;
    for (std::size_t i = 0; i + 1 < order.size(); ++i)
      increasing = increasing && places[order[i]] < places[order[i + 1]];
    if (increasing) ++shares[order][owners[static_cast<std::size_t>(v)].front()];
  }
  for (const auto& [order, by_processor] : shares) {
    int all = 0, most = 0;
    for (const auto& [processor, vertices] : by_processor) {
      all += vertices;
      most = std::max(most, vertices);
    }
    if (2 * most > all) return false;
  }
  return !shares.empty();
}

class Schedules : public testing::TestWithParam<Case> {};

TEST_P(Schedules, NeverBeatAProduct) {
  const Case& c = GetParam();
  const TradeoffRequest request = request_for(c);
  const TradeoffReport report = tradeoffs(request);
  const Graph graph = cdag::source_graph(request.program);
  const double operations = *product(report, 'F').value;
  const double words = c.words_power < 0 ? 0 : product(report, 'W').value.value_or(0);
  EXPECT_GT(operations, 1);
  std::mt19937 random(11);
  int schedules = 0, with_words = 0;
  const int trials = REDBLUE_SANITIZED ? 60 : 300;
  for (int trial = 0; trial < trials; ++trial) {
    const int processors = 2 + trial % 5;
    const bool again = trial % 3 == 2;
    const Owners owners = random_owners(graph, processors, again, random);
    for (const PathCosts& costs : {test::superstep_schedule(graph, owners, processors),
                                   test::pairwise_schedule(graph, owners, processors, random)}) {
      ++schedules;
      EXPECT_GE(PathCosts::product(costs.computed, 1, c.power), operations * (1 - 1e-9));
      if (words == 0 || again || !balanced(graph, owners, c.family)) continue;
      ++with_words;
      EXPECT_GE(PathCosts::product(costs.words, 0, c.words_power), words * (1 - 1e-9));
    }
  }
  EXPECT_EQ(schedules, 2 * trials);
  if (c.words_power >= 0) {
    EXPECT_GT(with_words, trials / 10);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Schedules,
                         testing::Values(Case{"trisolv", {{"N", 12}}, 1, 0, "S1"},
                                         Case{"trisolv", {{"N", 5}}, 1, -1, ""},
                                         Case{"cholesky", {{"N", 9}}, 2, 1, "S0"},
                                         Case{"lu", {{"N", 8}}, 2, 1, "S1"},
                                         Case{"durbin", {{"N", 9}}, 1, -1, ""},
                                         Case{"jacobi-1d", {{"T", 4}, {"N", 12}}, 1, -1, ""},
                                         Case{"jacobi-2d", {{"T", 3}, {"N", 7}}, 2, -1, ""}),
                         [](const auto& tested) {
                           std::string name = tested.param.kernel + "_" +
                                              std::to_string(tested.param.sizes.begin()->second);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Every assignment of a small solve to two processors.
TEST(Schedules, NoAssignmentOfASmallSolveBeatsItsProducts) {
  const Case c{"trisolv", {{"N", 4}}, 1, 0, "S1"};
  const TradeoffRequest request = request_for(c);
  const TradeoffReport report = tradeoffs(request);
  const Graph graph = cdag::source_graph(request.program);
  std::vector<Vertex> vertices;
  for (Vertex v = 0; v < graph.size(); ++v) {
    if (!graph.input(v)) vertices.push_back(v);
  }
  ASSERT_EQ(vertices.size(), 14U);  // 4 copies, 6 updates, 4 divisions
  double least = 1e9;
  for (unsigned choice = 0; choice < 1U << vertices.size(); ++choice) {
    Owners owners(static_cast<std::size_t>(graph.size()));
    for (std::size_t i = 0; i < vertices.size(); ++i)
      owners[static_cast<std::size_t>(vertices[i])] = {static_cast<int>(choice >> i & 1U)};
    const PathCosts costs = test::superstep_schedule(graph, owners, 2);
    least = std::min(least, PathCosts::product(costs.computed, 1, 1));
  }
  EXPECT_GE(least, *product(report, 'F').value);
}

// Along the same chain, intervals counted in the graph are at least those counted in the source.
TEST(Schedules, IntervalsInSourceAreNoLargerThanInTheGraph) {
  for (const Case& c :
       {Case{"trisolv", {{"N", 9}}, 1, 0, "S2"}, Case{"cholesky", {{"N", 9}}, 2, 1, "S1"}}) {
    const TradeoffRequest request = request_for(c);
    const Graph graph = cdag::source_graph(request.program);
    std::vector<Vertex> chain;
    for (Vertex v = 0; v < graph.size(); ++v) {
      if (!graph.input(v) && graph.family(v) == c.family) chain.push_back(v);
    }
    ASSERT_EQ(chain.size(), 9U);
    const TradeoffReport counted = cdag::tradeoffs(graph, chain);
    const TradeoffReport derived = tradeoffs(request);
    const auto& here = counted.products.at(static_cast<std::size_t>(c.power - 1));
    EXPECT_DOUBLE_EQ(*here.value, *product(derived, 'F').value);
  }
}

}  // namespace
}  // namespace redblue
