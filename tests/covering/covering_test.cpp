// SPDX-License-Identifier: BSD-3-Clause
// Coverings against counting every pair of points; their sizes against theorems; the sharing of
// pairs against counting who forms what.
#include "covering/covering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "covering/pair_sharing.hpp"

namespace redblue::covering {
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
  EXPECT_EQ(coverings(100).size(), fractions.size());
  for (const Covering& c : coverings(100)) {
    expect_covers(c, false);
    ASSERT_TRUE(fractions.contains(c.sets.size())) << c.sets.size();
    EXPECT_DOUBLE_EQ(c.fraction(), fractions.at(c.sets.size())) << c.sets.size();
  }
}

// Work of a member: 2 per pair of two points, 1 per point with itself.
std::int64_t work(const std::vector<std::pair<int, int>>& pairs) {
  std::int64_t sum = 0;
  for (const auto& [i, j] : pairs) sum += i == j ? 1 : 2;
  return sum;
}

void expect_shares(const Covering& c, int members, const PairSharing& s) {
  ASSERT_EQ(static_cast<int>(s.pairs.size()), members);
  ASSERT_EQ(s.sets.size(), s.pairs.size());
  std::set<std::pair<int, int>> formed;
  for (std::size_t r = 0; r < s.pairs.size(); ++r) {
    EXPECT_LE(s.sets[r].size(), c.fraction() * c.points + 1e-9);
    for (const auto& p : s.pairs[r]) {
      EXPECT_GE(p.first, p.second);
      EXPECT_TRUE(formed.insert(p).second) << "a pair is formed twice";
      for (const int x : {p.first, p.second}) {
        EXPECT_TRUE(std::binary_search(s.sets[r].begin(), s.sets[r].end(), x));
      }
    }
  }
  EXPECT_EQ(static_cast<int>(formed.size()), c.points * (c.points + 1) / 2);
}

TEST(PairSharing, EveryPairIsFormedOnceByAMemberThatTouchesBoth) {
  int shared = 0;
  for (const Covering& c : coverings(31)) {
    for (int members = static_cast<int>(c.sets.size());
         members <= static_cast<int>(c.sets.size()) + 6 && c.points > 1; ++members, ++shared) {
      expect_shares(c, members, share_pairs(c, members));
    }
  }
  EXPECT_EQ(shared, 7 * 16);
}

// Of a plane's sets each has its pairs to itself; points with themselves, hardly more than sets,
// make the rest.
TEST(PairSharing, IsAsEvenAsPlanesAllow) {
  for (const int order : {2, 3, 4, 5, 7}) {
    for (const Covering& c : {projective_plane(order).value(), affine_plane(order).value()}) {
      const auto each = static_cast<std::int64_t>(c.sets.front().size());
      const PairSharing s = share_pairs(c, static_cast<int>(c.sets.size()));
      for (const auto& pairs : s.pairs) {
        EXPECT_LE(work(pairs), each * (each - 1) + 2);
        EXPECT_GE(work(pairs), each * (each - 1));
      }
    }
  }
}

TEST(PairSharing, NoMemberWorksMuchMoreThanTheirMean) {
  for (const Covering& c : coverings(31)) {
    if (c.points == 1) continue;
    const auto members = static_cast<int>(c.sets.size());
    std::int64_t most = 0;
    for (const auto& pairs : share_pairs(c, members).pairs) most = std::max(most, work(pairs));
    const double mean = static_cast<double>(c.points) * c.points / members;
    EXPECT_LE(static_cast<double>(most), 1.15 * mean) << members << " sets";
  }
}

}  // namespace
}  // namespace redblue::covering
