// SPDX-License-Identifier: BSD-3-Clause
// Refined systems and condition numbers of random matrices, against their definitions.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "linalg/refine/refinement.hpp"
#include "linalg/solve/random_solves.hpp"

extern "C" void zgesv_(const int* n, const int* columns, std::complex<double>* a, const int* lda,
                       int* pivots, std::complex<double>* b, const int* ldb, int* info);

namespace redblue {

using namespace linalg;

// A^-1 B by LAPACK in double precision.
inline Whole solution_of(Whole a, Whole b) {
  const int n = static_cast<int>(a.rows);
  const int columns = static_cast<int>(b.columns);
  std::vector<int> pivots(static_cast<std::size_t>(n));
  int info = 0;
  zgesv_(&n, &columns, a.values.data(), &n, pivots.data(), b.values.data(), &n, &info);
  return b;
}

inline Whole inverse_of(const Whole& a) {
  return solution_of(
      a, whole_of(a.rows, a.rows, [](auto i, auto j) { return Complex(i == j ? 1 : 0); }));
}

// A factored matrix, general or definite.
template <class T>
struct Factored {
  FactoredLayouts layouts;
  std::int64_t n;
  Spread<T> factors;
  std::vector<std::int64_t> rows;  // of general ones

  T element(std::int64_t i, std::int64_t j) const {
    return layouts.definite ? matgen::definite_number<T>(i, j, n)
                            : matgen::random_number<T>(matgen::seed_a, i, j) + T(i == j ? 1 : 0);
  }
  const std::vector<std::int64_t>* order() const { return layouts.definite ? nullptr : &rows; }
  Whole whole() const {
    return whole_of(n, n, [this](auto i, auto j) { return element(i, j); });
  }
};

template <class T>
Factored<T> random_factored(Case& c, bool any_op) {
  Factored<T> f;
  f.n = std::max<std::int64_t>(1, random_size(c.dice));
  f.layouts.definite = c.dice.one_in(2);
  f.layouts.triangle = c.dice.one_in(2) ? Triangle::lower : Triangle::upper;
  if (!f.layouts.definite && any_op) f.layouts.op = random_op(c.dice);
  f.layouts.factors = square_layout(c, f.n);
  c.note("n ", f.n, f.layouts.definite ? ", definite" : ", general", ", op ", name(f.layouts.op));
  c.note("factors ", name(f.layouts.factors));
  f.factors =
      placed<T>(f.layouts.factors, c.world, [&](auto i, auto j) { return f.element(i, j); });
  if (f.layouts.definite) {
    CholeskyPlan<T> plan(MPI_COMM_WORLD, f.layouts.triangle, f.layouts.factors);
    c.check_equal(plan.execute(f.factors.values.data()), 0, "info");
  } else {
    LuPlan<T> plan(MPI_COMM_WORLD, f.layouts.factors);
    c.check_equal(plan.execute(f.factors.values.data()), 0, "info");
    f.rows = row_order(plan.pivots(), f.n);
  }
  return f;
}

// The largest sum of a column's moduli.
inline double column_norm(const Whole& m) {
  return norm(applied(Op::transpose, m));
}

// An estimate is below what it estimates, and not by much.
inline void check_estimate(Case& c, const char* what, double estimate, double value,
                           double rounding) {
  constexpr double seldom = 10;
  ++c.compared;
  c.check(estimate <= value * (1 + rounding) && estimate >= value / seldom, what,
          " is estimated as ", estimate, ", is ", value);
}

template <class T>
void condition_case(Case& c) {
  const Factored<T> f = random_factored<T>(c, false);
  const bool of_rows = c.dice.one_in(2);
  c.note(of_rows ? "infinity-norm" : "1-norm");
  FactoredSolves<T> solves(c.world, f.layouts, 1);
  std::vector<T> workspace(static_cast<std::size_t>(solves.workspace()));
  const Whole a = f.whole();
  const double size = of_rows ? norm(a) : column_norm(a);
  Traffic traffic;
  const double result = reciprocal_condition(c.world, solves, of_rows, size,
                                             f.factors.values.data(), workspace.data(), traffic);
  const Whole inverse = inverse_of(a);
  const double of_inverse = of_rows ? norm(inverse) : column_norm(inverse);
  const double rounding = 100 * static_cast<double>(f.n) * size * of_inverse *
                          static_cast<double>(std::numeric_limits<Real<T>>::epsilon());
  check_estimate(c, "the condition number", 1 / result, size * of_inverse, rounding);
}

// Componentwise, of one right-hand side: |B - A X| and |A| |X| + |B|, measured as LAPACK does.
struct Rest {
  std::vector<double> residual, weights;
};

inline Rest rest_of(const Whole& a, const Whole& x, const Whole& b, std::int64_t column) {
  const auto size = [](const Complex& z) { return std::abs(z.real()) + std::abs(z.imag()); };
  Rest rest;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    Complex r = b.at(i, column);
    double w = size(r);
    for (std::int64_t k = 0; k < a.rows; ++k) {
      r -= a.at(i, k) * x.at(k, column);
      w += size(a.at(i, k)) * size(x.at(k, column));
    }
    rest.residual.push_back(size(r));
    rest.weights.push_back(w);
  }
  return rest;
}

// The bounds of one right-hand side.
template <class T>
void check_bounds(Case& c, const Whole& a, const Whole& inverse, const Whole& x, const Whole& b,
                  std::int64_t column, double forward, double backward) {
  const auto epsilon = static_cast<double>(std::numeric_limits<Real<T>>::epsilon()) / 2;
  const auto n = static_cast<double>(a.rows);
  const Rest rest = rest_of(a, x, b, column);
  double wanted = 0;
  for (std::size_t i = 0; i < rest.weights.size(); ++i) {
    wanted = std::max(wanted, rest.residual[i] / rest.weights[i]);
  }
  // residuals are computed in T
  c.check(std::abs(backward - wanted) <= 3 * (n + 2) * epsilon, "the backward error is ", backward,
          ", expected ", wanted);
  c.check(backward <= (n + 10) * epsilon, "the backward error is ", backward);
  double error = 0;
  double size = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    double sum = 0;
    for (std::int64_t k = 0; k < a.rows; ++k) {
      const auto at = static_cast<std::size_t>(k);
      sum +=
          std::abs(inverse.at(i, k)) * (rest.residual[at] + (n + 1) * epsilon * rest.weights[at]);
    }
    error = std::max(error, sum);
    const Complex z = x.at(i, column);
    size = std::max(size, std::abs(z.real()) + std::abs(z.imag()));
  }
  constexpr double of_residuals = 3;  // which are computed anew here
  check_estimate(c, "the forward error", forward / of_residuals, error / size, 0.1);
  check_estimate(c, "the forward error", forward, error / size * of_residuals, 0.1);
}

template <class T>
void refinement_case(Case& c) {
  const Factored<T> f = random_factored<T>(c, true);
  const std::int64_t m = c.dice.between(1, 5);
  const RefinementLayouts layouts{f.layouts, c.layout(f.n, f.n), c.layout(f.n, m),
                                  c.layout(f.n, m)};
  c.note("right-hand sides ", m);
  c.note("A ", name(layouts.a));
  c.note("B ", name(layouts.b));
  const Whole a = applied(f.layouts.op, f.whole());
  const auto right_side = [](auto i, auto j) {
    return matgen::random_number<T>(matgen::seed_b, i, j);
  };
  const Whole b = whole_of(f.n, m, right_side);
  const Whole solution = solution_of(a, b);
  const Spread<T> at_a =
      placed<T>(layouts.a, c.world, [&](auto i, auto j) { return f.element(i, j); });
  const Spread<T> at_b = placed<T>(layouts.b, c.world, right_side);
  // three digits of the solution
  Spread<T> at_x = placed<T>(layouts.x, c.world, [&](auto i, auto j) {
    const Complex z = solution.at(i, j) * (1 + 1e-3 * matgen::random_element(7, i, j));
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(z.real());
    } else {
      return T(static_cast<Real<T>>(z.real()), static_cast<Real<T>>(z.imag()));
    }
  });
  Refinement<T> refinement(c.world, layouts);
  std::vector<T> workspace(static_cast<std::size_t>(refinement.workspace()));
  SolveTraffic traffic;
  const ErrorBounds bounds = refinement.execute(c.world,
                                                {at_a.values.data(), f.factors.values.data(),
                                                 f.order(), at_b.values.data(), at_x.values.data()},
                                                workspace.data(), traffic);
  const Whole x = gathered(at_x, at_x.values, f.n, m, c.world);
  const Whole inverse = inverse_of(a);
  for (std::int64_t j = 0; j < m; ++j) {
    const auto at = static_cast<std::size_t>(j);
    check_bounds<T>(c, a, inverse, x, b, j, bounds.forward[at], bounds.backward[at]);
  }
}

}  // namespace redblue
