// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/footprint/linear_program.hpp"

#include <gtest/gtest.h>

#include <random>

namespace redblue::bounds {
namespace {

using symbolic::Rational;
using Matrix = std::vector<std::vector<Rational>>;

TEST(LinearProgram, KnownOptima) {
  const auto gemm = maximise({{1, 0, 1}, {0, 1, 1}, {1, 1, 0}}, 3);
  ASSERT_TRUE(gemm);
  EXPECT_EQ(gemm->value, Rational(3, 2));
  EXPECT_EQ(gemm->dual, (std::vector<Rational>{Rational(1, 2), Rational(1, 2), Rational(1, 2)}));
  EXPECT_FALSE(maximise({{1, 0}}, 2));
}

// Weak duality pins the optimum: feasible on both sides with equal values.
TEST(LinearProgram, PrimalAndDualAgree) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t rows = 1 + random() % 6;
    const std::size_t variables = 1 + random() % 6;
    Matrix a(rows, std::vector<Rational>(variables, 0));
    for (auto& row : a) {
      for (auto& cell : row) cell = Rational(static_cast<long>(random() % 2));
    }
    const auto solution = maximise(a, static_cast<int>(variables));
    if (!solution) continue;
    Rational primal = 0;
    Rational dual = 0;
    for (const Rational& y : solution->primal) primal += y;
    for (const Rational& s : solution->dual) dual += s;
    EXPECT_EQ(primal, solution->value);
    EXPECT_EQ(dual, solution->value);
    for (std::size_t r = 0; r < rows; ++r) {
      Rational used = 0;
      for (std::size_t v = 0; v < variables; ++v) used += a[r][v] * solution->primal[v];
      EXPECT_LE(used, 1);
    }
    for (std::size_t v = 0; v < variables; ++v) {
      Rational covered = 0;
      for (std::size_t r = 0; r < rows; ++r) covered += a[r][v] * solution->dual[r];
      EXPECT_GE(covered, 1);
    }
  }
}

}  // namespace
}  // namespace redblue::bounds
