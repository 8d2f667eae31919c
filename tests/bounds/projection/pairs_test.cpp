// SPDX-License-Identifier: BSD-3-Clause
// Sums over all pairs: segments of every shape that a climb finds hold no more instances than
// pairs_chi allows their operands; programs have the leading terms worked out by hand, and neither
// replays nor exact optima move less than their bounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "analysis/formula_at.hpp"
#include "bounds/cheapest_replay.hpp"
#include "bounds/projection/pairs_chi.hpp"
#include "redblue/analysis.hpp"
#include "redblue/pebble.hpp"
#include "temporary_folder.hpp"

namespace redblue::bounds {
namespace {

using Run = std::pair<int, int>;              // places from .. to, without the last
using Layer = std::vector<std::vector<Run>>;  // runs of every row, apart from each other

// What a segment computes, and at which pairs the values looked through come from outside.
struct Segment {
  std::vector<Layer> layers;
  std::set<std::pair<int, int>> outside;
};

struct Counted {
  double instances = 0, operands = 0;
};

// Instances `distance` or more off the diagonal, and what they and those in their runs need.
Counted counted(const Segment& segment, const PairsShape& shape, int distance) {
  double instances = 0, runs = 0;
  std::set<int> positions, places;
  std::set<std::pair<int, int>> values;
  for (const Layer& layer : segment.layers) {
    for (int row = 0; row < static_cast<int>(layer.size()); ++row) {
      for (const auto& [from, to] : layer[static_cast<std::size_t>(row)]) {
        int far = 0;
        for (int place = from; place < to; ++place) far += std::abs(row - place) >= distance;
        if (far == 0) continue;
        instances += far;
        ++runs;
        for (int place = from; place < to; ++place) {
          if (shape.pairs_a_value > 0 && segment.outside.count({row, place}) != 0) {
            // One value for a pair, or for it and its mirror image.
            const bool mirrored = shape.pairs_a_value > 1 && row > place;
            values.insert(mirrored ? std::pair(place, row) : std::pair(row, place));
            continue;
          }
          positions.insert({row, place});
          places.insert(place);
        }
      }
    }
  }
  return {instances, runs +
                         static_cast<double>(shape.both) * static_cast<double>(positions.size()) +
                         static_cast<double>(shape.placed) * static_cast<double>(places.size()) +
                         static_cast<double>(values.size())};
}

class Climb {
 public:
  Climb(const PairsShape& shape, int rows, int distance, unsigned seed)
      : shape_(shape), rows_(rows), distance_(distance), random_(seed) {
    best_.layers.assign(static_cast<std::size_t>(shape.layers),
                        Layer(static_cast<std::size_t>(rows)));
    for (int blocks = below(4); blocks > 0; --blocks) add_block(best_);
  }

  // The largest share of pairs_chi that a segment fills.
  double filled(int steps) {
    double most = 0;
    for (int step = 0; step < steps; ++step) {
      Segment next = best_;
      for (int changes = 1 + below(3); changes > 0; --changes) change(next);
      const Counted now = counted(next, shape_, distance_);
      const double share =
          now.instances > 0 ? now.instances / pairs_chi(shape_, now.operands, distance_) : 0;
      if (share < 0.999 * most) continue;
      most = std::max(most, share);
      best_ = std::move(next);
    }
    return most;
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  std::pair<int, int> interval() {
    const int from = below(rows_);
    return {from, from + 1 + below(rows_ - from)};
  }

  static void add(std::vector<Run>& runs, const Run& more) {
    std::erase_if(runs,
                  [&](const Run& r) { return r.first < more.second && more.first < r.second; });
    runs.push_back(more);
  }

  void add_block(Segment& segment) {
    const auto [first, last] = interval();
    const Run places = interval();
    Layer& layer =
        segment.layers[static_cast<std::size_t>(below(static_cast<int>(segment.layers.size())))];
    for (int row = first; row < last; ++row) add(layer[static_cast<std::size_t>(row)], places);
  }

  void change(Segment& segment) {
    Layer& layer =
        segment.layers[static_cast<std::size_t>(below(static_cast<int>(segment.layers.size())))];
    std::vector<Run>& row = layer[static_cast<std::size_t>(below(rows_))];
    switch (below(8)) {
      case 0:
        row.clear();
        break;
      case 1:
        row = layer[static_cast<std::size_t>(below(rows_))];
        break;
      case 2:
        add(row, interval());
        break;
      case 3:
        add_block(segment);
        break;
      case 4:
        for (auto [at, end] = interval(); at < end; ++at)
          layer[static_cast<std::size_t>(at)].clear();
        break;
      case 5:
        if (!row.empty() && row.front().second - row.front().first > 1) ++row.front().first;
        break;
      case 6:
        for (int at = 0, place = below(rows_); at < rows_; ++at)
          segment.outside.insert({at, place});
        break;
      default:
        std::erase_if(segment.outside,
                      [place = below(rows_)](const auto& p) { return p.second == place; });
    }
  }

  PairsShape shape_;
  int rows_, distance_;
  std::mt19937 random_;
  Segment best_;
};

TEST(Pairs, NoSegmentHoldsMore) {
  const std::vector<PairsShape> shapes = {{1, 1, 0, 0}, {1, 1, 1, 0}, {1, 3, 1, 0}, {2, 1, 0, 0},
                                          {2, 2, 0, 0}, {3, 3, 1, 0}, {1, 1, 0, 1}, {1, 2, 1, 1},
                                          {2, 2, 0, 1}, {3, 3, 1, 1}, {1, 1, 0, 2}, {2, 2, 1, 2}};
  double most = 0;
  unsigned seed = 0;
  for (const PairsShape& shape : shapes) {
    for (const int rows : {8, 16}) {
      for (const int distance : {1, 2, 4, 6}) {
        const double share = Climb(shape, rows, distance, ++seed).filled(600);
        EXPECT_LE(share, 1 + 1e-9)
            << shape.layers << " layers, " << shape.both << " + " << shape.placed << " arrays, "
            << shape.pairs_a_value << " pairs a value, distance " << distance << ", seed " << seed;
        most = std::max(most, share);
      }
    }
  }
  EXPECT_GT(most, 0.9);  // the climb gets somewhere
}

// One block, and two that are each other's mirror image, meet the inequality; a square on the
// diagonal holds twice that.
TEST(Pairs, Extremes) {
  constexpr int side = 12, distance = 15;
  Segment block{{Layer(5 * side)}, {}}, mirrored = block, square = block;
  for (std::size_t r = 0; r < side; ++r) {
    block.layers[0][r] = {{3 * side, 5 * side}};
    mirrored.layers[0][r] = {{4 * side, 5 * side}};
    mirrored.layers[0][4 * side + r] = {{0, side}};
    square.layers[0][r] = {{0, side}};
  }
  const PairsShape one;
  const auto share = [&](const Segment& segment, int left_out) {
    const Counted all = counted(segment, one, left_out);
    return all.instances / pairs_chi(one, all.operands, distance);
  };
  EXPECT_DOUBLE_EQ(share(block, distance), 1);
  EXPECT_DOUBLE_EQ(share(mirrored, distance), 1);
  EXPECT_DOUBLE_EQ(share(square, 0), 2);
  EXPECT_EQ(counted(square, one, distance).instances, 0);
}

// Formulas take X = 2 S and the distance S (times the pairs of a value).
TEST(Pairs, TheFormulasDistanceIsEnough) {
  for (long layers = 1; layers <= 6; ++layers) {
    for (long both = 1; both <= 5; ++both) {
      for (long placed = 0; placed <= 3; ++placed) {
        for (long values = 0; values <= 2; ++values) {
          const PairsShape shape{layers, both, placed, values};
          const double factor = values > 0 ? static_cast<double>(values) : 1;
          EXPECT_LE(far_enough(shape, 2), factor * (1 + 1e-12));
          const double s = 1e6;  // where values looked through do not count
          const double k = pairs_constant(shape).to_double();
          EXPECT_NEAR(pairs_chi(shape, 2 * s, factor * s) / (4 * k * s * s), 1, 1e-3);
        }
      }
    }
  }
}

}  // namespace
}  // namespace redblue::bounds

namespace redblue {
namespace {

struct Case {
  const char* name;
  const char* body;
  const char* leading;
  const char* statement;
};

// Of one block: r rows and w places with r (own words) + w (words) = X = 2 S.
const Case cases[] = {
    {"all", "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) F[i] += P[i] * P[j];",
     "2*n^2/S", "S0"},
    {"backwards",
     "for (int i = 0; i < n; i++) for (int j = n - 1; j >= 0; j--) F[i] += P[i] * P[j];", "2*n^2/S",
     "S0"},
    {"columns", "for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) F[i] += P[i] * P[j];",
     "2*n^2/S", "S0"},
    {"others",
     "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if (i != j) F[i] += P[i] * P[j];",
     "2*n^2/S", "S0"},
    {"below", "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) F[i] += P[i] * P[j];",
     "n^2/S", "S0"},
    {"both",
     "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) {\n"
     "  F[i] += P[i] * P[j]; F[j] -= P[i] * P[j]; }",
     "2*n^2/S", "S0+S1"},
    {"both_by_scalar",
     "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) {\n"
     "  double d = P[i] - P[j]; double f = d * M[i] * M[j] + d; F[i] += f; F[j] -= f; }",
     "4*n^2/S", "S2+S3"},
    {"weighted",
     "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)\n"
     "  F[i] += M[j] * (P[i] - P[j]);",
     "4*n^2/S", "S0"},
    {"steps",
     "for (int t = 0; t < n; t++) { for (int i = 0; i < n; i++) { F[i] = 0;\n"
     "  for (int j = 0; j < n; j++) F[i] += P[i] * P[j]; }\n"
     "  for (int i = 0; i < n; i++) P[i] += F[i]; }",
     "2*n^3/S", "S1"},
};

std::string file_of(const Case& one) {
  const std::string path = test::temporary_folder() + "redblue_pairs_" + one.name + ".c";
  std::ofstream(path) << "void f(int n, double F[n], double P[n], double M[n]) {\n"
                      << one.body << "\n}\n";
  return path;
}

TEST(Pairs, LeadingTerms) {
  for (const Case& one : cases) {
    const BoundReport report = lower_bounds({file_of(one), "", {}, {}});
    const LowerBound& best = report.bounds[report.best];
    EXPECT_EQ(best.method, "pairs") << one.name;
    EXPECT_EQ(best.leading, one.leading) << one.name;
    EXPECT_EQ(best.statement, one.statement) << one.name;
  }
}

TEST(Pairs, NoReplayMovesLess) {
  for (const Case& one : cases) {
    int above_zero = 0;
    const BoundedProgram program(BoundRequest{file_of(one), "", {}, {}});
    const bool steps = std::string(one.name) == "steps";
    for (const std::int64_t n :
         steps ? std::vector<std::int64_t>{9, 14} : std::vector<std::int64_t>{16, 36}) {
      const cdag::Graph graph = cdag::source_graph({file_of(one), "", {}, {{"n", n}}});
      for (const std::int64_t s : {5, 6, 8, 12}) {
        if (s <= graph.most_operands()) continue;
        const std::int64_t best = test::cheapest_replay(graph, s, {s / 2, s, 2 * s});
        for (const LowerBound& bound : program.at({{"n", n}, {"S", s}}).bounds) {
          if (!bound.proved()) continue;
          EXPECT_LE(*bound.value, static_cast<double>(best))
              << one.name << " n=" << n << " S=" << s << " " << bound.method << " "
              << bound.expression;
          above_zero += bound.method == "pairs" && *bound.value > 0 ? 1 : 0;
        }
      }
    }
    EXPECT_GT(above_zero, 0) << one.name;
  }
}

TEST(Pairs, NoFormulaIsMoreThanTheValue) {
  int compared = 0;
  for (const Case& one : cases) {
    const BoundedProgram program(BoundRequest{file_of(one), "", {}, {}});
    for (const std::int64_t s : {7, 9, 16}) {
      const test::SizeMap sizes = {{"n", 72}, {"S", s}};
      for (const LowerBound& bound : program.at(sizes).bounds) {
        if (bound.method != "pairs" || !bound.holds_at(sizes)) continue;
        EXPECT_LE(test::formula_at(bound.expression, sizes), *bound.value * (1 + 1e-9))
            << one.name << " S=" << s;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 20);
}

// In the exact game, where values may be computed again, too.
TEST(Pairs, NoOptimumIsLess) {
  int compared = 0;
  for (const Case& one : cases) {
    const BoundedProgram program(BoundRequest{file_of(one), "", {}, {}});
    for (const std::int64_t n : {3, 4}) {
      const cdag::Graph graph = cdag::source_graph({file_of(one), "", {}, {{"n", n}}});
      if (graph.size() > 24) continue;
      for (const std::int64_t s : {3, 4, 6}) {
        if (s <= graph.most_operands()) continue;
        for (const bool again : {false, true}) {
          cdag::ExactOptions options;
          options.recomputation = again;
          options.seconds = 1;
          const cdag::Exact exact = cdag::optimal_pebbling(graph, s, options);
          for (const LowerBound& bound : program.at({{"n", n}, {"S", s}}).bounds) {
            if (!bound.proved() || (again && !bound.recomputation)) continue;
            EXPECT_LE(*bound.value, static_cast<double>(exact.upper)) << one.name << n << s;
            ++compared;
          }
        }
      }
    }
  }
  EXPECT_GT(compared, 50);
}

// A block of (S - 1) / 2 rows with all places, row by row of it: what it moves is near the bound.
TEST(Pairs, BlocksOfRowsAreNearTheBound) {
  const BoundedProgram program(BoundRequest{file_of(cases[0]), "", {}, {}});
  for (const double s : {65.0, 257.0}) {
    const double n = 100 * s, rows = (s - 1) / 2;
    const double moved = 3 * n + std::ceil(n / rows) * n;
    const BoundReport report =
        program.at({{"n", static_cast<std::int64_t>(n)}, {"S", static_cast<std::int64_t>(s)}});
    EXPECT_LE(*report.bounds[report.best].value, moved);
    EXPECT_GE(*report.bounds[report.best].value, 0.93 * moved);
  }
}

}  // namespace
}  // namespace redblue
