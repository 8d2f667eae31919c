// Random factorizations against LAPACK on every rank.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"
#include "linalg/random_case.hpp"
#include "redblue/error.hpp"
#include "redblue/factor.hpp"

namespace redblue {

// A Hermitian positive definite matrix, or one whose minor of order `broken` is not positive.
template <class T>
T definite_element(std::int64_t row, std::int64_t column, std::int64_t n, std::int64_t broken) {
  return row + 1 == broken && column + 1 == broken ? T(-1) : definite_number<T>(row, column, n);
}

template <class T>
bool cholesky_is_right(Dice& dice, comm::Communicator& world) {
  const std::int64_t n = random_size(dice);
  const Triangle triangle = dice.one_in(2) ? Triangle::upper : Triangle::lower;
  const Layout layout = random_layout(dice, n, n, world.size(), world.rank());
  const std::int64_t broken = n > 0 && dice.one_in(5) ? dice.between(1, n) : 0;
  FactorOptions options;
  if (dice.one_in(3)) options.block = dice.between(1, 50);
  if (dice.one_in(2)) options.layers = static_cast<int>(dice.between(1, world.size()));
  CholeskyPlan<T> plan(MPI_COMM_WORLD, triangle, layout, options);
  Spread<T> a = spread<T>(layout, world, seed_b);
  const bool upper = triangle == Triangle::upper;
  layout::for_each_element(
      a.patches, [&](std::int64_t row, std::int64_t column, std::int64_t place) {
        if (upper ? row > column : row < column) return;
        a.values[static_cast<std::size_t>(place)] = definite_element<T>(row, column, n, broken);
      });
  std::vector<T> wanted;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) wanted.push_back(definite_element<T>(i, j, n, broken));
  }
  const std::int64_t info = lapack::cholesky(n, wanted.data(), n);
  for (std::int64_t j = 0; upper && j < n; ++j) {
    for (std::int64_t i = 0; i < j; ++i) {
      wanted[static_cast<std::size_t>(i + j * n)] =
          conjugated(wanted[static_cast<std::size_t>(j + i * n)]);
    }
  }
  const double tolerance =
      200 * static_cast<double>(n + 2) * std::numeric_limits<Real<T>>::epsilon();
  bool ok = true;
  for (int time = 0; time < 2; ++time) {
    std::vector<T> result = a.values;
    ok = ok && world.all(plan.execute(result.data()) == info);
    if (info == 0) {
      ok = ok && holds(a, result, wanted, n, tolerance,
                       upper ? layout::Part::upper : layout::Part::lower);
    }
  }
  if (dice.one_in(4)) {
    const bool fits = fits_where_it_says(options, world, [&](const FactorOptions& o) {
      return CholeskyPlan<T>(MPI_COMM_WORLD, triangle, layout, o);
    });
    ok = ok && fits;
  }
  const Cost cost = cost_of(plan.decomposition(), options.machine);
  const Traffic& traffic = plan.traffic().factor;
  return world.all(ok) && world.maximum(traffic.words_received.value) == cost.words.value &&
         world.maximum(traffic.messages_received.value) == cost.messages.value;
}

// A plan made by make(options), in as little memory as it says it takes; whether it stays within.
template <class Make>
bool fits_where_it_says(FactorOptions options, comm::Communicator& world, Make make) {
  options.memory = Words(1);
  constexpr int refusals = 3;  // by the model, then by the layout
  for (int attempt = 0; attempt <= refusals; ++attempt) {
    try {
      const auto plan = make(options);
      return world.all(plan.memory() <= *options.memory);
    } catch (const Error& e) {
      options.memory = least_named(e);
    }
  }
  return false;
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

template <class T>
T element_of(Suspect kind, std::int64_t row, std::int64_t column, std::int64_t columns,
             std::int64_t zero) {
  const T x = random_number<T>(seed_a, row, column);
  switch (kind) {
    case Suspect::zero_column:
      return column == zero ? T(0) : x;
    case Suspect::wilkinson:  // its last column doubles in every step
      return row == column || column + 1 == columns ? T(1) : row > column ? T(-1) : T(0);
    case Suspect::graded:
      return x * static_cast<Real<T>>(std::exp2(-static_cast<double>(row + column) / 30));
    case Suspect::nearly_singular:
      return column % 2 == 0 ? x
                             : random_number<T>(seed_a, row, 0) +
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

// P A - L U is small beside U, whose elements grow no more than eight times as much as with partial
// pivoting; info is LAPACK's; the exchanges are valid.
template <class T>
bool lu_is_right(Dice& dice, comm::Communicator& world) {
  using Complex = std::complex<double>;
  const std::int64_t m = random_size(dice);
  const std::int64_t n = dice.one_in(2) ? m : random_size(dice);
  const std::int64_t least = std::min(m, n);
  const Layout layout = random_layout(dice, m, n, world.size(), world.rank());
  FactorOptions options;
  if (dice.one_in(3)) options.block = dice.between(1, 50);
  if (dice.one_in(2)) options.layers = static_cast<int>(dice.between(1, world.size()));
  LuPlan<T> plan(MPI_COMM_WORLD, layout, options);
  Spread<T> a = spread<T>(layout, world, seed_a);
  Suspect kind = dice.one_in(2) ? Suspect::random : static_cast<Suspect>(dice.between(1, 5));
  constexpr std::int64_t overflows = 100;  // 2^n in float
  if (least == 0 || (kind == Suspect::wilkinson && n > overflows)) kind = Suspect::random;
  const std::int64_t zero = least > 0 ? dice.between(0, least - 1) : 0;
  layout::for_each_element(a.patches, [&](std::int64_t row, std::int64_t column, std::int64_t at) {
    a.values[static_cast<std::size_t>(at)] = element_of<T>(kind, row, column, n, zero);
  });
  std::vector<T> result = a.values;
  const std::int64_t info = plan.execute(result.data());
  bool ok = world.all(info == (kind == Suspect::zero_column ? zero + 1 : 0) ||
                      kind == Suspect::nearly_singular);
  for (std::size_t x = 0; x < result.size(); ++x) {  // nothing between the columns
    if (std::isnan(std::real(a.values[x])) && !std::isnan(std::real(result[x]))) ok = false;
  }
  std::vector<Complex> permuted = collected(a.patches, a.values, m, n, world);
  std::vector<Complex> partial = permuted;
  std::vector<int> exchanges;
  lapack::lu(m, n, partial.data(), m, exchanges);
  const Factors f = split(collected(a.patches, result, m, n, world), m, n);
  const std::vector<std::int64_t>& pivots = plan.pivots();
  ok = ok && static_cast<std::int64_t>(pivots.size()) == least;
  for (std::int64_t i = 0; ok && i < least; ++i) {
    const std::int64_t other = pivots[static_cast<std::size_t>(i)];
    ok = other >= i && other < m;
    for (std::int64_t j = 0; ok && j < n; ++j) {
      std::swap(permuted[static_cast<std::size_t>(i + j * m)],
                permuted[static_cast<std::size_t>(other + j * m)]);
    }
  }
  blas::gemm<Complex>(m, n, least, -1, {f.lower.data(), m}, {f.upper.data(), least}, 1,
                      permuted.data(), m);
  const double grown = std::max(1.0, largest(f.upper));
  const double tolerance =
      50 * static_cast<double>(least + 2) * std::numeric_limits<Real<T>>::epsilon() * grown;
  ok = ok && largest(permuted) <= tolerance && largest(f.lower) <= 100 &&
       grown <= 8 * std::max(1.0, largest(split(partial, m, n).upper));
  if (dice.one_in(4)) {
    const bool fits = fits_where_it_says(options, world, [&](const FactorOptions& o) {
      return LuPlan<T>(MPI_COMM_WORLD, layout, o);
    });
    ok = ok && fits;
  }
  const Traffic& traffic = plan.traffic().factor;
  std::vector<double> totals = {static_cast<double>(traffic.words_received.value),
                                static_cast<double>(traffic.words_sent.value)};
  world.sum(totals);
  return ok && totals[0] == totals[1];
}

}  // namespace redblue
