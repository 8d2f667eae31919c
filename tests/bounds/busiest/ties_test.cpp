// SPDX-License-Identifier: BSD-3-Clause
// What processors receive for lines that they share: no way to put the vertices and inputs of a
// small program on processors receives less. For two processors all ways to share the counted
// instances evenly are tried, each with the best places for all other vertices (a least cut);
// for more, and for all kernels, ways that a search finds.
#include "bounds/busiest/ties.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bounds/busiest/small_program.hpp"
#include "kernel_names.hpp"
#include "redblue/analysis.hpp"
#include "redblue/cdag.hpp"

namespace redblue {
namespace {

using cdag::Graph;
using cdag::Vertex;
using test::index;
using test::request_of;
using test::SmallProgram;

// The vertices of the statements "S0+S3".
std::vector<Vertex> of_statements(const Graph& graph, const std::string& names) {
  std::vector<Vertex> result;
  const std::string all = "+" + names + "+";
  for (Vertex v = 0; v < graph.size(); ++v) {
    if (!graph.input(v) && all.find("+" + graph.family(v) + "+") != std::string::npos)
      result.push_back(v);
  }
  return result;
}

// Words that all receive where vertex v is computed, or begins, at home[v]: each value once by each
// other processor that reads it.
std::int64_t received(const Graph& graph, const std::vector<int>& home) {
  std::int64_t words = 0;
  for (Vertex u = 0; u < graph.size(); ++u) {
    std::set<int> by = {home[index(u)]};
    for (const Vertex v : graph.readers(u)) by.insert(home[index(v)]);
    words += static_cast<std::int64_t>(by.size()) - 1;
  }
  return words;
}

// A least cut between processors 0 and 1: value u costs one word where it is at one of them and
// read at the other (u -> u' -> readers, and readers -> u'' -> u, at one word each).
class Cut {
 public:
  explicit Cut(const Graph& graph) : nodes_(3 * index(graph.size()) + 2), next_(nodes_) {
    const std::size_t n = index(graph.size());
    for (Vertex u = 0; u < graph.size(); ++u) {
      if (graph.readers(u).empty()) continue;
      add(index(u), n + index(u), 1);
      add(2 * n + index(u), index(u), 1);
      for (const Vertex v : graph.readers(u)) {
        add(n + index(u), index(v), all);
        add(index(v), 2 * n + index(u), all);
      }
    }
    source_ = 3 * n;
    sink_ = 3 * n + 1;
  }

  std::int64_t least(const std::vector<Vertex>& shared, const std::vector<int>& home) {
    Cut made = *this;
    for (std::size_t i = 0; i < shared.size(); ++i) {
      if (home[i] == 0) made.add(made.source_, index(shared[i]), all);
      if (home[i] == 1) made.add(index(shared[i]), made.sink_, all);
    }
    std::int64_t words = 0;
    while (made.augment()) ++words;
    return words;
  }

 private:
  static constexpr int all = 1'000'000;
  struct Edge {
    std::size_t to;
    int room;
  };

  void add(std::size_t from, std::size_t to, int room) {
    next_[from].push_back(edges_.size());
    edges_.push_back({to, room});
    next_[to].push_back(edges_.size());
    edges_.push_back({from, 0});
  }

  bool augment() {
    constexpr auto none = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> by(nodes_, none);
    std::queue<std::size_t> queue;
    queue.push(source_);
    while (!queue.empty() && by[sink_] == none) {
      const std::size_t at = queue.front();
      queue.pop();
      for (const std::size_t e : next_[at]) {
        const std::size_t to = edges_[e].to;
        if (edges_[e].room == 0 || to == source_ || by[to] != none) continue;
        by[to] = e;
        queue.push(to);
      }
    }
    if (by[sink_] == none) return false;
    for (std::size_t at = sink_; at != source_; at = edges_[by[at] ^ 1].to) {
      --edges_[by[at]].room;
      ++edges_[by[at] ^ 1].room;
    }
    return true;
  }

  std::size_t nodes_, source_ = 0, sink_ = 0;
  std::vector<std::vector<std::size_t>> next_;
  std::vector<Edge> edges_;
};

std::int64_t least_of_two(const Graph& graph, const std::vector<Vertex>& shared) {
  Cut cut(graph);
  const std::size_t share = (shared.size() + 1) / 2;
  std::vector<int> home(shared.size(), 0);
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  const std::function<void(std::size_t, std::size_t)> extend = [&](std::size_t i,
                                                                   std::size_t ones) {
    if (i == home.size()) {
      best = std::min(best, cut.least(shared, home));
      return;
    }
    if (i - ones < share) {
      home[i] = 0;
      extend(i + 1, ones);
    }
    if (ones < share && i > 0) {  // the first is at 0: both are alike
      home[i] = 1;
      extend(i + 1, ones + 1);
    }
  };
  extend(0, 0);
  return best;
}

// Ways for several processors: the shared instances in slabs or bricks along their counters, what
// else there is where it costs least, then exchanges.
class Search {
 public:
  Search(const Graph& graph, const std::vector<Vertex>& shared, int processors)
      : graph_(graph), shared_(shared), processors_(processors), is_shared_(index(graph.size())) {
    for (const Vertex v : shared) is_shared_[index(v)] = true;
  }

  std::int64_t least() {
    const std::size_t dimensions = graph_.coordinates(shared_.front()).size();
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    for (std::size_t a = 0; a < dimensions; ++a) {
      for (std::size_t b = 0; b < dimensions; ++b) {
        for (int parts = 1; parts <= processors_; ++parts) {
          if (processors_ % parts != 0 || (a == b && parts > 1)) continue;
          best = std::min(best, from(bricks(a, b, parts)));
        }
      }
    }
    return best;
  }

 private:
  // `parts` slabs along counter a, each cut evenly along counter b.
  std::vector<int> bricks(std::size_t a, std::size_t b, int parts) const {
    std::vector<Vertex> order = shared_;
    const auto by = [this](std::size_t t) {
      return [this, t](Vertex x, Vertex y) {
        return graph_.coordinates(x)[t] < graph_.coordinates(y)[t];
      };
    };
    std::stable_sort(order.begin(), order.end(), by(a));
    const std::size_t share = this->share();
    const std::size_t slab = share * static_cast<std::size_t>(processors_ / parts);
    for (std::size_t begin = 0; begin < order.size(); begin += slab) {
      const std::size_t end = std::min(order.size(), begin + slab);
      std::stable_sort(order.begin() + static_cast<long>(begin),
                       order.begin() + static_cast<long>(end), by(b));
    }
    std::vector<int> home(index(graph_.size()), 0);
    for (std::size_t i = 0; i < order.size(); ++i)
      home[index(order[i])] = static_cast<int>(i / share);
    return home;
  }

  std::size_t share() const {
    const auto p = static_cast<std::size_t>(processors_);
    return (shared_.size() + p - 1) / p;
  }

  std::int64_t from(std::vector<int> home) const {
    settle(home);
    std::int64_t best = received(graph_, home);
    std::mt19937 random(1);
    for (int tries = 0; tries < 60; ++tries) {
      std::vector<int> other = home;
      const Vertex a = shared_[random() % shared_.size()], b = shared_[random() % shared_.size()];
      std::swap(other[index(a)], other[index(b)]);
      settle(other);
      const std::int64_t words = received(graph_, other);
      if (words > best) continue;
      best = words;
      home = other;
    }
    return best;
  }

  // All that is not shared goes where it costs least, one after the other, back and forth.
  void settle(std::vector<int>& home) const {
    for (int sweep = 0; sweep < 4; ++sweep) {
      for (Vertex i = 0; i < graph_.size(); ++i) {
        const Vertex v = sweep % 2 == 0 ? graph_.size() - 1 - i : i;
        if (is_shared_[index(v)]) continue;
        int at = home[index(v)];
        std::int64_t least = cost_around(v, home);
        for (int q = 0; q < processors_; ++q) {
          home[index(v)] = q;
          const std::int64_t cost = cost_around(v, home);
          if (cost >= least) continue;
          least = cost;
          at = q;
        }
        home[index(v)] = at;
      }
    }
  }

  std::int64_t cost_around(Vertex v, const std::vector<int>& home) const {
    std::int64_t words = cost_of(v, home);
    for (const Vertex u : graph_.operands(v)) words += cost_of(u, home);
    return words;
  }

  std::int64_t cost_of(Vertex u, const std::vector<int>& home) const {
    std::uint64_t by = std::uint64_t{1} << home[index(u)];
    for (const Vertex v : graph_.readers(u)) by |= std::uint64_t{1} << home[index(v)];
    return __builtin_popcountll(by) - 1;
  }

  const Graph& graph_;
  const std::vector<Vertex>& shared_;
  int processors_;
  std::vector<bool> is_shared_;
};

// What the busiest receives, and of which statements no processor has more than its share.
struct Claim {
  double words = 0;
  std::string statements;
};

std::vector<Claim> claims_of(const BoundReport& report) {
  std::vector<Claim> result;
  for (const LowerBound& bound : report.bounds) {
    const std::string& provided = bound.busiest_provided;
    const std::string mark = "of the instances of ";
    const auto at = provided.find(mark);
    if (at == std::string::npos || provided.find(" that the bound counts") != std::string::npos)
      continue;
    result.push_back({bound.busiest_value.value_or(0), provided.substr(at + mark.size())});
  }
  return result;
}

// Rows one way, columns the other, as deriche and adi.
const SmallProgram rows_and_columns{
    "rows_and_columns",
    "int N, double A[N][N+1], double B[N][N], double C[N+1][N], double x[N][N]",
    "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++)\n"
    "  A[i][j+1] = 2 * A[i][j] + x[i][j];\n"
    "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++)\n"
    "  B[i][j] = A[i][j+1] * A[i][j+1];\n"
    "for (int j = 0; j < N; j++) for (int i = 0; i < N; i++)\n"
    "  C[i+1][j] = 3 * C[i][j] + B[i][j];\n",
    {{"N", 4}}};
// Two arrays of inputs, each read along another direction, as lulesh.
const SmallProgram two_inputs{
    "two_inputs",
    "int N, double x[N+1][N], double y[N][N+1], double a[N][N], double b[N][N]",
    "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {\n"
    "  a[i][j] = x[i+1][j] - x[i][j];\n"
    "  b[i][j] = a[i][j] * (y[i][j+1] - y[i][j]);\n}\n",
    {{"N", 4}}};
// A value per step that all of the next step reads, as durbin's alpha.
const SmallProgram broadcast{"broadcast",
                             "int N, int T, double x[N], double s[T]",
                             "for (int t = 0; t < T; t++) {\n"
                             "  s[t] = x[t] * x[t];\n"
                             "  for (int i = 0; i < N; i++) x[i] = x[i] * s[t];\n}\n",
                             {{"N", 4}, {"T", 4}}};
// Rows only: nothing need be received.
const SmallProgram rows{"rows",
                        "int N, double A[N][N]",
                        "for (int i = 0; i < N; i++) for (int j = 1; j < N; j++)\n"
                        "  A[i][j] = A[i][j-1] + A[i][j];\n",
                        {{"N", 4}}};

TEST(Ties, NoWayToShareBetweenTwoReceivesLess) {
  for (const auto& [one, above_zero] :
       {std::pair{rows_and_columns, true}, {two_inputs, true}, {broadcast, true}, {rows, false}}) {
    const BoundRequest request = request_of(one, 2);
    const Graph graph = cdag::source_graph(request);
    const auto claims = claims_of(lower_bounds(request));
    EXPECT_EQ(above_zero, !claims.empty()) << one.name;
    for (const Claim& claim : claims) {
      const std::int64_t least = least_of_two(graph, of_statements(graph, claim.statements));
      EXPECT_LE(2 * claim.words, static_cast<double>(least) + 1e-6) << one.name;
      EXPECT_GT(claim.words, 0) << one.name;
    }
  }
}

class Kernels : public testing::TestWithParam<std::string> {};

TEST_P(Kernels, NoWayThatASearchFindsReceivesLess) {
  BoundRequest request{REDBLUE_SOURCE_DIR "/kernels/" + GetParam() + ".c", "", {}, {}};
  const BoundedProgram program(request);
  constexpr Vertex most = 1000;
  for (const std::int64_t n : {6, 5, 4, 3, 2}) {
    request.sizes.clear();
    for (const std::string& p : program.parameters()) request.sizes[p] = n;
    const Graph graph = cdag::source_graph(request);
    if (graph.size() > most) continue;
    request.sizes["S"] = 1000;
    for (const int processors : {2, 3, 4}) {
      const BoundReport report = program.at(request.sizes, processors);
      for (const Claim& claim : claims_of(report)) {
        if (claim.words <= 0) continue;
        const auto shared = of_statements(graph, claim.statements);
        ASSERT_FALSE(shared.empty()) << claim.statements;
        EXPECT_LE(processors * claim.words,
                  static_cast<double>(Search(graph, shared, processors).least()) + 1e-6)
            << GetParam() << " n=" << n << " on " << processors << ", " << claim.statements;
      }
    }
    break;
  }
}

TEST_P(Kernels, NoWayToShareBetweenTwoReceivesLess) {
  BoundRequest request{REDBLUE_SOURCE_DIR "/kernels/" + GetParam() + ".c", "", {}, {}};
  const BoundedProgram program(request);
  for (const std::int64_t n : {2, 3, 4, 5, 6}) {
    request.sizes.clear();
    for (const std::string& p : program.parameters()) request.sizes[p] = n;
    const Graph graph = cdag::source_graph(request);
    if (graph.size() > 300) break;
    request.sizes["S"] = 1000;
    for (const Claim& claim : claims_of(program.at(request.sizes, 2))) {
      const auto shared = of_statements(graph, claim.statements);
      if (claim.words <= 0 || shared.size() > 12) continue;
      EXPECT_LE(2 * claim.words, static_cast<double>(least_of_two(graph, shared)) + 1e-6)
          << GetParam() << " n=" << n << ", " << claim.statements;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Kernels, testing::ValuesIn(test::kernel_names()),
                         [](const auto& kernel) { return test::as_test_name(kernel.param); });

}  // namespace
}  // namespace redblue
