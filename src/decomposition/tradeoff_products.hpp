// SPDX-License-Identifier: BSD-3-Clause
// Products of operations F, words W and synchronisations S that no schedule of a linear algebra
// program or a stencil undercuts, as plain functions of its size, for plans and runs to be held
// against. docs/methods/tradeoffs.md has the proofs; `redblue tradeoff` derives them from source.
//
// F is in floating-point operations: a multiplication and a subtraction are two; F, W and S of one
// path through the schedule, or the largest over all paths. Functions of W assume that each value
// is computed once and that no processor computes more than one part in `balance` >= 9/5.
#pragma once

#include <cstdint>

namespace redblue {

// A lower bound on F (S + 1)^power_of_s, or on W S^power_of_s.
struct TradeoffBound {
  double least = 0;
  int power_of_s = 0;

  // How many times the bound a schedule's product is; `cost` is F or W.
  double times_operations(double cost, double synchronisations) const;
  double times_words(double cost, double synchronisations) const;
};

// L x = y for one right-hand side, n x n: F (S + 1) >= n^2, W >= (2/3) part n.
TradeoffBound trsv_operations(std::int64_t n);
TradeoffBound trsv_words(std::int64_t n, double balance = 2);

// F (S + 1)^2 >= n^3 / 3 for Cholesky, and of LU what intervals of b among its
// n - 1 steps have, (4 b^3 - 3 b^2 - b) / 6;
// W S >= 0.06637 (n - 2)^2 for Cholesky, 0.05386 (n - 4)^2 for LU, more where balance > 16.
TradeoffBound cholesky_operations(std::int64_t n);
TradeoffBound cholesky_words(std::int64_t n, double balance = 2);
TradeoffBound lu_operations(std::int64_t n);
TradeoffBound lu_words(std::int64_t n, double balance = 2);

// s sweeps over a mesh that holds the cone of half of them: F (S + 1)^d, F in mesh points updated.
// `box`: all (2 radius + 1)^d points are read; else those at distance 1 along the axes.
TradeoffBound stencil_operations(int dimensions, int radius, bool box, std::int64_t sweeps);
TradeoffBound stencil_words(int dimensions, int radius, bool box, std::int64_t sweeps,
                            double balance = 2);

}  // namespace redblue
