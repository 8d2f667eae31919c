// SPDX-License-Identifier: BSD-3-Clause
// Where products are computed: assignments against all permutations, placements against what the
// layouts make obvious.
#include "linalg/gemm/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "linalg/plan/caller_layouts.hpp"

namespace redblue {

using namespace linalg;

namespace {

TEST(Assignment, IsTheBestOfAllPermutations) {
  std::mt19937 engine(7);
  for (int turn = 0; turn < 200; ++turn) {
    const std::size_t n = 1 + engine() % 6;
    std::vector<std::vector<std::int64_t>> gain(n, std::vector<std::int64_t>(n));
    for (auto& row : gain) {
      for (auto& g : row) g = static_cast<std::int64_t>(engine() % 20);
    }
    const auto total = [&gain](const std::vector<int>& columns) {
      std::int64_t sum = 0;
      for (std::size_t r = 0; r < columns.size(); ++r) {
        sum += gain[r][static_cast<std::size_t>(columns[r])];
      }
      return sum;
    };
    std::vector<int> columns(n);
    std::iota(columns.begin(), columns.end(), 0);
    std::int64_t best = 0;
    do best = std::max(best, total(columns));
    while (std::next_permutation(columns.begin(), columns.end()));
    EXPECT_EQ(total(best_assignment(gain)), best);
  }
}

layout::Arrangement cyclic(std::int64_t rows, std::int64_t columns, int grid_rows,
                           int grid_columns) {
  return layout::arrangement(block_cyclic(rows, columns, 16, grid_rows, grid_columns, Rank{0}),
                             grid_rows * grid_columns);
}

TEST(Placements, WhatDominatesStaysInPlace) {
  const auto best = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    return placements({m, n, k}, cyclic(m, k, 2, 3), cyclic(k, n, 2, 3), cyclic(m, n, 2, 3), {}, {})
        .front()
        .name;
  };
  EXPECT_EQ(best(6000, 6000, 64), "C in place");
  EXPECT_EQ(best(6000, 64, 6000), "A in place");
  EXPECT_EQ(best(64, 6000, 6000), "B in place");
}

// The domains cover every multiplication once, in every placement.
TEST(Placements, CoverTheIterationSpace) {
  const GemmShape s = {70, 50, 90};
  const std::vector<Placement> all =
      placements(s, cyclic(70, 90, 3, 2), cyclic(90, 50, 2, 3), cyclic(70, 50, 1, 6), {}, {});
  EXPECT_GE(all.size(), 4U);  // each matrix in place, and a grid
  for (const Placement& p : all) {
    std::vector<int> seen(static_cast<std::size_t>(s.m * s.n * s.k));
    const auto each = [](const layout::IndexSet& set, auto f) {
      for (const layout::Interval& i : set.intervals()) {
        for (std::int64_t x = i.begin; x < i.end; ++x) f(x);
      }
    };
    for (const Domain& d : p.domains) {
      each(d.i, [&](std::int64_t i) {
        each(d.j, [&](std::int64_t j) {
          each(d.k,
               [&](std::int64_t k) { ++seen[static_cast<std::size_t>((i * s.n + j) * s.k + k)]; });
        });
      });
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), s.m * s.n * s.k) << p.name;
  }
}

// Every placement's words, element by element.
TEST(Placements, WordsAreWhatRanksLackAndContribute) {
  const GemmShape s = {33, 50, 47};
  const layout::Arrangement a = cyclic(33, 47, 1, 6);
  const layout::Arrangement b = cyclic(47, 50, 2, 3);
  const layout::Arrangement c = cyclic(33, 50, 1, 6);
  int groups = 0;
  for (const Placement& p : placements(s, a, b, c, {}, {})) {
    std::vector<std::int64_t> received(6);
    const auto held = [](const layout::Arrangement& x, std::size_t rank, std::int64_t row,
                         std::int64_t column) {
      bool found = false;
      layout::for_each_element(x.of_rank[rank], [&](auto r, auto l, auto) {
        found = found || (r == row && l == column);
      });
      return found;
    };
    const auto each = [](const layout::Patch& block, auto f) {
      layout::for_each_element(std::vector<layout::Patch>{block},
                               [&f](auto row, auto column, auto) { f(row, column); });
    };
    for (std::size_t r = 0; r < 6; ++r) {
      const Domain& d = p.domains[r];
      if (d.empty()) continue;
      for (const Operand o : {Operand::a, Operand::b}) {
        const layout::Arrangement& x = o == Operand::a ? a : b;
        each(footprint(d, o, d.k), [&](std::int64_t row, std::int64_t column) {
          received[r] += held(x, r, row, column) ? 0 : 1;
        });
      }
      each(footprint(d, Operand::c, d.k), [&](std::int64_t row, std::int64_t column) {
        for (std::size_t owner = 0; owner < 6; ++owner) {
          if (owner != r && held(c, owner, row, column)) ++received[owner];
        }
      });
    }
    EXPECT_EQ(p.words, *std::max_element(received.begin(), received.end())) << p.name;
    groups += p.name.find("groups") != std::string::npos ? 1 : 0;
  }
  EXPECT_GE(groups, 4);
}

// Columns on seven ranks: C in place takes 2.19 times the bound.
TEST(Placements, GroupsMoveLessThanWhatStaysInPlace) {
  const layout::Arrangement columns =
      layout::arrangement(block_cyclic(2000, 2000, 64, 1, 7, Rank{0}), 7);
  const GemmShape s = {2000, 2000, 2000};
  const Placement best = placements(s, columns, columns, columns, {}, {}).front();
  EXPECT_LE(static_cast<double>(best.words), 1.5 * gemm_lower_bound(s, 7)) << best.name;
  double most = 0;
  for (const Domain& d : best.domains) {
    most = std::max(most,
                    static_cast<double>(d.i.size() * d.j.size()) * static_cast<double>(d.k.size()));
  }
  EXPECT_LE(most, 1.001 * 5 * 64 * 4e6);  // five blocks of columns, as where C is in place
}

// Blocks that are a plan's own boxes, on other ranks: relabelled, nothing of A and B moves that the
// multiplication does not need.
TEST(Placements, BoxesGoToTheRanksThatHoldThem) {
  const GemmShape s = {400, 400, 4};
  BlockGrid c;
  c.row_cuts = {0, 200, 400};
  c.column_cuts = {0, 200, 400};
  c.owners = {Rank{3}, Rank{0}, Rank{2}, Rank{1}};
  const layout::Arrangement at_c = layout::arrangement(c, 4);
  for (const Placement& p :
       placements(s, cyclic(400, 4, 2, 2), cyclic(4, 400, 2, 2), at_c, {}, {})) {
    if (p.name != "grid 2 x 2 x 1") continue;
    for (std::size_t r = 0; r < 4; ++r) {
      const layout::Patch face = footprint(p.domains[r], Operand::c, p.domains[r].k);
      EXPECT_EQ(count_shared(at_c.of_rank[r], face), 200 * 200);
    }
    return;
  }
  FAIL() << "no grid among the placements";
}

TEST(Steps, EachRankStartsWithWhatItHolds) {
  const layout::Arrangement a = cyclic(640, 640, 2, 2);
  std::vector<Placement> ways = placements({640, 640, 640}, a, a, a, {}, {});
  const auto in_place = std::find_if(ways.begin(), ways.end(),
                                     [](const Placement& p) { return p.name == "C in place"; });
  ASSERT_NE(in_place, ways.end());
  cut_into_steps(*in_place, a, a, {});
  for (std::size_t r = 0; r < 4; ++r) {
    const Domain& d = in_place->domains[r];
    ASSERT_EQ(d.steps.size(), 2U);
    std::int64_t k = 0;
    for (const layout::IndexSet& step : d.steps) k += step.size();
    EXPECT_EQ(k, 640);
    EXPECT_TRUE(stored_block(a.of_rank[r], footprint(d, Operand::a, d.steps[0])).has_value() ||
                stored_block(a.of_rank[r], footprint(d, Operand::b, d.steps[0])).has_value());
  }
}

}  // namespace
}  // namespace redblue
