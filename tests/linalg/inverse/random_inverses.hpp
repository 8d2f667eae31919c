// SPDX-License-Identifier: BSD-3-Clause
// Random inverses against LAPACK on every rank.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>
#include <vector>

#include "linalg/random_case.hpp"
#include "linalg/random_factorizations.hpp"
#include "linalg/solve/random_solves.hpp"
#include "redblue/inverse.hpp"
#include "redblue/two_sided.hpp"

namespace redblue {

using namespace linalg;

// A triangle whose inverse's elements stay moderate, and whether its diagonal has a zero.
struct RandomTriangle {
  std::int64_t n;
  bool upper, unit;
  std::int64_t zero;  // counted from 1; 0: none

  bool outside(std::int64_t i, std::int64_t j) const { return upper ? i > j : i < j; }
  template <class T>
  T element(std::int64_t i, std::int64_t j) const {
    if (outside(i, j) || (i == j && unit)) return T(std::numeric_limits<Real<T>>::quiet_NaN());
    if (i == j && i + 1 == zero) return T(0);
    const T x = matgen::random_number<T>(matgen::seed_a, i, j);
    return i == j ? x + T(1) : x * static_cast<Real<T>>(1 / std::sqrt(static_cast<double>(n + 1)));
  }
  Whole whole() const {
    return whole_of(n, n, [this](std::int64_t i, std::int64_t j) {
      if (outside(i, j)) return Complex(0);
      return i == j && unit ? Complex(1) : Complex(0);
    });
  }
  layout::Part part() const { return upper ? layout::Part::upper : layout::Part::lower; }
  Triangle triangle() const { return upper ? Triangle::upper : Triangle::lower; }
};

inline RandomTriangle random_triangle(Case& c, bool may_be_unit) {
  RandomTriangle t{random_size(c.dice), c.dice.one_in(2), may_be_unit && c.dice.one_in(2), 0};
  c.note("n ", t.n, t.upper ? ", upper" : ", lower", t.unit ? ", unit diagonal" : "");
  return t;
}

// The identity's solution of A X = I by LAPACK, in double precision.
inline Whole inverse_of_triangle(const Whole& a, bool upper, bool unit) {
  Whole x = whole_of(a.rows, a.rows, [](auto i, auto j) { return Complex(i == j ? 1 : 0); });
  const std::int64_t leading = std::max<std::int64_t>(1, a.rows);
  lapack::solve({lapack::Side::left, upper ? 'U' : 'L', 'N', unit}, a.rows, a.rows, a.values.data(),
                leading, x.values.data(), leading);
  return x;
}

inline double size_of(const Whole& x) {
  double most = 1;
  for (const Complex& v : x.values) most = std::max(most, std::abs(v));
  return most;
}

template <class T>
std::vector<T> rounded(const Whole& x) {
  std::vector<T> result;
  for (const Complex& v : x.values) {
    if constexpr (std::is_floating_point_v<T>) {
      result.push_back(static_cast<T>(v.real()));
    } else {
      result.push_back(T(static_cast<Real<T>>(v.real()), static_cast<Real<T>>(v.imag())));
    }
  }
  return result;
}

inline FactorOptions random_inverse_options(Case& c) {
  FactorOptions options;
  if (c.dice.one_in(3)) options.block = c.dice.between(1, 50);
  if (options.block) c.note("block ", *options.block);
  return options;
}

template <class T>
double inverse_tolerance(std::int64_t n, const Whole& wanted) {
  const double size = size_of(wanted);
  return 200 * static_cast<double>(n + 2) * std::numeric_limits<Real<T>>::epsilon() * size * size;
}

template <class T>
void triangular_inverse_case(Case& c) {
  RandomTriangle t = random_triangle(c, true);
  if (!t.unit && t.n > 0 && c.dice.one_in(5)) t.zero = c.dice.between(1, t.n);
  const Layout layout = square_layout(c, t.n);
  c.note("T ", name(layout));
  if (t.zero > 0) c.note("zero ", t.zero);
  const FactorOptions options = random_inverse_options(c);
  const Spread<T> a =
      placed<T>(layout, c.world, [&](auto i, auto j) { return t.element<T>(i, j); });
  TriangularInversePlan<T> plan(MPI_COMM_WORLD, t.triangle(), t.unit, layout, options);
  Whole whole = t.whole();
  for (std::int64_t j = 0; j < t.n; ++j) {
    for (std::int64_t i = 0; i < t.n; ++i) {
      if (!t.outside(i, j) && !(i == j && t.unit)) whole.at(i, j) = Complex(t.element<T>(i, j));
    }
  }
  Whole wanted = t.zero > 0 ? whole : inverse_of_triangle(whole, t.upper, t.unit);
  const double tolerance = inverse_tolerance<T>(t.n, wanted);
  std::vector<T> expected = rounded<T>(wanted);
  for (int time = 0; time < 2; ++time) {
    std::vector<T> result = a.values;
    c.check_equal(plan.execute(result.data()), t.zero, "info");
    if (t.unit) {  // the diagonal has not been touched
      Spread<T> before = a;
      layout::for_each_element(a.patches, [&](std::int64_t i, std::int64_t j, std::int64_t x) {
        if (i != j) return;
        const auto at = static_cast<std::size_t>(x);
        c.check(std::isnan(std::real(result[at])), "T(", i, ", ", i, ") has changed");
        before.values[at] = result[at] = T(1);
      });
      check_matrix(c, "T", before, result, expected, t.n, tolerance, t.part());
    } else {
      check_matrix(c, "T", a, result, expected, t.n, t.zero > 0 ? 0 : tolerance, t.part());
    }
  }
  if (c.dice.one_in(4)) {
    check_least_memory(c, options, [&](const FactorOptions& o) {
      return TriangularInversePlan<T>(MPI_COMM_WORLD, t.triangle(), t.unit, layout, o);
    });
  }
  if (t.zero == 0) {
    check_traffic(c, plan.traffic().factor, cost_of(plan.decomposition(), options.machine));
  }
  check_balance(c, plan.traffic().total());
}

// L' L or U U' of a whole triangle.
inline Whole square_of(const Whole& t, bool upper) {
  const Whole other = applied(Op::conjugate_transpose, t);
  Whole product = t;
  const std::int64_t leading = std::max<std::int64_t>(1, t.rows);
  blas::gemm<Complex>(t.rows, t.rows, t.rows, 1, {(upper ? t : other).values.data(), leading},
                      {(upper ? other : t).values.data(), leading}, 0, product.values.data(),
                      leading);
  return product;
}

template <class T>
void triangular_square_case(Case& c) {
  const RandomTriangle t = random_triangle(c, false);
  const Layout layout = square_layout(c, t.n);
  c.note("T ", name(layout));
  const FactorOptions options = random_inverse_options(c);
  const Spread<T> a =
      placed<T>(layout, c.world, [&](auto i, auto j) { return t.element<T>(i, j); });
  TriangularSquarePlan<T> plan(MPI_COMM_WORLD, t.triangle(), layout, options);
  const Whole wanted =
      square_of(whole_of(t.n, t.n,
                         [&](auto i, auto j) {
                           return t.outside(i, j) ? Complex(0) : Complex(t.element<T>(i, j));
                         }),
                t.upper);
  for (int time = 0; time < 2; ++time) {
    std::vector<T> result = a.values;
    plan.execute(result.data());
    check_matrix(c, "C", a, result, rounded<T>(wanted), t.n, inverse_tolerance<T>(t.n, wanted),
                 t.part());
  }
  check_traffic(c, plan.traffic().factor, cost_of(plan.decomposition(), options.machine));
  check_balance(c, plan.traffic().total());
}

// X A - I, relative to what LAPACK's would be.
template <class T>
void check_inverse(Case& c, const Whole& a, const Whole& x) {
  Whole product = a;
  const std::int64_t leading = std::max<std::int64_t>(1, a.rows);
  blas::gemm<Complex>(a.rows, a.rows, a.rows, 1, {x.values.data(), leading},
                      {a.values.data(), leading}, 0, product.values.data(), leading);
  const double tolerance = 50 * static_cast<double>(a.rows + 2) *
                           std::numeric_limits<Real<T>>::epsilon() * (norm(x) * norm(a) + 1);
  for (std::int64_t j = 0; j < a.rows; ++j) {
    for (std::int64_t i = 0; i < a.rows; ++i) {
      const double expected = i == j ? 1 : 0;
      c.check_element(std::abs(product.at(i, j) - expected) <= tolerance, "X A", i, j,
                      product.at(i, j), expected, tolerance);
    }
  }
}

template <class T>
void cholesky_inverse_case(Case& c) {
  const RandomTriangle t = random_triangle(c, false);
  const Layout layout = square_layout(c, t.n);
  c.note("A ", name(layout));
  const FactorOptions options = random_inverse_options(c);
  Spread<T> a = placed<T>(layout, c.world, [&](auto i, auto j) {
    return t.outside(i, j) ? T(std::numeric_limits<Real<T>>::quiet_NaN())
                           : matgen::definite_number<T>(i, j, t.n);
  });
  CholeskyPlan<T> factor(MPI_COMM_WORLD, t.triangle(), layout);
  c.check_equal(factor.execute(a.values.data()), 0, "info");
  CholeskyInverse<T> plan(MPI_COMM_WORLD, t.triangle(), layout, options);
  std::vector<T> result = a.values;
  c.check_equal(plan.execute(result.data()), 0, "info");
  // the other triangle is not a number and stays so; X is completed from its own
  Spread<T> clean = a;
  layout::for_each_element(a.patches, [&](std::int64_t i, std::int64_t j, std::int64_t at) {
    const auto x = static_cast<std::size_t>(at);
    if (!t.outside(i, j)) return;
    c.check(std::isnan(std::real(result[x])), "A(", i, ", ", j, ") has changed");
    result[x] = T(0);
  });
  Whole x = gathered(clean, result, t.n, t.n, c.world);
  for (std::int64_t j = 0; j < t.n; ++j) {
    for (std::int64_t i = 0; i < t.n; ++i) {
      if (t.outside(i, j)) x.at(i, j) = std::conj(x.at(j, i));
    }
  }
  check_inverse<T>(
      c,
      whole_of(t.n, t.n,
               [&](auto i, auto j) { return Complex(matgen::definite_number<T>(i, j, t.n)); }),
      x);
  check_traffic(c, plan.traffic().factor, cost_of(plan.decomposition(), options.machine));
}

template <class T>
void lu_inverse_case(Case& c) {
  const std::int64_t n = random_size(c.dice);
  const Layout layout = square_layout(c, n);
  c.note("n ", n, ", A ", name(layout));
  const FactorOptions options = random_inverse_options(c);
  const auto element = [](auto i, auto j) {
    return matgen::random_number<T>(matgen::seed_a, i, j);
  };
  Spread<T> a = placed<T>(layout, c.world, element);
  LuPlan<T> factor(MPI_COMM_WORLD, layout);
  c.check_equal(factor.execute(a.values.data()), 0, "info");
  LuInverse<T> plan(MPI_COMM_WORLD, layout, options);
  std::vector<T> result = a.values;
  c.check_equal(plan.execute(result.data(), factor.pivots()), 0, "info");
  for (std::size_t x = 0; x < result.size(); ++x) {  // nothing between the columns
    c.check(!std::isnan(std::real(a.values[x])) || std::isnan(std::real(result[x])), "word ", x,
            " of the array, between the columns, is ", result[x]);
  }
  check_inverse<T>(c, whole_of(n, n, [&](auto i, auto j) { return Complex(element(i, j)); }),
                   gathered(a, result, n, n, c.world));
  check_traffic(c, plan.traffic().factor, cost_of(plan.decomposition(), options.machine));
  if (c.dice.one_in(4)) {
    check_least_memory(c, options, [&](const FactorOptions& o) {
      return LuInverse<T>(MPI_COMM_WORLD, layout, o);
    });
  }
}

struct TwoSidedSetupLayouts {
  Layout a, factor;
};

// On one grid more often than chance has them, with other offsets.
inline TwoSidedSetupLayouts random_two_sided(Case& c, std::int64_t n) {
  TwoSidedSetupLayouts l{square_layout(c, n), square_layout(c, n)};
  if (!c.dice.one_in(2)) return l;
  l.factor = l.a;
  auto* factor = std::get_if<BlockCyclic>(&l.factor);
  if (factor == nullptr) return l;
  factor->leading += c.dice.between(0, 3);
  return l;
}

// A Hermitian matrix, given by one triangle.
template <class T>
T hermitian_element(std::int64_t i, std::int64_t j) {
  const T x = matgen::random_number<T>(matgen::seed_b, std::max(i, j), std::min(i, j));
  if (i == j) return T(std::real(x));
  return i > j ? x : conjugated(x);
}

// L^-1 A L'^-1 of the lower triangle L, or L' A L; and how far rounding takes results of T from it.
struct TwoSidedResult {
  Whole value;
  double tolerance;
};

template <class T>
TwoSidedResult two_sided_solve(const Whole& lower, const Whole& a) {
  Whole x = a;
  const std::int64_t leading = std::max<std::int64_t>(1, a.rows);
  for (const auto& [side, op] : {std::pair(lapack::Side::left, 'N'), {lapack::Side::right, 'C'}}) {
    lapack::solve({side, 'L', op, false}, a.rows, a.rows, lower.values.data(), leading,
                  x.values.data(), leading);
  }
  const double size = size_of(inverse_of_triangle(lower, false, false));
  return {x, inverse_tolerance<T>(a.rows, x) * size * size};
}

template <class T>
TwoSidedResult two_sided_product(const Whole& lower, const Whole& a) {
  Whole half = a;
  Whole x = a;
  const std::int64_t n = a.rows;
  const std::int64_t leading = std::max<std::int64_t>(1, n);
  blas::gemm<Complex>(n, n, n, 1, {a.values.data(), leading}, {lower.values.data(), leading}, 0,
                      half.values.data(), leading);
  blas::gemm<Complex>(n, n, n, 1, {lower.values.data(), leading, 'C'},
                      {half.values.data(), leading}, 0, x.values.data(), leading);
  return {x, inverse_tolerance<T>(n, x)};
}

template <class T, class Plan, class Expected>
void two_sided_case(Case& c, Expected expected) {
  const RandomTriangle t = random_triangle(c, false);
  TwoSidedSetupLayouts layouts = random_two_sided(c, t.n);
  c.note("A ", name(layouts.a));
  c.note("factor ", name(layouts.factor));
  const FactorOptions options = random_inverse_options(c);
  const Spread<T> a = placed<T>(layouts.a, c.world, [&](auto i, auto j) {
    return t.outside(i, j) ? T(std::numeric_limits<Real<T>>::quiet_NaN())
                           : hermitian_element<T>(i, j);
  });
  const Spread<T> factor =
      placed<T>(layouts.factor, c.world, [&](auto i, auto j) { return t.element<T>(i, j); });
  Plan plan(MPI_COMM_WORLD, t.triangle(), layouts.a, layouts.factor, options);
  const Whole triangle = whole_of(t.n, t.n, [&](auto i, auto j) {
    return t.outside(i, j) ? Complex(0) : Complex(t.element<T>(i, j));
  });
  const TwoSidedResult wanted = expected(
      t.upper ? applied(Op::conjugate_transpose, triangle) : triangle,
      whole_of(t.n, t.n, [](auto i, auto j) { return Complex(hermitian_element<T>(i, j)); }));
  for (int time = 0; time < 2; ++time) {
    std::vector<T> result = a.values;
    plan.execute(result.data(), factor.values.data());
    check_matrix(c, "C", a, result, rounded<T>(wanted.value), t.n, wanted.tolerance, t.part());
  }
  check_traffic(c, plan.traffic().factor, cost_of(plan.decomposition(), options.machine));
  check_balance(c, plan.traffic().total());
}
template <class T>
void two_sided_solve_case(Case& c) {
  two_sided_case<T, TwoSidedSolvePlan<T>>(c, two_sided_solve<T>);
}
template <class T>
void two_sided_product_case(Case& c) {
  two_sided_case<T, TwoSidedProductPlan<T>>(c, two_sided_product<T>);
}

}  // namespace redblue
