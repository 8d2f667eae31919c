// SPDX-License-Identifier: BSD-3-Clause
// chi(X) against random and exhaustive sets: no set of instances may be larger than it says.
#include "bounds/footprint/footprint_program.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace redblue::bounds {
namespace {

using symbolic::to_string;
using Point = std::vector<int>;

double footprint(const std::vector<Point>& points, const std::vector<Term>& terms) {
  double total = 0;
  for (const Term& term : terms) {
    std::set<Point> image;
    for (const Point& p : points) {
      Point q;
      for (const int t : term.loops) q.push_back(p[static_cast<std::size_t>(t)]);
      image.insert(q);
    }
    total += term.coefficient.to_double() * static_cast<double>(image.size());
  }
  return total;
}

TEST(Solve, MatrixMultiplication) {
  const auto gemm = solve({{{0, 2}, 1}, {{1, 2}, 1}, {{0, 1}, 1}}, 3);
  ASSERT_TRUE(gemm);
  EXPECT_EQ(to_string(gemm->rho), "sqrt(S)/2");
  EXPECT_EQ(to_string(gemm->segment), "3*S");
  for (const auto& tile : gemm->tiles) EXPECT_EQ(to_string(tile), "sqrt(S)");
}

TEST(Solve, CoefficientsAndOtherShapes) {
  // SYRK with the union of A's images counted as their mean: intensity sqrt(S).
  EXPECT_EQ(to_string(solve({{{0, 1}, 1},
                             {{0, 2}, symbolic::Rational(1, 2)},
                             {{1, 2}, symbolic::Rational(1, 2)}},
                            3)
                          ->rho),
            "sqrt(S)");
  // Outer product of vectors: chi = X^2/4.
  EXPECT_EQ(to_string(solve({{{0}, 1}, {{1}, 1}}, 2)->rho), "S");
  // Matrix-vector: no reuse of the matrix.
  const auto mv = solve({{{0, 1}, 1}, {{1}, 1}, {{0}, 1}}, 2);
  EXPECT_EQ(mv->alpha, 1);
  EXPECT_EQ(to_string(mv->rho), "1");
  // Four-index contraction ab,cd: C_abcd += A_abef B_efcd behaves like matrix multiplication.
  EXPECT_EQ(to_string(solve({{{0, 1, 4, 5}, 1}, {{2, 3, 4, 5}, 1}, {{0, 1, 2, 3}, 1}}, 6)->rho),
            "sqrt(S)/2");
  // A loop in no term: unlimited reuse.
  EXPECT_FALSE(solve({{{0}, 1}}, 2));
}

TEST(Chi, BoundsEverySubsetOfASmallBox) {
  const std::vector<Term> terms = {{{0, 2}, 1}, {{1, 2}, 1}, {{0, 1}, 1}};
  std::vector<Point> box;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      for (int k = 0; k < 3; ++k) box.push_back({i, j, k});
    }
  }
  for (unsigned mask = 1; mask < (1U << box.size()); ++mask) {
    std::vector<Point> subset;
    for (std::size_t b = 0; b < box.size(); ++b) {
      if ((mask >> b) & 1U) subset.push_back(box[b]);
    }
    const double x = footprint(subset, terms);
    static std::map<double, double> known;
    const auto found = known.try_emplace(x, 0).first;
    if (found->second == 0) found->second = chi_at(terms, {2, 2, 3}, x);
    ASSERT_LE(static_cast<double>(subset.size()), found->second);
  }
}

TEST(Chi, BoundsRandomSetsAndBoxes) {
  std::mt19937 random(11);
  const std::vector<std::vector<Term>> programs = {
      {{{0, 2}, 1}, {{1, 2}, 1}, {{0, 1}, 1}},
      {{{0, 1}, 1}, {{1}, 1}, {{0}, 1}},
      {{{0, 1}, 2}, {{1, 2}, 1}, {{0}, 1}},
      {{{0, 1, 2}, 1}, {{2}, 3}},
      {{{0, 1}, 1}, {{0, 2}, symbolic::Rational(1, 2)}, {{1, 2}, symbolic::Rational(1, 2)}}};
  for (const auto& terms : programs) {
    for (int trial = 0; trial < 60; ++trial) {
      const Point size = {1 + static_cast<int>(random() % 5), 1 + static_cast<int>(random() % 5),
                          1 + static_cast<int>(random() % 5)};
      const bool whole = random() % 2 == 0;
      std::vector<Point> points;
      for (int i = 0; i < size[0]; ++i) {
        for (int j = 0; j < size[1]; ++j) {
          for (int k = 0; k < size[2]; ++k) {
            if (whole || random() % 3 == 0) points.push_back({i, j, k});
          }
        }
      }
      const std::vector<double> extents(size.begin(), size.end());
      EXPECT_LE(static_cast<double>(points.size()),
                chi_at(terms, extents, footprint(points, terms)));
    }
  }
}

TEST(Chi, IsTightForTheBestBox) {
  const std::vector<Term> terms = {{{0, 2}, 1}, {{1, 2}, 1}, {{0, 1}, 1}};
  EXPECT_NEAR(chi_at(terms, {1e6, 1e6, 1e6}, 300), 1000, 1e-3);
  EXPECT_NEAR(chi_at(terms, {4, 1e6, 1e6}, 4 * 10 + 4 * 10 + 100), 4 * 10 * 10,
              0.5);  // i is capped
  EXPECT_NEAR(chi_at(terms, {3, 4, 5}, 1e9), 60, 1e-6);
}

}  // namespace
}  // namespace redblue::bounds
