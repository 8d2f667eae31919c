// SPDX-License-Identifier: BSD-3-Clause
// The growth of sets of lattice points against sets themselves: all small ones, random ones and the
// dilates that grow least.
#include "bounds/isoperimetry/lattice_growth.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace redblue::bounds {
namespace {

using Points = std::set<dataflow::Vector>;

const std::vector<dataflow::Vector> jacobi_1d = {{1, -1}, {1, 0}, {1, 1}};
const std::vector<dataflow::Vector> table = {{1, 0}, {0, 1}, {1, 1}};
const std::vector<dataflow::Vector> jacobi_2d = {
    {1, 0, 0}, {1, 1, 0}, {1, -1, 0}, {1, 0, 1}, {1, 0, -1}};

dataflow::Vector moved(dataflow::Vector x, const dataflow::Vector& by, long sign) {
  for (std::size_t t = 0; t < x.size(); ++t) x[t] += sign * by[t];
  return x;
}

// |H - D0| - |{ x : x + D0 in H }|: what H borders on before and after it.
double border(const Points& h, const std::vector<dataflow::Vector>& steps) {
  Points before = h;
  long inner = 0;
  for (const dataflow::Vector& x : h) {
    bool inside = true;
    for (const dataflow::Vector& d : steps) {
      before.insert(moved(x, d, -1));
      inside = inside && h.count(moved(x, d, 1)) != 0;
    }
    inner += inside ? 1 : 0;
  }
  return static_cast<double>(static_cast<long>(before.size()) - inner);
}

void expect_holds(const LatticeGrowth& growth, const Points& h,
                  const std::vector<dataflow::Vector>& steps) {
  EXPECT_GE(growth.largest(border(h, steps)), static_cast<double>(h.size()));
}

TEST(LatticeGrowth, HoldsForEverySmallSetOfThePlane) {
  for (const auto& steps : {jacobi_1d, table}) {
    const auto growth = lattice_growth(steps);
    ASSERT_TRUE(growth);
    std::vector<double> most(64, 0);  // of a border, the largest set that has it
    for (unsigned bits = 1; bits < 1U << 16; ++bits) {
      Points h;
      for (int b = 0; b < 16; ++b) {
        if (((bits >> b) & 1U) != 0) h.insert({b / 4, b % 4});
      }
      double& known = most[static_cast<std::size_t>(border(h, steps))];
      known = std::max(known, static_cast<double>(h.size()));
    }
    for (std::size_t m = 0; m < most.size(); ++m)
      EXPECT_GE(growth->largest(static_cast<double>(m)), most[m]) << m;
  }
}

TEST(LatticeGrowth, HoldsForRandomSets) {
  std::mt19937 random(5);
  for (const auto& steps : {jacobi_1d, jacobi_2d}) {
    const auto growth = lattice_growth(steps);
    ASSERT_TRUE(growth);
    for (int trial = 0; trial < 60; ++trial) {
      Points h = {dataflow::Vector(steps.front().size(), 0)};
      const std::size_t wanted = 5 + random() % 1500;
      while (h.size() < wanted) {  // clusters with holes
        auto at = h.begin();
        std::advance(at, static_cast<long>(random() % h.size()));
        h.insert(moved(*at, steps[random() % steps.size()], random() % 2 == 0 ? 1 : -1));
      }
      expect_holds(*growth, h, steps);
    }
  }
}

// |E + I| - |E|, E the places of H whose steps forward lie in H, I a segment along v.
double border_along(const Points& h, const std::vector<dataflow::Vector>& steps,
                    const Segment& segment) {
  Points inner, longer;
  for (const dataflow::Vector& x : h) {
    if (std::all_of(steps.begin(), steps.end(),
                    [&](const dataflow::Vector& d) { return h.count(moved(x, d, 1)) != 0; }))
      inner.insert(x);
  }
  for (const dataflow::Vector& x : inner) {
    for (long i = 0; i <= segment.length; ++i) longer.insert(moved(x, segment.v, i));
  }
  return static_cast<double>(longer.size() - inner.size());
}

// Random clusters, and the sums of the difference body and the segment that grow least.
TEST(LatticeGrowth, HoldsWithASegmentBesides) {
  std::mt19937 random(7);
  for (const long length : {2L, 4L}) {
    const Segment segment{{1, 0, 0}, length};
    const auto growth = lattice_growth(jacobi_2d, segment);
    ASSERT_TRUE(growth);
    const auto expect = [&](const Points& h) {
      const double m = border(h, jacobi_2d) + border_along(h, jacobi_2d, segment);
      const double most = growth->largest(m);
      EXPECT_GE(most, static_cast<double>(h.size()));
      return most / static_cast<double>(h.size());
    };
    for (int trial = 0; trial < 40; ++trial) {
      Points h = {{0, 0, 0}};
      const std::size_t wanted = 5 + random() % 1500;
      while (h.size() < wanted) {
        auto at = h.begin();
        std::advance(at, static_cast<long>(random() % h.size()));
        h.insert(moved(*at, jacobi_2d[random() % jacobi_2d.size()], random() % 2 == 0 ? 1 : -1));
      }
      expect(h);
    }
    // r (K + I): at the height t from the ends of the segment |i| + |j| <= 2 r - max(0, -t)
    Points body;
    constexpr long r = 14;
    for (long t = -r; t <= (1 + length) * r; ++t) {
      const long wide = 2 * r - std::max({0L, -t, t - length * r});
      for (long i = -wide; i <= wide; ++i) {
        for (long j = std::abs(i) - wide; j <= wide - std::abs(i); ++j) body.insert({t, i, j});
      }
    }
    EXPECT_LE(expect(body), 1.5);
  }
}

// Dilates of the difference body are the extremal sets, so the bound comes near them. For
// jacobi-1d hexagons hold border^2 / 24 points; diamonds only border^2 / 32.
TEST(LatticeGrowth, ComesNearTheSetsThatGrowLeast) {
  const auto plane = lattice_growth(jacobi_1d);
  ASSERT_TRUE(plane);
  Points hexagon, diamond;
  constexpr long r = 60;
  for (long t = -r; t <= r; ++t) {
    for (long i = -2 * r; i <= 2 * r; ++i) {
      if (std::abs(t) + std::abs(i) <= 2 * r) hexagon.insert({t, i});
      if (std::abs(t) + std::abs(i) <= r) diamond.insert({t, i});
    }
  }
  for (const auto& [h, per_square] : {std::pair{hexagon, 24.0}, std::pair{diamond, 32.0}}) {
    const double m = border(h, jacobi_1d);
    EXPECT_NEAR(m * m / static_cast<double>(h.size()), per_square, 0.06 * per_square);
    expect_holds(*plane, h, jacobi_1d);
  }
  EXPECT_LE(plane->largest(border(hexagon, jacobi_1d)), 1.15 * static_cast<double>(hexagon.size()));
}

// Only steps (1, -1), (1, 1): two sets that do not know of each other, on even and odd places.
TEST(LatticeGrowth, CountsTheLatticeTheStepsSpan) {
  const auto growth = lattice_growth({{1, -1}, {1, 1}});
  ASSERT_TRUE(growth);
  Points even;
  for (long t = -30; t <= 30; ++t) {
    for (long i = -30; i <= 30; ++i) {
      if ((t + i) % 2 == 0) even.insert({t, i});
    }
  }
  expect_holds(*growth, even, {{1, -1}, {1, 1}});
  EXPECT_LE(growth->largest(border(even, {{1, -1}, {1, 1}})),
            2.5 * static_cast<double>(even.size()));
}

// Beyond five dimensions the ends of lines are counted.
TEST(LatticeGrowth, HighDimensionsHaveLines) {
  std::vector<dataflow::Vector> steps;
  for (std::size_t t = 0; t < 7; ++t) {
    steps.emplace_back(7, 0);
    steps.back()[t] = 1;
  }
  const auto growth = lattice_growth(steps);
  ASSERT_TRUE(growth);
  EXPECT_TRUE(growth->both_ways.empty());
  Points cube;
  for (unsigned bits = 0; bits < 1U << 7; ++bits) {
    dataflow::Vector x;
    for (unsigned t = 0; t < 7; ++t) x.push_back((bits >> t) & 1U);
    cube.insert(x);
  }
  expect_holds(*growth, cube, steps);
}

TEST(LatticeGrowth, NeedsStepsInTwoDirections) {
  EXPECT_FALSE(lattice_growth({}));
  EXPECT_FALSE(lattice_growth({{1, 0}, {2, 0}}));
}

// Steps that leave a coordinate as it is: each value of it is a coset of its own.
TEST(LatticeGrowth, TakesCosetsByThemselves) {
  const std::vector<dataflow::Vector> steps = {{1, 0, 0}, {1, 0, 1}, {1, 0, -1}};
  const auto growth = lattice_growth(steps);
  ASSERT_TRUE(growth);
  EXPECT_EQ(growth->dimensions, 2);
  for (const long layers : {1, 2, 3}) {
    std::set<dataflow::Vector> set;
    for (long t = 0; t < 4; ++t) {
      for (long y = 0; y < layers; ++y) {
        for (long x = t; x < 9 - t; ++x) set.insert({t, y, x});
      }
    }
    expect_holds(*growth, set, steps);
  }
}

}  // namespace
}  // namespace redblue::bounds
