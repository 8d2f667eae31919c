// SPDX-License-Identifier: BSD-3-Clause
// What is printed for kernels, and how far known algorithms are above it.
#include <gtest/gtest.h>

#include <cmath>

#include "kernel_names.hpp"
#include "redblue/error.hpp"
#include "redblue/tradeoff.hpp"

namespace redblue {
namespace {

TradeoffReport of_kernel(const std::string& kernel,
                         const std::map<std::string, std::int64_t>& sizes = {}) {
  TradeoffRequest request;
  request.program.file = std::string(REDBLUE_SOURCE_DIR) + "/kernels/" + kernel + ".c";
  request.program.sizes = sizes;
  return tradeoffs(request);
}

TEST(Products, AreThoseOfThePaperWithConstants) {
  const TradeoffReport solve = of_kernel("trisolv", {{"N", 64}});
  ASSERT_EQ(solve.products.size(), 2U);
  EXPECT_EQ(solve.products[0].formula, "F (S + 1) >= N^2/2");
  EXPECT_EQ(*solve.products[0].constant, 0.5);
  EXPECT_NEAR(*solve.products[0].value, 2048, 32);
  EXPECT_EQ(solve.products[1].name, "W");
  EXPECT_NEAR(*solve.products[1].constant, 1.0 / 3, 1e-12);
  EXPECT_GE(*solve.products[1].value, 64.0 / 3 - 1e-9);

  const TradeoffReport cholesky = of_kernel("cholesky", {{"N", 64}});
  ASSERT_EQ(cholesky.products.size(), 2U);
  EXPECT_EQ(cholesky.products[0].formula, "F (S + 1)^2 >= N^3/6");
  EXPECT_EQ(cholesky.products[1].name, "W S");
  EXPECT_NEAR(*cholesky.products[1].constant, 0.06637, 1e-5);

  const TradeoffReport lu = of_kernel("lu", {{"N", 64}});
  ASSERT_EQ(lu.products.size(), 2U);
  EXPECT_EQ(lu.products[0].name, "F S^2");
  EXPECT_NEAR(*lu.products[0].constant, 1.0 / 3, 1e-12);

  const TradeoffReport jacobi = of_kernel("jacobi-2d", {{"T", 32}, {"N", 200}});
  ASSERT_EQ(jacobi.products.size(), 2U);
  EXPECT_EQ(jacobi.products[0].name, "F S^2");  // 2 T sweeps: (2 T)^3 / 6
  EXPECT_NEAR(*jacobi.products[0].constant, 8.0 / 6, 1e-12);
  EXPECT_NEAR(*jacobi.products[0].value, 64.0 * 64 * 64 / 6, 0.05 * 64 * 64 * 64 / 6);
}

TEST(Products, AreFormulasThatEvaluate) {
  using Claim = TradeoffProduct::Claim;
  const TradeoffReport cholesky = of_kernel("cholesky", {{"N", 64}});
  const TradeoffProduct& operations = cholesky.products.at(0);
  EXPECT_EQ(operations.left, "F*(S + 1)^2");
  EXPECT_EQ(operations.right, "N^3/6");
  EXPECT_EQ(operations.claim, Claim::bound);
  EXPECT_EQ(operations.left.at({{"F", 10}, {"S", 2}}), 90);
  const TradeoffProduct& words = cholesky.products.at(1);
  EXPECT_EQ(words.left, "W*S");
  EXPECT_EQ(words.right.derivative("N").names(), std::vector<std::string>{"N"});
  EXPECT_LE(words.right.at({{"N", 10}}), 64 * *words.constant);  // (N - 2)^2, rounded down
  EXPECT_GE(words.right.at({{"N", 10}}), 64 * *words.constant * (1 - 1e-5));

  const TradeoffReport jacobi = of_kernel("jacobi-2d");
  EXPECT_EQ(jacobi.length, "2*T");
  EXPECT_EQ(jacobi.interval, "b^3/6");
  EXPECT_EQ(jacobi.interval_is, TradeoffReport::Interval::leading);
  EXPECT_EQ(jacobi.products.at(0).right, "4*T^3/3");
  EXPECT_EQ(jacobi.products.at(0).claim, Claim::leading);
  EXPECT_EQ(jacobi.products.at(1).claim, Claim::leading);

  const TradeoffReport graph = cdag::tradeoffs(cdag::make_graph("trsv:8"));
  EXPECT_EQ(graph.interval_is, TradeoffReport::Interval::longest);
  EXPECT_EQ(graph.products.at(0).left, "F*(S + 1)");
  EXPECT_EQ(graph.products.at(0).right.at({}), *graph.products.at(0).value);
}

// Algorithm 2 with panels of b: F = 2 n b operations, n b multiplications and subtractions; W = 2
// n; S = 2 n / b [solomonik2016, section 7.1.2].
TEST(Products, AreWithinEightTimesOfTheSolveByPanels) {
  int checked = 0;
  for (const std::int64_t n : {64, 1024}) {
    const TradeoffReport report = of_kernel("trisolv", {{"N", n}});
    for (const std::int64_t b : {8, 16, 32}) {
      const double f = static_cast<double>(n * b),
                   s = 2.0 * static_cast<double>(n) / static_cast<double>(b);
      EXPECT_GE(f * (s + 1), *report.products[0].value);
      EXPECT_LE(f * s, 8 * *report.products[0].value);
      EXPECT_GE(2.0 * static_cast<double>(n), *report.products[1].value);
      EXPECT_LE(2.0 * static_cast<double>(n), 8 * *report.products[1].value);
      ++checked;
    }
  }
  EXPECT_EQ(checked, 6);
}

TEST(Products, OrAReasonWhyThereIsNone) {
  for (const std::string kernel : {"gemm", "mvt", "atax"}) {
    const TradeoffReport report = of_kernel(kernel);
    EXPECT_TRUE(report.products.empty());
    EXPECT_FALSE(report.why_none.empty());
  }
}

TEST(Products, RefuseABalanceThatSaysNothing) {
  TradeoffRequest request;
  request.program.file = std::string(REDBLUE_SOURCE_DIR) + "/kernels/trisolv.c";
  request.balance = 1;
  EXPECT_THROW(tradeoffs(request), Error);
}

TEST(Products, GrowWithTheBalance) {
  TradeoffRequest request;
  request.program.file = std::string(REDBLUE_SOURCE_DIR) + "/kernels/cholesky.c";
  request.balance = 64;
  EXPECT_NEAR(*tradeoffs(request).products[1].constant,
              15. / 64 * std::pow(1 - std::cbrt(2. / 64), 2), 1e-9);
  EXPECT_GT(*tradeoffs(request).products[1].constant,
            1.5 * *of_kernel("cholesky").products[1].constant);
}

}  // namespace
}  // namespace redblue
