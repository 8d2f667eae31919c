// SPDX-License-Identifier: BSD-3-Clause
// Random QR factorizations, whose vectors are applied one by one on every rank.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "linalg/random_factorizations.hpp"
#include "redblue/qr.hpp"

namespace redblue {

using Complexes = std::vector<std::complex<double>>;

// C = H_0 H_1 .. C of an m x columns C, H_j = I - tau_j v_j v_j', v_j below the diagonal of
// `factors`; with `adjoint` C = .. H_1' H_0' C.
inline void reflect(const Complexes& factors, const Complexes& tau, std::int64_t m, bool adjoint,
                    std::int64_t columns, Complexes& c) {
  const auto count = static_cast<std::int64_t>(tau.size());
  for (std::int64_t turn = 0; turn < count; ++turn) {
    const std::int64_t j = adjoint ? turn : count - 1 - turn;
    const std::complex<double>* const v = factors.data() + j * m;
    const std::complex<double> t = tau[static_cast<std::size_t>(j)];
    for (std::int64_t x = 0; x < columns; ++x) {
      std::complex<double>* const to = c.data() + x * m;
      std::complex<double> sum = to[j];
      for (std::int64_t i = j + 1; i < m; ++i) sum += std::conj(v[i]) * to[i];
      sum *= adjoint ? std::conj(t) : t;
      to[j] -= sum;
      for (std::int64_t i = j + 1; i < m; ++i) to[i] -= sum * v[i];
    }
  }
}

// The largest of |x - y|, relative to the largest of y; NaN where there is one.
inline double difference(const Complexes& x, const Complexes& y) {
  double most = 0;
  double scale = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double off = std::abs(x[i] - y[i]);
    if (!(off <= most)) most = off;
    scale = std::max(scale, std::abs(y[i]));
  }
  return scale > 0 ? most / scale : most;
}

// The same in the Frobenius norm.
inline double distance(const Complexes& x, const Complexes& y) {
  double off = 0;
  double scale = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    off += std::norm(x[i] - y[i]);
    scale += std::norm(y[i]);
  }
  return std::sqrt(scale > 0 ? off / scale : off);
}

enum class QrSuspect { none, zero, repeated_columns, few_rows, ill_conditioned, last };

template <class T>
T qr_element(QrSuspect kind, Suspect other, std::int64_t row, std::int64_t column, std::int64_t n,
             std::int64_t at) {
  switch (kind) {
    case QrSuspect::zero:
      return T(0);
    case QrSuspect::repeated_columns:
      return matgen::random_number<T>(matgen::seed_a, row, column % 3);
    case QrSuspect::few_rows:
      return row % 17 == 0 ? matgen::random_number<T>(matgen::seed_a, row, column) : T(0);
    case QrSuspect::ill_conditioned: {  // columns that hardly differ, down to rounding
      const auto little = static_cast<Real<T>>(std::exp2(-static_cast<double>(column)));
      return matgen::random_number<T>(matgen::seed_a, row, 0) +
             matgen::random_number<T>(matgen::seed_a, row, column) * little;
    }
    default:
      return element_of<T>(other, row, column, n, at);
  }
}

template <class T>
Complexes widened(const std::vector<T>& values) {
  Complexes all;
  for (const T& x : values) all.emplace_back(std::real(x), std::imag(x));
  return all;
}

// Q R = A and Q' Q = I, Q from vectors and tau; Q's first min(m, n) columns.
inline Complexes check_qr(Case& c, const Complexes& a, const Complexes& factors,
                          const Complexes& tau, std::int64_t m, std::int64_t n, double unit) {
  const std::int64_t least = std::min(m, n);
  Complexes product(a.size());
  Complexes q(static_cast<std::size_t>(m * least));
  for (std::int64_t j = 0; j < n; ++j) {
    std::copy_n(factors.data() + j * m, std::min(j + 1, m), product.data() + j * m);
    if (j < least) q[static_cast<std::size_t>(j * (m + 1))] = 1;
  }
  reflect(factors, tau, m, false, n, product);
  reflect(factors, tau, m, false, least, q);
  const double tolerance = 30 * unit * std::sqrt(static_cast<double>(std::max(m, n) + 20));
  const double residual = distance(product, a);
  c.check(residual <= tolerance, "Q R differs from A by ", residual, " of its norm");
  Complexes gram(static_cast<std::size_t>(least * least));
  blas::gemm<std::complex<double>>(least, least, m, 1, {q.data(), m, 'C'}, {q.data(), m}, 0,
                                   gram.data(), std::max<std::int64_t>(1, least));
  Complexes identity(gram.size());
  for (std::int64_t j = 0; j < least; ++j) identity[static_cast<std::size_t>(j * (least + 1))] = 1;
  const double off = difference(gram, identity);
  c.check(off <= tolerance, "Q' Q differs from I by ", off);
  c.compared += m * n;
  return q;
}

// Q C and Q' C of a random C.
template <class T>
void check_apply(Case& c, QrPlan<T>& plan, const std::vector<T>& a, const std::vector<T>& tau,
                 const Complexes& factors, std::int64_t m, double unit) {
  const std::int64_t columns = c.dice.between(0, 40);
  const bool adjoint = c.dice.one_in(2);
  const Layout layout = c.layout(m, columns);
  c.note(adjoint ? "Q' C, C " : "Q C, C ", name(layout));
  const Spread<T> before = spread<T>(layout, c.world, matgen::seed_c);
  std::vector<T> after = before.values;
  plan.apply(adjoint ? Op::conjugate_transpose : Op::none, a.data(), tau, layout, after.data());
  Complexes wanted = widened(whole<T>(matgen::seed_c, Op::none, m, columns));
  reflect(factors, widened(tau), m, adjoint, columns, wanted);
  std::vector<T> narrow;
  for (const std::complex<double>& x : wanted) {
    if constexpr (std::is_floating_point_v<T>) {
      narrow.push_back(static_cast<T>(x.real()));
    } else {
      narrow.push_back(static_cast<T>(x));
    }
  }
  const double tolerance = 100 * unit * std::sqrt(static_cast<double>(m + 20));
  check_matrix(c, adjoint ? "Q' C" : "Q C", before, after, narrow, m, tolerance);
}

template <class T>
void qr_case(Case& c) {
  std::int64_t m = random_size(c.dice);
  const std::int64_t n = c.dice.one_in(3) ? m : random_size(c.dice);
  if (c.dice.one_in(4)) m = 5 * m + n;
  const Layout layout = c.layout(m, n);
  c.note("m ", m, ", n ", n);
  c.note("A ", name(layout));
  FactorOptions options;
  // narrow panels: several make a group
  if (c.dice.one_in(2)) options.block = c.dice.between(1, c.dice.one_in(2) ? 4 : 50);
  if (c.dice.one_in(2)) options.objective = Objective::seconds;
  if (options.block) c.note("block ", *options.block);
  QrPlan<T> plan(MPI_COMM_WORLD, layout, options);
  c.note(plan.decomposition().name());
  const auto kind = static_cast<QrSuspect>(c.dice.between(0, 5));
  const auto other = static_cast<Suspect>(c.dice.between(0, 5));
  const std::int64_t zero = n > 0 ? c.dice.between(0, n - 1) : 0;
  c.note("kind ", static_cast<int>(kind), " ", static_cast<int>(other));
  Spread<T> a = spread<T>(layout, c.world, matgen::seed_a);
  layout::for_each_element(a.patches, [&](std::int64_t row, std::int64_t column, std::int64_t at) {
    a.values[static_cast<std::size_t>(at)] = qr_element<T>(kind, other, row, column, n, zero);
  });
  std::vector<T> result = a.values;
  plan.execute(result.data());
  const std::vector<T> tau = plan.tau();
  c.check_equal(static_cast<std::int64_t>(tau.size()), std::min(m, n), "the number of tau");
  check_traffic(c, plan.traffic().factor, cost_of(plan.decomposition(), options.machine));
  check_balance(c, plan.traffic().factor);
  const auto most =
      static_cast<double>(c.world.maximum(plan.traffic().factor.words_received.value));
  c.check(most >= lower_bound(plan.decomposition()), "words received are ", most, ", the bound ",
          lower_bound(plan.decomposition()));
  for (std::size_t x = 0; x < result.size(); ++x) {  // nothing between the columns
    c.check(!std::isnan(std::real(a.values[x])) || std::isnan(std::real(result[x])), "word ", x,
            " of the array, between the columns, is ", result[x]);
  }
  const double unit = std::numeric_limits<Real<T>>::epsilon();
  const Complexes factors = collected(a.patches, result, m, n, c.world);
  const Complexes q =
      check_qr(c, collected(a.patches, a.values, m, n, c.world), factors, widened(tau), m, n, unit);
  check_apply(c, plan, result, tau, factors, m, unit);
  if (m >= n) {
    plan.form(result.data(), tau);
    const double off = difference(collected(a.patches, result, m, n, c.world), q);
    c.check(off <= 100 * unit * std::sqrt(static_cast<double>(m + 20)), "Q is off by ", off);
  }
  if (c.dice.one_in(4)) {
    check_least_memory(
        c, options, [&](const FactorOptions& o) { return QrPlan<T>(MPI_COMM_WORLD, layout, o); });
  }
}

}  // namespace redblue
