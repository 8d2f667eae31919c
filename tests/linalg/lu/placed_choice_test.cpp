// SPDX-License-Identifier: BSD-3-Clause
// LU in callers' layouts: the words of the way against a count, element by element, with pivots in
// random orders; what is chosen against the other plans.
#include "linalg/lu/placed_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "decomposition/cost.hpp"
#include "redblue/layout.hpp"

namespace redblue::linalg {
namespace {

struct Grid {
  int rows, columns;
  std::int64_t block;

  int owner(std::int64_t row, std::int64_t column) const {
    return static_cast<int>(row / block % rows) * columns +
           static_cast<int>(column / block % columns);
  }
};

layout::Arrangement placed(std::int64_t m, std::int64_t n, const Grid& g) {
  return layout::arrangement(block_cyclic(m, n, g.block, g.rows, g.columns, Rank(0)),
                             g.rows * g.columns);
}

// What the busiest rank receives on the way there and, with row i of P A from row order[i], back.
std::vector<std::int64_t> counted_way(const LuDecomposition& d, const Grid& caller,
                                      const std::vector<std::int64_t>& order) {
  const Grid plan = {d.grid_rows * d.replicas, d.grid_columns, d.block};
  std::vector<std::int64_t> words(static_cast<std::size_t>(d.ranks));
  for (std::int64_t i = 0; i < d.m; ++i) {
    for (std::int64_t j = 0; j < d.n; ++j) {
      const int at_home = caller.owner(i, j);
      const int there = plan.owner(i, j);
      const int found = i <= j ? there : plan.owner(order[static_cast<std::size_t>(i)], j);
      words[static_cast<std::size_t>(there)] += there == at_home ? 0 : 1;
      words[static_cast<std::size_t>(at_home)] += found == at_home ? 0 : 1;
    }
  }
  return words;
}

TEST(LuInLayout, WordsOfTheWayAreThoseCounted) {
  std::mt19937 random(7);
  const auto decomposition = [](const Grid& g, int replicas, std::int64_t m, std::int64_t n) {
    return LuDecomposition{m,
                           n,
                           g.rows * g.columns * replicas,
                           g.block,
                           g.rows,
                           g.columns,
                           replicas,
                           Exchange::direct};
  };
  struct Case {
    Grid caller, plan;
    int replicas;
    std::int64_t m, n;
  };
  for (const Case& c :
       {Case{{1, 3, 32}, {1, 3, 32}, 1, 300, 300}, Case{{1, 3, 32}, {1, 3, 16}, 1, 300, 300},
        Case{{2, 3, 16}, {3, 2, 8}, 1, 300, 200}, Case{{6, 1, 10}, {2, 3, 16}, 1, 200, 300},
        Case{{4, 2, 4}, {2, 2, 4}, 2, 320, 320}}) {
    const LuDecomposition d = decomposition(c.plan, c.replicas, c.m, c.n);
    std::vector<double> mean(static_cast<std::size_t>(d.ranks));
    constexpr int orders = 20;
    for (int k = 0; k < orders; ++k) {
      std::vector<std::int64_t> order(static_cast<std::size_t>(c.m));
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random);
      const std::vector<std::int64_t> words = counted_way(d, c.caller, order);
      for (std::size_t r = 0; r < words.size(); ++r)
        mean[r] += static_cast<double>(words[r]) / orders;
    }
    const double counted = *std::max_element(mean.begin(), mean.end());
    const auto expected = static_cast<double>(words_of_way(placed(c.m, c.n, c.caller), d).value);
    EXPECT_NEAR(expected, counted, 0.1 * counted) << d.name();
  }
}

// The columns of a grid with one row have all rows of a panel: nothing moves but L, to all.
TEST(LuInLayout, StaysOnAGridOfOneRow) {
  const layout::Arrangement at = placed(800, 800, {1, 3, 32});
  const LuDecomposition d = choose_lu_for(at, 3, {});
  EXPECT_EQ(d.name(), "grid 1 x 3, blocks of 32");
  EXPECT_EQ(words_of_way(at, d).value, 0);
}

TEST(LuInLayout, MovesNoMoreThanTheUsualPlanWithItsWay) {
  for (const std::int64_t n : {200, 800, 1600}) {
    for (const Grid& g : {Grid{1, 4, 16}, Grid{1, 6, 64}, Grid{1, 9, 16}, Grid{3, 4, 100},
                          Grid{2, 2, 37}, Grid{7, 1, 8}}) {
      const layout::Arrangement at = placed(n, n, g);
      const int ranks = g.rows * g.columns;
      const auto all = [&](const LuDecomposition& d) {
        return cost_of(d, {}).words.value + words_of_way(at, d).value;
      };
      const LuDecomposition usual = choose_lu(n, n, ranks, {});
      const LuDecomposition d = choose_lu_for(at, ranks, {});
      EXPECT_LE(10 * all(d), 11 * all(usual)) << n << " on " << g.rows << " x " << g.columns;
      if (all(d) > all(usual)) {
        EXPECT_LE(2 * cost_of(d, {}).messages.value, cost_of(usual, {}).messages.value);
      }
    }
  }
}

// A column at a time, so many steps would take minutes to plan.
TEST(LuInLayout, LeavesTinyBlocksOfLargeMatrices) {
  EXPECT_GE(choose_lu_for(placed(100000, 100000, {2, 2, 1}), 4, {}).block, 16);
}

TEST(LuInLayout, TakesTheBlocksAskedFor) {
  FactorOptions options;
  options.block = 24;
  EXPECT_EQ(choose_lu_for(placed(800, 800, {1, 3, 32}), 3, options).block, 24);
}

}  // namespace
}  // namespace redblue::linalg
