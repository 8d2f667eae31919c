// SPDX-License-Identifier: BSD-3-Clause
// The decomposition theorems of Elango et al., on exact optima of the red-blue-white game.
#include <gtest/gtest.h>

#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue::test {
namespace {

using namespace cdag;

std::int64_t optimum(const Graph& graph, std::int64_t s) {
  const Exact exact = optimal_pebbling(graph, s);
  EXPECT_TRUE(exact.proved());
  return exact.upper;
}

std::vector<std::string> graphs() {
  std::vector<std::string> all{"diamond:5,5",  "fft:8", "stencil:3,5",
                               "matmul:3,2,2", "lu:4",  "cholesky:4"};
  for (int seed = 1; seed <= 20; ++seed) all.push_back("random:20,2," + std::to_string(seed));
  return all;
}

TEST(Decomposition, DisjointPiecesAddUp) {  // Theorem 2
  for (const std::string& description : graphs()) {
    const Graph graph = make_graph(description);
    const std::int64_t s = graph.most_operands() + 1;
    for (const int pieces : {2, 3}) {
      std::int64_t sum = 0;
      std::vector<int> part;
      for (Vertex v = 0; v < graph.size(); ++v) part.push_back(v * pieces / graph.size());
      for (int p = 0; p < pieces; ++p) {
        sum += optimum(
            graph.induced([&](Vertex v) { return part[static_cast<std::size_t>(v)] == p; }), s);
      }
      const std::int64_t whole = optimum(graph, s);
      EXPECT_LE(sum, whole) << description;
      EXPECT_LE(decomposed_bound(graph, s, part), whole) << description;
    }
  }
}

TEST(Decomposition, InputsAndOutputsMayBeDeleted) {  // Corollary 2
  for (const std::string& description : graphs()) {
    const Graph graph = make_graph(description);
    const std::int64_t s = graph.most_operands() + 1;
    const auto gone = [&graph](Vertex v) {
      return graph.input(v) || (graph.output(v) && graph.readers(v).empty());
    };
    std::int64_t deleted = 0;
    for (Vertex v = 0; v < graph.size(); ++v) deleted += gone(v) ? 1 : 0;
    const Graph rest = graph.induced([&gone](Vertex v) { return !gone(v); });
    EXPECT_LE(optimum(rest, s) + deleted, optimum(graph, s)) << description;
  }
}

TEST(Decomposition, TagsCostAtMostAWordEach) {  // Theorem 3
  for (const std::string& description : graphs()) {
    const Graph tagged = make_graph(description);
    const std::int64_t s = tagged.most_operands() + 1;
    std::int64_t tags = 0;
    for (Vertex v = 0; v < tagged.size(); ++v) {
      tags += v % 2 == 0 && tagged.input(v) ? 1 : 0;
      tags += v % 2 == 0 && tagged.output(v) ? 1 : 0;
    }
    const Graph plain = tagged.retagged([&](Vertex v) { return tagged.input(v) && v % 2 != 0; },
                                        [&](Vertex v) { return tagged.output(v) && v % 2 != 0; });
    const std::int64_t with = optimum(tagged, s), without = optimum(plain, s);
    EXPECT_LE(with - tags, without) << description;
    EXPECT_LE(without, with) << description;
  }
}

TEST(Decomposition, TheBestIsNoLessThanTheWholeAndNoMoreThanAnOptimum) {
  for (const std::string& description : graphs()) {
    const Graph graph = make_graph(description);
    const std::int64_t s = graph.most_operands() + 1;
    const Decomposition best = best_decomposition(graph, s);
    EXPECT_GE(best.moved, graph_bound(graph, s, false).moved);
    EXPECT_LE(best.moved, optimum(graph, s)) << description;
  }
  EXPECT_THROW(decomposed_bound(make_graph("fft:4"), 4, {0, 1}), Error);
}

}  // namespace
}  // namespace redblue::test
