// SPDX-License-Identifier: BSD-3-Clause
#include "tradeoff/lattice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <set>

namespace redblue::tradeoff {
namespace {

TEST(LatticeHypergraph, HasTheSizesOfThePapersFigure) {
  const LatticeHypergraph lattice{16, 3, 2};
  EXPECT_EQ(lattice.vertices(), 560);
  EXPECT_EQ(lattice.hyperedges(), 120);
  EXPECT_EQ(lattice.vertices_per_hyperedge(), 14);
  EXPECT_EQ(lattice.hyperedges_per_vertex(), 3);
  const auto members = lattice.members();
  ASSERT_EQ(members.size(), 120U);
  std::vector<int> degree(560, 0);
  for (const auto& edge : members) {
    EXPECT_EQ(edge.size(), 14U);
    for (const int v : edge) ++degree[static_cast<std::size_t>(v)];
  }
  EXPECT_EQ(std::count(degree.begin(), degree.end(), 3), 560);
}

// How many r-subsets the given m-subsets have.
std::int64_t projections(const std::vector<std::vector<int>>& sets, int r) {
  std::set<std::vector<int>> result;
  for (const auto& set : sets) {
    for (const auto& places : subsets(static_cast<int>(set.size()), r)) {
      std::vector<int> projected;
      for (const int p : places) projected.push_back(set[static_cast<std::size_t>(p)]);
      result.insert(projected);
    }
  }
  return static_cast<std::int64_t>(result.size());
}

TEST(LatticeHypergraph, NoSetHasMoreVerticesThanItsProjectionsAllow) {
  int checked = 0;
  const auto check = [&](const std::vector<std::vector<int>>& chosen, int m, int r) {
    EXPECT_LE(static_cast<double>(chosen.size()),
              most_subsets(m, r, projections(chosen, r)) * (1 + 1e-12));
    ++checked;
  };
  for (const auto& [n, m, r] :
       std::vector<std::tuple<int, int, int>>{{5, 2, 1}, {5, 3, 1}, {5, 3, 2}, {6, 4, 3}}) {
    const auto all = subsets(n, m);
    for (unsigned choice = 1; choice < 1U << all.size(); ++choice) {
      if (all.size() > 10 && choice % 97 != 0) continue;
      std::vector<std::vector<int>> chosen;
      for (std::size_t v = 0; v < all.size(); ++v) {
        if ((choice >> v & 1U) != 0) chosen.push_back(all[v]);
      }
      check(chosen, m, r);
    }
  }
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    const int m = 2 + trial % 3, r = 1 + trial / 3 % (m - 1), n = 7 + trial % 5;
    std::vector<std::vector<int>> chosen;
    const double density = std::uniform_real_distribution<>(0.02, 1)(random);
    for (const auto& set : subsets(n, m)) {
      if (std::uniform_real_distribution<>()(random) < density) chosen.push_back(set);
    }
    if (!chosen.empty()) check(chosen, m, r);
  }
  EXPECT_GT(checked, 2500);
}

// The fewest hyperedges cut by any colouring with so many red vertices.
std::vector<int> fewest_cut(const LatticeHypergraph& lattice) {
  const auto members = lattice.members();
  const auto vertices = static_cast<std::size_t>(lattice.vertices());
  std::vector<unsigned> masks;
  for (const auto& edge : members) {
    unsigned mask = 0;
    for (const int v : edge) mask |= 1U << v;
    masks.push_back(mask);
  }
  std::vector<int> fewest(vertices + 1, static_cast<int>(masks.size()));
  for (unsigned red = 0; red < 1U << vertices; ++red) {
    const auto cuts = static_cast<int>(std::count_if(
        masks.begin(), masks.end(), [&](unsigned m) { return (m & red) != 0 && (m & red) != m; }));
    int& least = fewest[static_cast<std::size_t>(std::popcount(red))];
    least = std::min(least, cuts);
  }
  return fewest;
}

TEST(LatticeHypergraph, NoColouringCutsFewerHyperedges) {
  for (const LatticeHypergraph& lattice :
       {LatticeHypergraph{3, 2, 1}, LatticeHypergraph{5, 2, 1}, LatticeHypergraph{6, 2, 1},
        LatticeHypergraph{4, 3, 2}, LatticeHypergraph{5, 3, 2}, LatticeHypergraph{6, 3, 2}}) {
    const std::vector<int> fewest = fewest_cut(lattice);
    for (std::int64_t red = 0; red <= lattice.vertices(); ++red) {
      EXPECT_LE(least_cut(lattice, red), fewest[static_cast<std::size_t>(red)] + 1e-9);
      // Lemma 6: with a quarter of the triples on each side.
      if (lattice.m == 3 && 4 * std::min(red, lattice.vertices() - red) >= lattice.vertices()) {
        EXPECT_GE(8 * fewest[static_cast<std::size_t>(red)], lattice.n * lattice.n);
      }
    }
  }
}

// The windows of theorem B: more than half of the triples without the last point are red, at most
// half of all are.
TEST(LatticeHypergraph, HalvesOfTriplesCutWhatWindowsNeed) {
  const int fewest[] = {6, 9, 12, 15};  // of 5 .. 8 points
  for (int n = 5; n <= 120; ++n) {
    const LatticeHypergraph lattice{n, 3, 2};
    const std::int64_t first = binomial(n - 1, 3) / 2 + 1, last = lattice.vertices() / 2;
    const std::int64_t step = std::max<std::int64_t>(1, (last - first) / 50);
    std::vector<int> all;
    if (n <= 6) all = fewest_cut(lattice);
    for (std::int64_t red = first; red <= last; red += step) {
      const double cut = all.empty() ? least_cut(lattice, red) : all[static_cast<std::size_t>(red)];
      EXPECT_GE(64 * cut, 15. * n * n) << n << ", " << red;
      if (n <= 8) {
        EXPECT_GE(cut, fewest[n - 5]) << red;
      }
    }
  }
  // at least two triples of four in one colour
  EXPECT_EQ(fewest_cut({4, 3, 2})[2], 4);
}

// The whole of theorem B: of the last points, one processor has more than half of the triples.
TEST(LatticeHypergraph, WindowsOrTheWholeHaveTheWordsOfTheoremB) {
  for (const int missing : {0, 1, 2}) {
    const double words = triples_words(2, missing);
    for (int n = 6; n <= 60; ++n) {
      const LatticeHypergraph lattice{n, 3, 2};
      const double least = words * (n - 2) * (n - 2);
      for (int last = 3; last < n; ++last) {
        const double windows = window_cut(missing) * (n - last) * (n - last);
        const std::int64_t most = lattice.vertices() / 2;
        const std::int64_t few = binomial(last, 3) / 2 + 1;
        double whole = 1e18;
        for (std::int64_t red = few; red <= most; red += 1 + (most - few) / 40)
          whole = std::min(whole, least_cut(lattice, red));
        EXPECT_GE(std::max(windows, whole), least) << n << ", " << last;
      }
    }
  }
  EXPECT_NEAR(triples_words(2, 0), 0.06637, 1e-5);
  EXPECT_NEAR(triples_words(1e9, 0), 15. / 64, 1e-3);
  EXPECT_NEAR(triples_words(2, 1), 0.05386, 1e-5);
}

TEST(LatticeHypergraph, QuartersOfTriplesCutAnEighthOfThePairsSquare) {
  for (int n = 7; n <= 300; ++n) {
    const LatticeHypergraph lattice{n, 3, 2};
    const std::int64_t quarter = (lattice.vertices() + 3) / 4;
    for (int part = 0; part <= 20; ++part) {
      const std::int64_t red = quarter + (lattice.vertices() - 2 * quarter) * part / 20;
      EXPECT_GE(8 * least_cut(lattice, red), static_cast<double>(n) * n) << n << ", " << red;
    }
  }
}

}  // namespace
}  // namespace redblue::tradeoff
