// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/tradeoff_products.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "redblue/error.hpp"

namespace redblue {
namespace {

// Algorithm 2 of [solomonik2016]: F = 2 n b, W = 2 n, S = 2 n / b.
TEST(TradeoffProducts, OfSolvesAreAFourthOfThePanelsAlgorithm) {
  EXPECT_NEAR(trsv_operations(64).times_operations(1024, 16), 4.25, 1e-12);
  EXPECT_LE(trsv_words(4096).times_words(2 * 4096, 256), 6 + 1e-9);
}

// Operations that intervals of b have, counted one by one.
TEST(TradeoffProducts, CountTheOperationsOfIntervals) {
  const auto cholesky = [](int b) {
    double operations = 0;
    for (int j = 0; j < b; ++j) {
      operations += 1;                                  // square root
      operations += b - 1 - j;                          // divisions
      for (int i = j; i < b; ++i) operations += 2 * j;  // updates of (i, j)
    }
    return operations;
  };
  const auto lu = [](int b) {  // steps t .. t + b - 2, rows and columns behind them
    double operations = 0;
    for (int k = 0; k < b - 1; ++k) operations += (b - 1 - k) * (2.0 * (b - 1 - k) + 1);
    return operations;
  };
  for (int n = 2; n <= 40; ++n) {
    double least_cholesky = 1e18, least_lu = 1e18;
    for (int c = 1; c <= n; ++c) {
      const int more = n % c;
      least_cholesky = std::min(
          least_cholesky, ((c - more) * cholesky(n / c) + more * cholesky(n / c + 1)) * c * c);
      if (c > n - 1) continue;
      const int rest = (n - 1) % c;
      least_lu =
          std::min(least_lu, ((c - rest) * lu((n - 1) / c) + rest * lu((n - 1) / c + 1)) * c * c);
    }
    EXPECT_LE(cholesky_operations(n).least, least_cholesky + 1e-6) << n;
    EXPECT_NEAR(lu_operations(n).least, least_lu, 1e-6) << n;
  }
}

// PA1(b) in one dimension where each rank has b m points: F = s (b m + m (b - 1)), S = s / b.
TEST(TradeoffProducts, OfStencilsAreWithinEightTimesOfRedundantHalos) {
  for (const int b : {4, 8, 16}) {
    const int s = 512;
    double f = 0;
    for (int sweep = 0; sweep < b; ++sweep) f += b + 2 * (b - 1 - sweep);
    f *= static_cast<double>(s) / b;
    const double times =
        stencil_operations(1, 1, true, s).times_operations(f, static_cast<double>(s) / b);
    EXPECT_GE(times, 1);
    EXPECT_LE(times, 8);
  }
}

TEST(TradeoffProducts, RefuseABalanceThatSaysNothing) {
  EXPECT_THROW(cholesky_words(100, 1), Error);
  EXPECT_THROW(stencil_operations(4, 1, true, 10), Error);
}

}  // namespace
}  // namespace redblue
