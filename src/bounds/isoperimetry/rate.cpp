// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/isoperimetry/rate.hpp"

#include <algorithm>
#include <cmath>

namespace redblue::bounds {

using symbolic::Expr;
using symbolic::Rational;

namespace {

constexpr double reference_memory = 1024;  // words: a formula has the k that is best here

// The next number with two decimals.
Rational rational_above(double x) {
  return Rational(static_cast<long>(std::ceil(x * 100)), 100);
}

// With R = (c S / side)^(1/(n-1)), side that of a k-th sum of D0, k <= n; or with R^(n-1) = m / 2
// where no such sum holds enough cells.
Rate with_own_values(const LatticeGrowth& growth, int charge) {
  const int n = growth.dimensions;
  const Rational inverse = Rational(1) / (n - 1);
  Rational best = Rational(1) / Rational(n).power(n);  // side^n
  for (const LatticeGrowth::Sum& way : growth.one_way) {
    const Rational side = Rational(way.cells) / Rational(way.summands).power(n);
    if (way.summands <= n && side > best) best = side;
  }
  const Expr side_over_r =
      GiNaC::pow(Expr(best / charge), inverse) * GiNaC::pow(symbolic::fast_memory(), -inverse);
  return {Rational(2 * (n - 1), charge) * side_over_r, n * side_over_r};
}

// The relative loss in units of side / r, r = (2 c S / side)^(1/(n-1)): first what own < side
// costs, then what k > n costs.
double lost_per_side_over_r(const LatticeGrowth& growth, const LatticeGrowth::Sum& sum) {
  const int n = growth.dimensions;
  double own = 0;
  for (const LatticeGrowth::Sum& way : growth.one_way) {
    if (way.summands <= n) own = std::max(own, way.side());
  }
  return n * std::max(0.0, 1 - own / sum.side()) +
         n / (2.0 * (n - 1) * sum.kinds) * std::max(0, sum.summands - n);
}

// Words per vertex in the formula, at s words.
double rate_at(const LatticeGrowth& growth, const LatticeGrowth::Sum& sum, int charge, double s) {
  const int n = growth.dimensions;
  const double side_over_r = sum.side() * std::pow(sum.side() / (2 * charge * s), 1.0 / (n - 1));
  return (n - 1.0) / charge * side_over_r * (1 - lost_per_side_over_r(growth, sum) * side_over_r);
}

}  // namespace

LatticeGrowth::Sum formula_sum(const LatticeGrowth& growth, int charge) {
  return *std::max_element(growth.both_ways.begin(), growth.both_ways.end(),
                           [&](const auto& a, const auto& b) {
                             return rate_at(growth, a, charge, reference_memory) <
                                    rate_at(growth, b, charge, reference_memory);
                           });
}

Rate rate_formula(const LatticeGrowth& growth, int charge, bool own_values) {
  const int n = growth.dimensions;
  const Expr s = symbolic::fast_memory();
  const Rational inverse = Rational(1) / (n - 1);
  if (own_values) return with_own_values(growth, charge);
  if (growth.both_ways.empty()) {  // chi = (m / 2)^(n/(n-1))
    const Expr half = n * charge * s;
    return {2 * (n - 1) * s * GiNaC::pow(half, -1 - inverse), 0};
  }
  const LatticeGrowth::Sum best = formula_sum(growth, charge);
  // side / r = side (side / (2 c S))^(1/(n-1)), with side^n = cells (kinds / k)^n
  const Rational base =
      Rational(best.cells) * Rational(best.kinds, best.summands).power(n) / (2L * charge);
  const Expr side_over_r = GiNaC::pow(Expr(base), inverse) * GiNaC::pow(s, -inverse);
  return {Rational(n - 1, charge) * side_over_r,
          rational_above(lost_per_side_over_r(growth, best)) * side_over_r};
}

}  // namespace redblue::bounds
