// SPDX-License-Identifier: BSD-3-Clause
// Triangle blocks and the bound of symmetric rank-k updates.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "decomposition/symmetric/triangle.hpp"

namespace redblue {

using namespace covering;

namespace {

SyrkPlanReport plan(std::int64_t n, std::int64_t k, int ranks) {
  return plan_syrk({{n, k}, ranks, {}, Objective::words, {}});
}

TEST(SyrkPlan, WideMatricesMoveTheBoundOnAnyNumberOfRanks) {
  for (int ranks = 1; ranks <= 64; ++ranks) {
    const SyrkPlanReport report = plan(256, 16384, ranks);
    EXPECT_LE(report.ratio, 1.05) << ranks << " ranks: " << report.decomposition.name();
    // Theorem 1's statement
    const double theorem = 256 * 255 / 2. * (1 - 1. / ranks);
    EXPECT_LE(static_cast<double>(report.cost.words.value), 1.05 * theorem + 1e-9);
  }
}

TEST(SyrkPlan, TallMatricesTouchNoMoreRowsThanPairCoveringDesigns) {
  const std::map<int, double> fractions = {{1, 1},        {3, 2 / 3.},  {4, 3 / 5.},   {6, 1 / 2.},
                                           {7, 3 / 7.},   {12, 1 / 3.}, {13, 4 / 13.}, {20, 1 / 4.},
                                           {21, 5 / 21.}, {30, 1 / 5.}, {31, 6 / 31.}, {56, 1 / 7.},
                                           {57, 8 / 57.}};
  constexpr double elements = 2048. * 256;
  for (int ranks = 3; ranks <= 64; ++ranks) {
    const double f = std::prev(fractions.upper_bound(ranks))->second;
    const SyrkPlanReport report = plan(2048, 256, ranks);
    EXPECT_LE(static_cast<double>(report.cost.words.value), 1.03 * (f - 1. / ranks) * elements)
        << ranks << " ranks: " << report.decomposition.name();
    EXPECT_GE(report.ratio, 1);
  }
}

// Nobody may move less than the bound when the work is even: every decomposition the choice knows.
TEST(SyrkBound, NoDecompositionOfEvenWorkBeatsIt) {
  int even = 0;
  for (const auto& [n, k] : {std::pair{12, 5}, std::pair{40, 40}, std::pair{7, 300},
                             std::pair{100, 3}, std::pair{2, 50}, std::pair{64, 64}}) {
    for (int ranks = 1; ranks <= 30; ++ranks) {
      for (const Alternative& a : plan(n, k, ranks).alternatives) {
        const double share = n * (n + 1) / 2. * k / ranks;
        if (a.cost.work > 1.0000001 * share) continue;
        EXPECT_GE(a.ratio, 1) << n << ' ' << k << ' ' << ranks << ' ' << a.shape;
        ++even;
      }
    }
  }
  EXPECT_GE(even, 10) << "decompositions of even work";
}

// Theorem 1 as printed, case by case.
TEST(SyrkBound, IsAtLeastTheorem1) {
  for (const std::int64_t n : {2, 3, 10, 100, 2048}) {
    for (const std::int64_t k : {1, 7, 100, 256, 16384}) {
      for (const int ranks : {1, 2, 4, 12, 64, 1000}) {
        const double a = static_cast<double>(n) * static_cast<double>(n - 1);
        const auto nd = static_cast<double>(n);
        const auto kd = static_cast<double>(k);
        if (a / 2 * kd < ranks) continue;  // fewer products than ranks: no even share
        const double w = n <= k && ranks <= kd / std::sqrt(a) ? nd * kd / ranks + a / 2
                         : n > k && ranks <= a / kd / kd
                             ? nd * kd / std::sqrt(ranks) + a / 2 / ranks
                             : 1.5 * std::pow(a * kd / ranks, 2. / 3);
        const double theorem = w - (a / 2 + nd * kd) / ranks;
        EXPECT_GE(syrk_lower_bound({n, k}, ranks), theorem - 1e-6 * (w + nd * kd))
            << n << ' ' << k << ' ' << ranks;
      }
    }
  }
}

// Idle ranks would save 1.5 % of the words and leave the others 23 % more to do.
TEST(SyrkPlan, NoRankIdlesWhereThatSavesLessThanItCosts) {
  for (const int ranks : {2, 8, 13, 16, 100, 128}) {
    EXPECT_EQ(plan(512, 65536, ranks).decomposition.replicas, ranks);
  }
}

// The bound is of the plan's own busiest rank, however uneven the work.
TEST(SyrkPlan, NeverMovesLessThanTheBoundItPrints) {
  for (const std::int64_t n : {1, 2, 5, 33, 100, 512}) {
    for (const std::int64_t k : {1, 3, 64, 700, 40000}) {
      for (int ranks = 1; ranks <= 40; ++ranks) {
        const SyrkPlanReport report = plan(n, k, ranks);
        EXPECT_GE(static_cast<double>(report.cost.words.value), report.lower_bound * (1 - 1e-12))
            << n << " x " << k << " on " << ranks << ": " << report.decomposition.name();
      }
    }
  }
}

TEST(SyrkPlan, MemoryIsHonouredOrTheLeastIsNamed) {
  const SyrkPlanRequest free = {{600, 600}, 7, {}, Objective::words, {}};
  const Words most = plan_syrk(free).cost.memory;
  SyrkPlanRequest tight = free;
  tight.memory = Words(most.value * 3 / 4);
  EXPECT_LE(plan_syrk(tight).cost.memory, *tight.memory);
  tight.memory = Words(1000);
  EXPECT_THROW(plan_syrk(tight), std::exception);
}

// More ranks than that never move more: some may idle.
TEST(SyrkPlan, MoreRanksThanAThousandNeverMoveMore) {
  for (const auto& [n, k] : {std::pair{512, 64}, std::pair{200, 2000}, std::pair{60, 3}}) {
    std::int64_t before = plan(n, k, 1024).cost.words.value;
    for (const int ranks : {1025, 1400, 2000, 3001, 6000, 20000, 100003}) {
      const SyrkPlanReport report = plan(n, k, ranks);
      EXPECT_LE(report.cost.words.value, before) << n << " x " << k << " on " << ranks;
      EXPECT_LE(report.decomposition.ranks_used(), ranks);
      before = report.cost.words.value;
    }
  }
}

// By counting what every rank owns of what it needs.
TEST(SyrkPlan, WordsOfManyRanksAreTheirFootprintsLessWhatTheyOwn) {
  for (const auto& [n, k, ranks] :
       {std::tuple{90, 70, 1500}, std::tuple{300, 9, 2000}, std::tuple{40, 400, 1200}}) {
    const TriangleDecomposition d = plan(n, k, ranks).decomposition;
    ASSERT_TRUE(replicas_are_alike(d));
    const Ownership owned = ownership(d);
    std::vector<std::int64_t> words(static_cast<std::size_t>(d.ranks_used()));
    std::int64_t counted_c = 0;
    for (const Cell& cell : owned.a) {
      for (std::size_t t = 0; t < cell.needers.size(); ++t) {
        words[static_cast<std::size_t>(cell.needers[t])] += cell.block.size() - cell.share(t);
      }
    }
    for (const Cell& cell : owned.c) {
      const auto others = static_cast<std::int64_t>(cell.needers.size()) - 1;
      for (std::size_t t = 0; t < cell.needers.size(); ++t) {
        const std::int64_t share =
            counted(cell, cell.begins[t + 1]) - counted(cell, cell.begins[t]);
        words[static_cast<std::size_t>(cell.needers[t])] += share * others;
        counted_c += share;
      }
    }
    EXPECT_EQ(counted_c, std::int64_t{n} * (n + 1) / 2);
    EXPECT_EQ(cost_of(d, {}).words.value, *std::max_element(words.begin(), words.end()))
        << d.name();
  }
}

// Every layer gets as much of C, to within one word, however small the pairs are.
TEST(SyrkPlan, LayersShareOutputsEvenly) {
  for (const int layers : {1, 2, 5, 7}) {
    OutputShares shares(layers);
    std::vector<std::int64_t> of_layer(static_cast<std::size_t>(layers));
    std::int64_t total = 0;
    for (const std::int64_t rows : {1, 3, 1, 4, 2, 2, 6}) {
      for (const bool diagonal : {true, false}) {
        Cell cell;
        cell.block = {{10, 10 + rows}, {diagonal ? 10 : 0, diagonal ? 10 + rows : 1}};
        shares.share(cell);
        ASSERT_EQ(cell.begins.size(), of_layer.size() + 1);
        EXPECT_EQ(cell.begins.front(), 0);
        EXPECT_EQ(cell.begins.back(), cell.block.size());
        for (std::size_t l = 0; l < of_layer.size(); ++l) {
          const std::int64_t share =
              counted(cell, cell.begins[l + 1]) - counted(cell, cell.begins[l]);
          EXPECT_GE(share, 0);
          of_layer[l] += share;
          total += share;
        }
        const auto [least, most] = std::minmax_element(of_layer.begin(), of_layer.end());
        EXPECT_LE(*most - *least, 1);
      }
    }
    EXPECT_EQ(total, 1 + 6 + 1 + 10 + 3 + 3 + 21 + 1 + 3 + 1 + 4 + 2 + 2 + 6);
  }
}

}  // namespace
}  // namespace redblue
