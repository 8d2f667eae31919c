// SPDX-License-Identifier: BSD-3-Clause
// Every bound of the project against exact optima: at least 300 small graphs, several S each, both
// games. No exceptions list.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "kernel_names.hpp"
#include "redblue/analysis.hpp"
#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue::test {
namespace {

using namespace cdag;

std::vector<std::string> corpus() {
  std::vector<std::string> all{"fft:2",    "fft:4",    "tree:9,3",    "tree:12,2",   "cg:1,2,1",
                               "cg:2,2,1", "cg:1,3,1", "gmres:1,2,1", "gmres:1,3,1", "gmres:2,2,1"};
  const auto add = [&all](const std::string& name, int from, int to, int dimensions) {
    for (int a = from; a <= to; ++a) {
      if (dimensions == 1) all.push_back(name + ":" + std::to_string(a));
      for (int b = from; dimensions == 2 && b <= to; ++b) {
        all.push_back(name + ":" + std::to_string(a) + "," + std::to_string(b));
      }
    }
  };
  add("lu", 2, 4, 1);
  add("cholesky", 2, 4, 1);
  add("trsv", 2, 5, 1);
  add("pyramid", 1, 6, 1);
  add("diamond", 2, 5, 2);
  add("stencil", 2, 5, 2);
  for (const int m : {1, 2, 3}) {
    for (const int n : {1, 2}) {
      for (const int k : {1, 2, 3}) {
        all.push_back("matmul:" + std::to_string(m) + "," + std::to_string(n) + "," +
                      std::to_string(k));
      }
    }
  }
  for (int seed = 1; seed <= 80; ++seed) {
    for (const char* shape : {"random:12,2,", "random:16,3,", "random:22,2,"}) {
      all.push_back(shape + std::to_string(seed));
    }
  }
  return all;
}

// Segments of the optimal pebbling itself imply at most its cost.
void check_lemma(const Graph& graph, const Exact& exact, std::int64_t s) {
  const SegmentedPebbling cut = segments_of(graph, exact.pebbling, s);
  EXPECT_LE((cut.x - cut.most_reused + cut.least_moved) *
                (static_cast<std::int64_t>(cut.segments.size()) - 1),
            exact.upper);
}

// So many states, however long they take: what is compared does not depend on the machine.
ExactOptions within(std::int64_t states, bool recomputation) {
  ExactOptions options;
  options.recomputation = recomputation;
  options.seconds = std::numeric_limits<double>::infinity();
  options.states = states;
  return options;
}

// Compares all bounds with the optimum, or where that is not proved with the best pebbling known.
// Returns whether it was proved.
bool compare(const std::string& description, const Graph& graph, std::int64_t s,
             bool recomputation) {
  const Exact exact = optimal_pebbling(graph, s, within(100'000, recomputation));
  EXPECT_EQ(play(graph, exact.pebbling.game, exact.pebbling.moves).moved(), exact.upper);
  const GraphBound bound = graph_bound(graph, s, recomputation);
  EXPECT_LE(bound.moved, exact.upper)
      << description << " S " << s << " " << bound.method << " " << recomputation;
  check_lemma(graph, exact, s);
  if (!recomputation) {
    EXPECT_LE(2 * (largest_wavefront(graph, graph.size()).size - s), exact.upper) << description;
    EXPECT_GE(replay(graph, natural_order(graph), s).moved(), exact.lower);
  }
  return exact.proved();
}

TEST(Corpus, NoBoundExceedsAnOptimum) {
  int proved = 0;
  for (const std::string& description : corpus()) {
    const Graph graph = make_graph(description);
    const std::int64_t least = graph.most_operands() + 1;
    bool all = true;
    for (const std::int64_t s : {least, least + 1, least + 3}) {
      for (const bool recomputation : {false, true}) {
        all = compare(description, graph, s, recomputation) && all;
      }
    }
    proved += all ? 1 : 0;
  }
  EXPECT_GE(proved, 300) << "graphs whose optima are all proved";
  RecordProperty("proved", proved);
}

class KernelOptimum : public testing::TestWithParam<std::string> {};

// The least any pebbling known moves: the exact search's for graphs it takes, else a schedule's.
std::int64_t least_known(const Graph& graph, std::int64_t s, bool recomputation) {
  if (graph.size() <= 64) {
    return optimal_pebbling(graph, s, within(8'000, recomputation)).upper;
  }
  ScheduleSearch search;
  search.seconds = std::numeric_limits<double>::infinity();
  search.vertices = 20 * std::int64_t{graph.size()};
  return good_schedule(graph, s, search).cost.moved();
}

// Bounds derived from source, at all sizes up to 6 and S up to 12 whose graph the exact search
// takes, and at the smallest sizes whatever the graph.
TEST_P(KernelOptimum, IsNotBelowAProvedBound) {
  const std::string file = REDBLUE_SOURCE_DIR "/kernels/" + GetParam() + ".c";
  BoundRequest request{file, "", {}, {}};
  const BoundedProgram program(request);
  const std::vector<std::string>& parameters = program.parameters();
  int compared = 0;
  bool far_too_large = false;  // larger sizes give larger graphs
  for (std::int64_t n = 1; n <= 6 && !far_too_large; ++n) {
    for (const std::int64_t odd : {0, 1}) {
      if (n + odd > 6) continue;  // the same sizes once more
      for (std::size_t p = 0; p < parameters.size(); ++p) {
        request.sizes[parameters[p]] = std::min<std::int64_t>(6, n + (p % 2 == 0 ? odd : 0));
      }
      request.sizes.erase("S");
      const Graph graph = source_graph(request);
      far_too_large = far_too_large || graph.size() > 2'000;
      const bool smallest = compared == 0;
      if ((graph.size() > 64 && !smallest) || graph.size() == 0) continue;
      const std::int64_t first = graph.most_operands() + 1;
      for (std::int64_t s = first; s <= std::max<std::int64_t>(first, 12); s += 3) {
        request.sizes["S"] = s;
        std::map<bool, std::int64_t> least;  // by game
        for (const LowerBound& bound : program.at(request.sizes).bounds) {
          if (!bound.proved()) continue;
          if (!least.contains(bound.recomputation)) {
            least[bound.recomputation] = least_known(graph, s, bound.recomputation);
          }
          EXPECT_LE(*bound.value, static_cast<double>(least[bound.recomputation]))
              << GetParam() << " n=" << n << " S=" << s << " " << bound.method << " "
              << bound.statement << " " << bound.expression;
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 0) << "no graph is small enough";
  RecordProperty("compared", compared);
}

INSTANTIATE_TEST_SUITE_P(Kernels, KernelOptimum, testing::ValuesIn(kernel_names()),
                         [](const auto& kernel) { return as_test_name(kernel.param); });

// Several fast memories that share the work move together at least what is said for them.
TEST(Corpus, NoHierarchicalPebblingBeatsABoundForSeveralMemories) {
  for (const char* kernel :
       {"gemm", "lu", "cholesky", "syrk", "jacobi-2d", "durbin", "cg-3d", "trisolv"}) {
    BoundRequest request{std::string(REDBLUE_SOURCE_DIR "/kernels/") + kernel + ".c", "", {}, {}};
    for (const std::string& p : lower_bounds(request).parameters) request.sizes[p] = 6;
    const Graph graph = source_graph(request);
    const Order order = natural_order(graph);
    for (const int units : {2, 4}) {
      const std::int64_t s = graph.most_operands() + 2;
      const Game game = hierarchical({{s, units}, {graph.size() + 1, 1}});
      std::vector<int> stretches(static_cast<std::size_t>(graph.size()), 0), turns = stretches;
      for (std::size_t i = 0; i < order.size(); ++i) {
        const auto v = static_cast<std::size_t>(order[i]);
        stretches[v] = static_cast<int>(i * static_cast<std::size_t>(units) / order.size());
        turns[v] = static_cast<int>(i % static_cast<std::size_t>(units));
      }
      request.sizes["S"] = s;
      request.units = units;
      const BoundReport report = lower_bounds(request);
      for (const auto& owner : {stretches, turns}) {
        const Pebbling pebbling = hierarchical_pebbling(graph, order, owner, game);
        std::int64_t crossed = 0;
        const Tally tally = play(graph, game, pebbling.moves);
        for (const UnitTraffic& u : tally.units[0]) {
          crossed += u.in + u.out;
        }
        for (const LowerBound& bound : report.bounds) {
          if (!bound.proved()) continue;
          EXPECT_LE(*bound.value, static_cast<double>(crossed))
              << kernel << " units " << units << " " << bound.method << " " << bound.expression;
        }
      }
      request.sizes.erase("S");
      request.units = 1;
    }
  }
}

}  // namespace
}  // namespace redblue::test
