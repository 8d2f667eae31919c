// Coverings, triangle blocks and the bound of symmetric rank-k updates.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "decomposition/triangle.hpp"

namespace redblue {

using namespace covering;

namespace {

// Every two points together in a set; for planes in exactly one.
void expect_covers(const Covering& c, bool once) {
  std::map<std::pair<int, int>, int> times;
  for (const std::vector<int>& s : c.sets) {
    EXPECT_TRUE(std::is_sorted(s.begin(), s.end()));
    for (const int x : s) {
      ASSERT_TRUE(x >= 0 && x < c.points);
      for (const int y : s) ++times[{x, y}];
    }
  }
  for (int x = 0; x < c.points; ++x) {
    for (int y = 0; y < x; ++y) {
      const int found = times[{x, y}];
      EXPECT_GE(found, 1) << x << ' ' << y << " of " << c.points;
      if (once) {
        EXPECT_EQ(found, 1);
      }
    }
  }
}

TEST(Covering, PlanesOfEveryPrimePower) {
  for (const int order : {2, 3, 4, 5, 7, 8, 9, 11}) {
    expect_covers(projective_plane(order).value(), true);
    expect_covers(affine_plane(order).value(), true);
    EXPECT_EQ(projective_plane(order)->sets.size(),
              static_cast<std::size_t>(order * order + order + 1));
    EXPECT_EQ(affine_plane(order)->sets.size(), static_cast<std::size_t>(order * order + order));
  }
  EXPECT_FALSE(projective_plane(6));
  EXPECT_FALSE(projective_plane(10));
}

TEST(Covering, FractionsAreMillss) {
  const std::map<std::size_t, double> fractions = {
      {1, 1},        {2, 1},       {3, 2 / 3.},   {4, 3 / 5.},  {5, 5 / 9.},   {6, 1 / 2.},
      {7, 3 / 7.},   {8, 5 / 12.}, {9, 2 / 5.},   {10, 3 / 8.}, {11, 5 / 14.}, {12, 1 / 3.},
      {13, 4 / 13.}, {20, 1 / 4.}, {21, 5 / 21.}, {30, 1 / 5.}, {31, 6 / 31.}, {56, 1 / 7.},
      {57, 8 / 57.}, {72, 1 / 8.}, {73, 9 / 73.}, {90, 1 / 9.}, {91, 10 / 91.}};
  for (const Covering& c : coverings(100)) {
    expect_covers(c, false);
    ASSERT_TRUE(fractions.contains(c.sets.size())) << c.sets.size();
    EXPECT_DOUBLE_EQ(c.fraction(), fractions.at(c.sets.size())) << c.sets.size();
  }
}

TEST(PairSharing, EveryPairIsFormedOnceByARankThatTouchesBothEvenly) {
  for (const Covering& c : coverings(31)) {
    for (int members = static_cast<int>(c.sets.size());
         members <= static_cast<int>(c.sets.size()) + 6 && c.points > 1; ++members) {
      const PairSharing s = share_pairs(c, members);
      ASSERT_EQ(static_cast<int>(s.pairs.size()), members);
      std::set<std::pair<int, int>> formed;
      for (std::size_t r = 0; r < s.pairs.size(); ++r) {
        EXPECT_LE(s.touched[r].size(), c.fraction() * c.points + 1e-9);
        for (const auto& p : s.pairs[r]) {
          EXPECT_TRUE(formed.insert(p).second);
          for (const int x : {p.first, p.second}) {
            EXPECT_TRUE(std::binary_search(s.touched[r].begin(), s.touched[r].end(), x));
          }
        }
      }
      EXPECT_EQ(static_cast<int>(formed.size()), c.points * (c.points + 1) / 2);
    }
  }
}

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
  for (const auto& [n, k] : {std::pair{12, 5}, std::pair{40, 40}, std::pair{7, 300},
                             std::pair{100, 3}, std::pair{2, 50}, std::pair{64, 64}}) {
    for (int ranks = 1; ranks <= 30; ++ranks) {
      for (const Alternative& a : plan(n, k, ranks).alternatives) {
        const double share = n * (n + 1) / 2. * k / ranks;
        if (static_cast<double>(a.cost.work) > 1.0000001 * share) continue;
        EXPECT_GE(a.ratio, 1) << n << ' ' << k << ' ' << ranks << ' ' << a.shape;
      }
    }
  }
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
