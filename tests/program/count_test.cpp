// SPDX-License-Identifier: BSD-3-Clause
// Counting against brute force: every set is counted as a formula and point by point.
#include "program/count.hpp"

#include <gtest/gtest.h>
#include <isl/map.h>
#include <isl/set.h>

#include <random>
#include <string>
#include <vector>

#include "redblue/error.hpp"

namespace redblue::program {
namespace {

isl::set read(const std::string& text) {
  return isl::set(context(), text);
}

long points_at(const isl::set& set, long n, long m) {
  isl_set* fixed = set.copy();
  for (const auto& [name, value] : {std::pair{"N", n}, std::pair{"M", m}}) {
    const int position = isl_set_find_dim_by_name(fixed, isl_dim_param, name);
    if (position < 0) continue;
    fixed = isl_set_fix_si(fixed, isl_dim_param, static_cast<unsigned>(position),
                           static_cast<int>(value));
  }
  long count = 0;
  isl_set_foreach_point(
      fixed,
      [](isl_point* point, void* user) {
        isl_point_free(point);
        ++*static_cast<long*>(user);
        return isl_stat_ok;
      },
      &count);
  isl_set_free(fixed);
  return count;
}

void expect_exact(const std::string& text) {
  const isl::set set = read(text);
  const Count formula = count(set);
  for (long n = 0; n <= 9; ++n) {
    for (long m = 0; m <= 5; ++m) {
      double value = -1;
      ASSERT_TRUE(symbolic::evaluate(formula.at({{"N", n}, {"M", m}}), {}, value)) << text;
      EXPECT_EQ(static_cast<long>(value), points_at(set, n, m)) << text << " N=" << n << " M=" << m;
    }
  }
}

TEST(Count, LoopNests) {
  expect_exact("[N] -> { S[i] : 0 <= i < N }");
  expect_exact("[N, M] -> { S[i, j] : 0 <= i < N and 0 <= j < M }");
  expect_exact("[N] -> { S[i, j] : 0 <= j <= i < N }");
  expect_exact("[N] -> { S[i, j, k] : 0 <= i < N and i < j < N and i < k < N }");
  expect_exact("[N, M] -> { S[i, j] : 0 <= i < N and 0 <= j < M and j <= i }");
  expect_exact("[N] -> { S[i, j] : 0 <= i < N and i - 2 <= j <= i + 2 and 0 <= j < N }");
}

TEST(Count, StridesAndDivisions) {
  expect_exact("[N] -> { S[i] : 0 <= 2i < N }");
  expect_exact("[N] -> { S[i] : 0 <= i < N and i mod 3 = 1 }");
  expect_exact("[N] -> { S[i, j] : 0 <= i < N and 0 <= 2j <= i }");
  expect_exact("[N] -> { S[i, j] : 0 <= i < N and 0 <= j < N and (i + j) mod 2 = 0 }");
  expect_exact("[N] -> { S[i, j, k] : 0 <= i < N and 0 <= 3j <= i and 0 <= 2k <= j }");
}

TEST(Count, UnionsAndEmptySets) {
  expect_exact("[N, M] -> { S[i] : 0 <= i < N; S[i] : 3 <= i < M }");
  expect_exact("[N] -> { S[i] : N < i < N }");
  expect_exact("[N] -> { S[] : N >= 3 }");
}

// isl 0.25 makes larger sets of these when it coalesces their pieces (src/isl/coalesce.cpp).
const std::vector<std::string> grown_by_isl = {
    "[N] -> { S[i] : 1 <= i <= 2; S[i] : 1 <= i <= 5 and i mod 3 = 1 }",
    "[N] -> { S[i] : N >= 2 and 0 <= i <= 1; S[i] : N >= 2 and i mod 2 = 0 and 0 <= i <= 4 }",
    "[N] -> { S[i] : N >= 2 and 0 <= i <= 1; S[i] : i = 3 and N >= 3; S[i] : i mod 2 = 0 and "
    "N >= 2 and 0 <= i <= 4; S[i] : i = 1 and N >= 2 }"};

TEST(Count, UnionsWithAndWithoutStrides) {
  for (const std::string& text : grown_by_isl) {
    expect_exact(text);
    const isl::set set = read(text);
    EXPECT_TRUE(set.coalesce().is_equal(set)) << text;
    const isl::map map = isl::manage(isl_map_from_range(set.copy()));
    EXPECT_TRUE(map.coalesce().is_equal(map)) << text;
    // by way of a function of isl's own
    const isl::union_set all(set);
    EXPECT_TRUE(all.coalesce().is_equal(all)) << text;
  }
}

TEST(Count, RandomPolyhedra) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> small(-2, 2);
  for (int trial = 0; trial < 40; ++trial) {
    const std::string a = std::to_string(small(random));
    const std::string b = std::to_string(small(random));
    const std::string c = std::to_string(small(random));
    expect_exact("[N, M] -> { S[i, j] : 0 <= i < N and 0 <= j < M and " + a + "i + " + b +
                 "j <= " + c + " + N }");
  }
}

TEST(Count, PrintsPolynomials) {
  const auto printed = [](const std::string& set, const symbolic::Valuation& sizes) {
    return symbolic::to_string(count(read(set)).piece_at(sizes)->count);
  };
  EXPECT_EQ(printed("[N] -> { S[i, j, k] : 0 <= k < N and k < i < N and k < j < N }", {{"N", 99}}),
            "N^3/3 - N^2/2 + N/6");
  EXPECT_EQ(printed("[N] -> { S[i] : 0 <= 2i < N }", {{"N", 99}}), "floor(N/2 + 1/2)");
  const std::string smaller = "[N, M] -> { S[i] : 0 <= i < N and i < M }";
  EXPECT_EQ(printed(smaller, {{"N", 99}, {"M", 9}}), "M");
  EXPECT_EQ(printed(smaller, {{"N", 9}, {"M", 99}}), "N");
  EXPECT_EQ(count(read(smaller)).piece_at({{"N", 9}, {"M", 0}}), nullptr);
}

}  // namespace
}  // namespace redblue::program
