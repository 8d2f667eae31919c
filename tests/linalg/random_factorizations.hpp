// SPDX-License-Identifier: BSD-3-Clause
// Random factorizations against LAPACK on every rank.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "linalg/blas/blas.hpp"
#include "linalg/blas/lapack.hpp"
#include "linalg/random_case.hpp"
#include "redblue/error.hpp"
#include "redblue/factor.hpp"

namespace redblue {

using comm::conjugated;

using namespace linalg;

// A Hermitian positive definite matrix, or one whose minor of order `broken` is not positive.
template <class T>
T definite_element(std::int64_t row, std::int64_t column, std::int64_t n, std::int64_t broken) {
  return row + 1 == broken && column + 1 == broken ? T(-1)
                                                   : matgen::definite_number<T>(row, column, n);
}

inline FactorOptions random_factor_options(Case& c) {
  FactorOptions options;
  if (c.dice.one_in(3)) options.block = c.dice.between(1, 50);
  if (c.dice.one_in(2)) options.replicas = static_cast<int>(c.dice.between(1, c.world.size()));
  if (c.dice.one_in(3)) {
    options.exchange = Exchange::doubling;
    c.note("by doubling");
  }
  if (c.dice.one_in(4)) {  // few steps, on few of the ranks
    options.objective = Objective::seconds;
    options.machine.latency_seconds = 1e-3;
    c.note("by time");
  }
  if (options.block) c.note("block ", *options.block);
  if (options.replicas) c.note("layers ", *options.replicas);
  return options;
}

// Checks that a plan made by make(options) in as little memory as it says it takes stays within.
template <class Make>
void check_least_memory(Case& c, FactorOptions options, Make make) {
  options.memory = Words(1);
  constexpr int refusals = 3;  // by the model, then by the layout
  for (int attempt = 0; attempt <= refusals; ++attempt) {
    try {
      const auto plan = make(options);
      c.check(plan.memory() <= *options.memory, "a plan within ", options.memory->value,
              " words holds ", plan.memory().value);
      return;
    } catch (const Error& e) {
      options.memory = least_named(e);
    }
  }
  c.check(false, "no plan within the ", options.memory->value, " words that its refusal names");
}

// LAPACK's factor of the matrix, in the triangle that is asked for.
template <class T>
std::vector<T> cholesky_whole(std::int64_t n, std::int64_t broken, bool upper, std::int64_t& info) {
  std::vector<T> wanted;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) wanted.push_back(definite_element<T>(i, j, n, broken));
  }
  info = lapack::cholesky('L', n, wanted.data(), n);
  for (std::int64_t j = 0; upper && j < n; ++j) {
    for (std::int64_t i = 0; i < j; ++i) {
      wanted[static_cast<std::size_t>(i + j * n)] =
          conjugated(wanted[static_cast<std::size_t>(j + i * n)]);
    }
  }
  return wanted;
}

template <class T>
void cholesky_case(Case& c) {
  const std::int64_t n = random_size(c.dice);
  const bool upper = c.dice.one_in(2);
  const Triangle triangle = upper ? Triangle::upper : Triangle::lower;
  const Layout layout = c.layout(n, n);
  const std::int64_t broken = n > 0 && c.dice.one_in(5) ? c.dice.between(1, n) : 0;
  c.note("n ", n, upper ? ", upper" : ", lower");
  if (broken > 0) c.note("minor ", broken, " is not positive");
  c.note("A ", name(layout));
  const FactorOptions options = random_factor_options(c);
  CholeskyPlan<T> plan(MPI_COMM_WORLD, triangle, layout, options);
  Spread<T> a = spread<T>(layout, c.world, matgen::seed_b);
  layout::for_each_element(
      a.patches, [&](std::int64_t row, std::int64_t column, std::int64_t place) {
        if (upper ? row > column : row < column) return;
        a.values[static_cast<std::size_t>(place)] = definite_element<T>(row, column, n, broken);
      });
  std::int64_t info = 0;
  const std::vector<T> wanted = cholesky_whole<T>(n, broken, upper, info);
  const double tolerance =
      200 * static_cast<double>(n + 2) * std::numeric_limits<Real<T>>::epsilon();
  for (int time = 0; time < 2; ++time) {
    std::vector<T> result = a.values;
    c.check_equal(plan.execute(result.data()), info, "info");
    if (info != 0) continue;
    check_matrix(c, upper ? "U" : "L", a, result, wanted, n, tolerance,
                 upper ? layout::Part::upper : layout::Part::lower);
  }
  if (c.dice.one_in(4)) {
    check_least_memory(c, options, [&](const FactorOptions& o) {
      return CholeskyPlan<T>(MPI_COMM_WORLD, triangle, layout, o);
    });
  }
  check_traffic(c, plan.traffic().factor, cost_of(plan.decomposition(), options.machine));
}

// The whole matrix on every rank.
template <class T>
std::vector<std::complex<double>> collected(const std::vector<layout::Patch>& patches,
                                            const std::vector<T>& values, std::int64_t rows,
                                            std::int64_t columns, comm::Communicator& world) {
  std::vector<std::complex<double>> all(static_cast<std::size_t>(rows * columns));
  layout::for_each_element(patches, [&](std::int64_t row, std::int64_t column, std::int64_t place) {
    const T& x = values[static_cast<std::size_t>(place)];
    all[static_cast<std::size_t>(row + column * rows)] = {std::real(x), std::imag(x)};
  });
  world.sum(all);
  return all;
}

// The usual suspects of pivoting.
enum class Suspect { random, zero_column, wilkinson, graded, nearly_singular, late_rows };

inline const char* name(Suspect kind) {
  constexpr const char* names[] = {"random elements", "a column of zeros", "Wilkinson's matrix",
                                   "graded elements", "nearly singular",   "small rows"};
  return names[static_cast<std::size_t>(kind)];
}

template <class T>
T element_of(Suspect kind, std::int64_t row, std::int64_t column, std::int64_t columns,
             std::int64_t zero) {
  const T x = matgen::random_number<T>(matgen::seed_a, row, column);
  switch (kind) {
    case Suspect::zero_column:
      return column == zero ? T(0) : x;
    case Suspect::wilkinson:  // its last column doubles in every step
      return row == column || column + 1 == columns ? T(1) : row > column ? T(-1) : T(0);
    case Suspect::graded:
      return x * static_cast<Real<T>>(std::exp2(-static_cast<double>(row + column) / 30));
    case Suspect::nearly_singular:
      return column % 2 == 0 ? x
                             : matgen::random_number<T>(matgen::seed_a, row, 0) +
                                   x * std::numeric_limits<Real<T>>::epsilon() * Real<T>(100);
    case Suspect::late_rows:  // some ranks give hardly a pivot until the others have no rows left
      return row / 16 % 2 == 0 ? x : x / Real<T>(1000);
    default:
      return x;
  }
}

inline double largest(const std::vector<std::complex<double>>& values) {
  double most = 0;
  for (const std::complex<double>& x : values) most = std::max(most, std::abs(x));
  return most;
}

// L (m x least) and U (least x n) of factors as LAPACK leaves them.
struct Factors {
  std::vector<std::complex<double>> lower, upper;
};

inline Factors split(const std::vector<std::complex<double>>& factors, std::int64_t m,
                     std::int64_t n) {
  const std::int64_t least = std::min(m, n);
  Factors f;
  f.lower.resize(static_cast<std::size_t>(m * least));
  f.upper.resize(static_cast<std::size_t>(least * n));
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const std::complex<double> x = factors[static_cast<std::size_t>(i + j * m)];
      if (i > j) f.lower[static_cast<std::size_t>(i + j * m)] = x;
      if (i == j) f.lower[static_cast<std::size_t>(i + j * m)] = 1;
      if (i <= j) f.upper[static_cast<std::size_t>(i + j * least)] = x;
    }
  }
  return f;
}

// Row exchanges as LAPACK has them; whether they are valid.
inline bool exchange_rows(const std::vector<std::int64_t>& pivots, std::int64_t m, std::int64_t n,
                          std::vector<std::complex<double>>& a) {
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    if (pivots[i] < row || pivots[i] >= m) return false;
    for (std::int64_t j = 0; j < n; ++j) {
      std::swap(a[static_cast<std::size_t>(row + j * m)],
                a[static_cast<std::size_t>(pivots[i] + j * m)]);
    }
  }
  return true;
}

// L U is P A but for rounding, relative to U's elements, which grow no more than eight times as
// much as with partial pivoting; L's stay moderate.
template <class T>
void check_factors(Case& c, std::vector<std::complex<double>> a, const Factors& f, std::int64_t m,
                   std::int64_t n, const std::vector<std::int64_t>& pivots) {
  using Complex = std::complex<double>;
  const std::int64_t least = std::min(m, n);
  std::vector<Complex> partial = a;
  std::vector<int> exchanges;
  lapack::lu(m, n, partial.data(), m, exchanges);
  c.check_equal(static_cast<std::int64_t>(pivots.size()), least, "the number of pivots");
  c.check(exchange_rows(pivots, m, n, a), "pivots exchange rows that are not there");
  std::vector<Complex> product(a.size());
  blas::gemm<Complex>(m, n, least, 1, {f.lower.data(), m}, {f.upper.data(), least}, 0,
                      product.data(), m);
  const double grown = std::max(1.0, largest(f.upper));
  const double with_partial = std::max(1.0, largest(split(partial, m, n).upper));
  const double tolerance =
      50 * static_cast<double>(least + 2) * std::numeric_limits<Real<T>>::epsilon() * grown;
  for (std::int64_t at = 0; least > 0 && at < m * n; ++at) {
    const Complex& got = product[static_cast<std::size_t>(at)];
    const Complex& expected = a[static_cast<std::size_t>(at)];
    c.check_element(std::abs(got - expected) <= tolerance, "L U, which is P A, ", at % m, at / m,
                    got, expected, tolerance);
  }
  c.check(largest(f.lower) <= 100, "L's elements grow to ", largest(f.lower));
  c.check(grown <= 8 * with_partial, "U's elements grow to ", grown, ", with partial pivoting to ",
          with_partial);
}

template <class T>
void lu_case(Case& c) {
  const std::int64_t m = random_size(c.dice);
  const std::int64_t n = c.dice.one_in(2) ? m : random_size(c.dice);
  const std::int64_t least = std::min(m, n);
  const Layout layout = c.layout(m, n);
  c.note("m ", m, ", n ", n);
  c.note("A ", name(layout));
  const FactorOptions options = random_factor_options(c);
  LuPlan<T> plan(MPI_COMM_WORLD, layout, options);
  Spread<T> a = spread<T>(layout, c.world, matgen::seed_a);
  Suspect kind = c.dice.one_in(2) ? Suspect::random : static_cast<Suspect>(c.dice.between(1, 5));
  constexpr std::int64_t overflows = 100;  // 2^n in float
  if (least == 0 || (kind == Suspect::wilkinson && n > overflows)) kind = Suspect::random;
  const std::int64_t zero = least > 0 ? c.dice.between(0, least - 1) : 0;
  c.note(name(kind));
  if (kind == Suspect::zero_column) c.note("column ", zero);
  layout::for_each_element(a.patches, [&](std::int64_t row, std::int64_t column, std::int64_t at) {
    a.values[static_cast<std::size_t>(at)] = element_of<T>(kind, row, column, n, zero);
  });
  std::vector<T> result = a.values;
  const std::int64_t info = plan.execute(result.data());
  if (kind != Suspect::nearly_singular) {
    c.check_equal(info, kind == Suspect::zero_column ? zero + 1 : 0, "info");
  }
  for (std::size_t x = 0; x < result.size(); ++x) {  // nothing between the columns
    c.check(!std::isnan(std::real(a.values[x])) || std::isnan(std::real(result[x])), "word ", x,
            " of the array, between the columns, is ", result[x]);
  }
  check_factors<T>(c, collected(a.patches, a.values, m, n, c.world),
                   split(collected(a.patches, result, m, n, c.world), m, n), m, n, plan.pivots());
  if (c.dice.one_in(4)) {
    check_least_memory(
        c, options, [&](const FactorOptions& o) { return LuPlan<T>(MPI_COMM_WORLD, layout, o); });
  }
  check_balance(c, plan.traffic().factor);
}

}  // namespace redblue
