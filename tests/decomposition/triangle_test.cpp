// Triangle blocks and the bound of symmetric rank-k updates.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "decomposition/triangle.hpp"

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

TEST(SyrkPlan, MemoryIsHonouredOrTheLeastIsNamed) {
  const SyrkPlanRequest free = {{600, 600}, 7, {}, Objective::words, {}};
  const Words most = plan_syrk(free).cost.memory;
  SyrkPlanRequest tight = free;
  tight.memory = Words(most.value * 3 / 4);
  EXPECT_LE(plan_syrk(tight).cost.memory, *tight.memory);
  tight.memory = Words(1000);
  EXPECT_THROW(plan_syrk(tight), std::exception);
}

}  // namespace
}  // namespace redblue
