// SPDX-License-Identifier: BSD-3-Clause
// Random products with triangular matrices against BLAS on every rank.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "linalg/inverse/random_inverses.hpp"
#include "redblue/trmm.hpp"

namespace redblue {

template <class T>
void trmm_case(Case& c) {
  const auto [n, m] = random_sides(c.dice);
  const TrsmLayouts random = random_trsm(c, n, m);
  const TrmmLayouts l{random.side, random.triangle, random.op, random.unit, random.t, random.b};
  const bool left = l.side == Side::left;
  const std::int64_t rows = left ? n : m;
  const std::int64_t columns = left ? m : n;
  const auto outside = [&](std::int64_t i, std::int64_t j) {
    return l.triangle == Triangle::lower ? i < j : i > j;
  };
  const auto given = [&](std::int64_t i, std::int64_t j) {
    if (outside(i, j) || (i == j && l.unit)) return T(std::numeric_limits<Real<T>>::quiet_NaN());
    return matgen::random_number<T>(matgen::seed_a, i, j);
  };
  const auto factor = [](auto i, auto j) { return matgen::random_number<T>(matgen::seed_b, i, j); };
  const Spread<T> t = placed<T>(l.t, c.world, given);
  const Spread<T> b = placed<T>(l.b, c.world, factor);
  const T alpha = random_scalar<T>(c.dice);
  c.note("alpha ", alpha);
  const Whole triangle = applied(l.op, whole_of(n, n, [&](auto i, auto j) {
                                   if (outside(i, j)) return T(0);
                                   return i == j && l.unit ? T(1) : given(i, j);
                                 }));
  const Whole other = whole_of(rows, columns, factor);
  Whole wanted = other;
  const Whole& first = left ? triangle : other;
  const Whole& second = left ? other : triangle;
  blas::gemm<Complex>(rows, columns, n, Complex(alpha),
                      {first.values.data(), std::max<std::int64_t>(1, first.rows)},
                      {second.values.data(), std::max<std::int64_t>(1, second.rows)}, 0,
                      wanted.values.data(), std::max<std::int64_t>(1, rows));
  const double tolerance = 50 * static_cast<double>(n + 2) *
                           std::numeric_limits<Real<T>>::epsilon() * (std::abs(alpha) + 1);
  TrmmPlan<T> plan(MPI_COMM_WORLD, l);
  c.note(plan.name());
  for (int time = 0; time < 2; ++time) {
    std::vector<T> result = b.values;
    plan.execute(alpha, t.values.data(), result.data());
    check_matrix(c, "B", b, result, rounded<T>(wanted), rows, tolerance);
  }
  if (c.dice.one_in(4)) {
    check_least_memory(
        c, {}, [&](const FactorOptions& o) { return TrmmPlan<T>(MPI_COMM_WORLD, l, o.memory); });
    const Words half(std::max<std::int64_t>(1, c.world.maximum(plan.memory().value) * 3 / 4));
    try {
      TrmmPlan<T> small(MPI_COMM_WORLD, l, half);
      std::vector<T> result = b.values;
      small.execute(alpha, t.values.data(), result.data());
      check_matrix(c, "B in more rounds", b, result, rounded<T>(wanted), rows, tolerance);
    } catch (const Error& e) {
      c.check(least_named(e) > half, "refused within the limit");
    }
  }
  if (alpha == T(0)) return;  // nothing to fetch
  c.check_equal(plan.traffic().total().words_received.value, plan.words().value,
                "words received, which the plan says,");
  check_balance(c, plan.traffic().total());
  const auto most = c.world.maximum(static_cast<double>(plan.words().value));
  c.check(most >= plan.bound(), "the busiest rank receives ", most, " words under a bound of ",
          plan.bound());
}

}  // namespace redblue
