// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/expr.hpp"

#include <gtest/gtest.h>

namespace redblue::symbolic {
namespace {

Expr n() {
  return symbol("N");
}
Expr m() {
  return symbol("M");
}
Expr s() {
  return fast_memory();
}

TEST(Print, InfixWithRootsAndFractions) {
  EXPECT_EQ(to_string(2 * n() * m() / GiNaC::sqrt(s())), "2*M*N/sqrt(S)");
  EXPECT_EQ(to_string(Expr(2) / 3 * GiNaC::pow(n(), 3) / GiNaC::sqrt(s())), "2*N^3/(3*sqrt(S))");
  EXPECT_EQ(to_string(n() * n() - 2 * n() + 1), "N^2 - 2*N + 1");
  EXPECT_EQ(to_string(GiNaC::sqrt(Expr(2)) * n() / 2), "sqrt(2)*N/2");
  EXPECT_EQ(to_string(GiNaC::pow(s(), Rational(3, 2))), "S^(3/2)");
  EXPECT_EQ(to_string(1 / (n() + 1)), "1/(N + 1)");
  EXPECT_EQ(to_string(-n()), "-N");
  EXPECT_EQ(to_string(Expr(0)), "0");
}

TEST(Print, SumsInEvenPowersHaveOneSign) {
  const Expr n = symbol("N"), t = symbol("T");
  EXPECT_EQ(to_string(GiNaC::pow(n - 2 * t, 2)), "(2*T - N)^2");
  EXPECT_EQ(to_string(GiNaC::pow(2 * t - n, 2)), "(2*T - N)^2");
  EXPECT_EQ(to_string(1 / GiNaC::pow(-n - t, 4)), "1/(N + T)^4");
}

TEST(Floor, TakesIntegerSummandsOut) {
  EXPECT_EQ(to_string(floor((2 * n() + m()) / 2)), "N + floor(M/2)");
  EXPECT_EQ(floor(Expr(-7) / 2), -4);
  EXPECT_EQ(floor(Expr(7) / 2), 3);
  EXPECT_EQ(floor(Expr(-4)), -4);
}

TEST(Functions, RoundingsAndChoices) {
  EXPECT_EQ(ceil(Expr(7) / 2), 4);
  EXPECT_EQ(ceil(Expr(-7) / 2), -3);
  EXPECT_EQ(to_string(ceil((2 * n() + m()) / 2)), "N + ceil(M/2)");
  EXPECT_EQ(log2(Expr(8)), 3);
  EXPECT_EQ(to_string(log2(8 * n())), "3 + log2(N)");
  EXPECT_EQ(to_string(log2(n() / GiNaC::pow(2, m()))), "-M + log2(N)");
  EXPECT_EQ(minimum(n(), n() + 1), n());
  EXPECT_EQ(maximum(n(), n() + 1), n() + 1);
  EXPECT_EQ(to_string(maximum(0, n() - m())), "max(0, N - M)");
  EXPECT_EQ(to_string(m() * GiNaC::pow(2, n() + 1)), "2^(N + 1)*M");
  EXPECT_EQ(to_string(m() / GiNaC::pow(2, n())), "M/2^N");
}

TEST(Sum, MatchesAddingUp) {
  const Symbol& x = symbol("x");
  EXPECT_EQ(sum(1, x, 2, n()), n() - 1);
  for (int power = 1; power <= 6; ++power) {
    for (int low = -3; low <= 3; ++low) {
      for (int high = low - 1; high <= 6; ++high) {
        Expr expected = 0;
        for (int v = low; v <= high; ++v) expected += GiNaC::pow(Expr(v), power);
        EXPECT_EQ(sum(GiNaC::pow(x, power), x, low, high), expected);
      }
    }
  }
}

TEST(LeadingTerm, KeepsHighestDegreeInParameters) {
  EXPECT_EQ(to_string(leading_term(n() * n() * n() / 3 - n() * s() + n() * n())), "N^3/3");
  EXPECT_EQ(to_string(leading_term(n() * floor(m() / 2) + n())), "M*N/2");
  EXPECT_EQ(degree(n() * n() * m() / GiNaC::sqrt(s())), 3);
}

TEST(Evaluate, NeedsEveryParameter) {
  double value = 0;
  EXPECT_FALSE(evaluate(n() * m(), {{"N", 3}}, value));
  EXPECT_TRUE(evaluate(n() / GiNaC::sqrt(s()), {{"N", 6}, {"S", 4}}, value));
  EXPECT_DOUBLE_EQ(value, 3);
  EXPECT_TRUE(evaluate(floor(n() / 4), {{"N", 11}}, value));
  EXPECT_DOUBLE_EQ(value, 2);
}

}  // namespace
}  // namespace redblue::symbolic
