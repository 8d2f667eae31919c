// SPDX-License-Identifier: BSD-3-Clause
// Random products, symmetric updates and redistributions against BLAS on every rank.
#pragma once

#include <complex>
#include <limits>
#include <optional>
#include <vector>

#include "linalg/blas/blas.hpp"
#include "linalg/random_case.hpp"
#include "redblue/redistribution.hpp"
#include "redblue/symmetric.hpp"

namespace redblue {

using comm::conjugated;

using namespace linalg;

inline GemmOptions random_gemm_options(Case& c) {
  GemmOptions options;
  options.overlap = c.dice.one_in(2);
  if (c.dice.one_in(2)) options.machine.bytes_per_second = 1e8;
  return options;
}

// A plan within the limit or, where that is refused, within what the refusal says would do.
template <class T>
std::optional<GemmPlan<T>> gemm_plan(Case& c, const GemmLayouts& layouts, GemmOptions& options) {
  std::optional<GemmPlan<T>> plan;
  try {
    plan.emplace(MPI_COMM_WORLD, layouts, options);
  } catch (const Error& e) {
    options.memory = least_named(e);
    plan.emplace(MPI_COMM_WORLD, layouts, options);
  }
  if (options.memory) c.note("memory ", options.memory->value);
  return plan;
}

template <class T>
void check_gemm(Case& c, bool one_sided, bool within_memory) {
  const GemmShape s = {random_size(c.dice), random_size(c.dice), random_size(c.dice)};
  GemmLayouts layouts;
  layouts.op_a = random_op(c.dice);
  layouts.op_b = random_op(c.dice);
  layouts.a = c.layout_before(layouts.op_a, s.m, s.k);
  layouts.b = c.layout_before(layouts.op_b, s.k, s.n);
  layouts.c = c.layout(s.m, s.n);
  const T alpha = random_scalar<T>(c.dice);
  const T beta = random_scalar<T>(c.dice);
  GemmOptions options = random_gemm_options(c);
  if (one_sided) options.backend = Backend::one_sided;
  if (within_memory) {
    const std::int64_t all = s.m * s.k + s.k * s.n + s.m * s.n;
    const std::int64_t others = std::max(1, c.world.size() - 1);
    options.memory = Words(c.dice.one_in(2) ? 1 : c.dice.between(1, 3) * all / others);
  }
  c.note("C = ", alpha, " A", name(layouts.op_a), " B", name(layouts.op_b), " + ", beta, " C, m ",
         s.m, ", n ", s.n, ", k ", s.k);
  c.note("A ", name(layouts.a));
  c.note("B ", name(layouts.b));
  c.note("C ", name(layouts.c));
  c.note(options.overlap ? "overlap, " : "", one_sided ? "one-sided, " : "", "bytes per second ",
         options.machine.bytes_per_second);
  std::optional<GemmPlan<T>> plan = gemm_plan<T>(c, layouts, options);
  const Spread<T> a = spread<T>(layouts.a, c.world, matgen::seed_a);
  const Spread<T> b = spread<T>(layouts.b, c.world, matgen::seed_b);
  auto [before, wanted] = target<T>(c, layouts.c, s.m, s.n, beta);
  const std::int64_t held = plan->memory().value - gaps(a) - gaps(b) - gaps(before);
  c.check(!options.memory || held <= options.memory->value, "the plan holds ", held, " words");
  const std::vector<T> left = whole<T>(matgen::seed_a, layouts.op_a, s.m, s.k);
  const std::vector<T> right = whole<T>(matgen::seed_b, layouts.op_b, s.k, s.n);
  blas::gemm<T>(s.m, s.n, s.k, alpha, {left.data(), s.m}, {right.data(), s.k}, beta, wanted.data(),
                s.m);
  const double tolerance =
      20 * static_cast<double>(s.k + 2) * std::numeric_limits<Real<T>>::epsilon();
  for (int time = 0; time < 2; ++time) {
    std::vector<T> result = before.values;
    plan->execute(alpha, a.values.data(), b.values.data(), beta, result.data());
    check_matrix(c, "C", before, result, wanted, s.m, tolerance);
  }
  check_balance(c, plan->traffic().total());
}

template <class T>
void gemm_case(Case& c) {
  check_gemm<T>(c, false, false);
}
template <class T>
void gemm_one_sided_case(Case& c) {
  check_gemm<T>(c, true, c.dice.one_in(3));
}
template <class T>
void gemm_within_memory_case(Case& c) {
  check_gemm<T>(c, false, true);
}

// op(A) op(A)' or op(A) op(B)' + op(B) op(A)', whole.
template <class T>
void update_whole(const SyrkLayouts& l, const SyrkShape& s, T alpha, T beta,
                  std::vector<T>& wanted) {
  const char turned = l.hermitian ? 'C' : 'T';
  const std::vector<T> x = whole<T>(matgen::seed_a, l.op, s.n, s.k);
  const std::vector<T> y = l.b ? whole<T>(matgen::seed_b, l.op, s.n, s.k) : x;
  blas::gemm<T>(s.n, s.n, s.k, alpha, {x.data(), s.n}, {y.data(), s.n, turned}, beta, wanted.data(),
                s.n);
  if (l.b) {
    blas::gemm<T>(s.n, s.n, s.k, l.hermitian ? conjugated(alpha) : alpha, {y.data(), s.n},
                  {x.data(), s.n, turned}, T(1), wanted.data(), s.n);
  }
  for (std::int64_t i = 0; l.hermitian && i < s.n; ++i) {
    T& diagonal = wanted[static_cast<std::size_t>(i * (s.n + 1))];
    diagonal = std::real(diagonal);
  }
}

// The least memory a plan says it needs.
template <class T>
Words least_memory(const SyrkLayouts& l, SyrkOptions options) {
  options.memory = Words(1);
  try {
    const SyrkPlan<T> tight(MPI_COMM_WORLD, l, options);
  } catch (const Error& e) {
    return least_named(e);
  }
  return *options.memory;
}

template <class T>
void matgen::check_update(Case& c, bool two_factors) {
  const SyrkShape s = {random_size(c.dice), random_size(c.dice)};
  SyrkLayouts l;
  l.hermitian = c.dice.one_in(2);
  const bool transposes = c.dice.one_in(2);
  if (transposes) l.op = l.hermitian ? Op::conjugate_transpose : Op::transpose;
  l.triangle = c.dice.one_in(2) ? Triangle::upper : Triangle::lower;
  const bool lower = l.triangle == Triangle::lower;
  l.a = c.layout_before(l.op, s.n, s.k);
  if (two_factors) l.b = c.layout_before(l.op, s.n, s.k);
  l.c = c.layout(s.n, s.n);
  T alpha = random_scalar<T>(c.dice);
  T beta = random_scalar<T>(c.dice);
  if (l.hermitian) {
    beta = std::real(beta);
    if (!l.b) alpha = std::real(alpha);
  }
  SyrkOptions options;
  options.objective = c.dice.one_in(2) ? Objective::words : Objective::seconds;
  c.note(lower ? "lower" : "upper", l.hermitian ? ", hermitian" : ", symmetric", ", op ",
         name(l.op), ", alpha ", alpha, ", beta ", beta, ", n ", s.n, ", k ", s.k);
  c.note("A ", name(l.a));
  if (l.b) c.note("B ", name(*l.b));
  c.note("C ", name(l.c));
  if (c.dice.one_in(3)) options.memory = least_memory<T>(l, options);
  if (options.memory) c.note("memory ", options.memory->value);
  c.note(options.objective == Objective::words ? "least words" : "least seconds");
  SyrkPlan<T> plan(MPI_COMM_WORLD, l, options);
  c.check(!options.memory || plan.memory() <= *options.memory, "the plan holds ",
          plan.memory().value, " words");
  const Spread<T> a = spread<T>(l.a, c.world, matgen::seed_a);
  const Spread<T> b = l.b ? spread<T>(*l.b, c.world, matgen::seed_b) : Spread<T>{};
  auto [before, wanted] = target<T>(c, l.c, s.n, s.n, beta);
  update_whole(l, s, alpha, beta, wanted);
  const double tolerance =
      40 * static_cast<double>(s.k + 2) * std::numeric_limits<Real<T>>::epsilon();
  for (int time = 0; time < 2; ++time) {
    std::vector<T> result = before.values;
    plan.execute(alpha, a.values.data(), l.b ? b.values.data() : nullptr, beta, result.data());
    check_matrix(c, "C", before, result, wanted, s.n, tolerance,
                 lower ? layout::Part::lower : layout::Part::upper);
  }
}

template <class T>
void syrk_case(Case& c) {
  matgen::check_update<T>(c, false);
}
template <class T>
void syr2k_case(Case& c) {
  matgen::check_update<T>(c, true);
}

// In the native layout: right, and what the plan says is what moves and is held.
template <class T>
void syrk_native_case(Case& c) {
  const SyrkShape s = {random_size(c.dice), random_size(c.dice)};
  SyrkOptions options;
  options.objective = c.dice.one_in(2) ? Objective::words : Objective::seconds;
  if (c.dice.one_in(3)) {
    options.memory = Words(c.dice.between(1, 3) * (s.n * s.k + s.n * s.n) / c.world.size());
  }
  std::optional<SyrkPlan<T>> plan;
  try {
    plan.emplace(MPI_COMM_WORLD, s, true, options);
  } catch (const Error& e) {
    options.memory = least_named(e);
    plan.emplace(MPI_COMM_WORLD, s, true, options);
  }
  c.note("C = 2 A A^H - C, n ", s.n, ", k ", s.k, ", ", plan->name(), ", ",
         options.objective == Objective::words ? "least words" : "least seconds");
  if (options.memory) c.note("memory ", options.memory->value);
  const auto filled = [&](Operand operand, std::uint64_t seed) {
    std::vector<T> values;
    for_each_element(plan->parts(operand),
                     [&](std::int64_t row, std::int64_t column, std::int64_t) {
                       values.push_back(matgen::random_number<T>(seed, row, column));
                     });
    return values;
  };
  const std::vector<T> a = filled(Operand::a, matgen::seed_a);
  std::vector<T> result = filled(Operand::c, matgen::seed_c);
  std::vector<T> wanted = whole<T>(matgen::seed_c, Op::none, s.n, s.n);
  SyrkLayouts hermitian;
  hermitian.hermitian = true;
  update_whole(hermitian, s, T(2), T(-1), wanted);
  plan->execute(T(2), a.data(), nullptr, T(-1), result.data());
  const double tolerance =
      40 * static_cast<double>(s.k + 2) * std::numeric_limits<Real<T>>::epsilon();
  for_each_element(plan->parts(Operand::c),
                   [&](std::int64_t row, std::int64_t column, std::int64_t place) {
                     if (row < column) return;
                     const T& expected = wanted[static_cast<std::size_t>(row + column * s.n)];
                     const T& got = result[static_cast<std::size_t>(place)];
                     c.check_element(std::abs(got - expected) <= tolerance, "C", row, column, got,
                                     expected, tolerance);
                   });
  const Cost cost = cost_of(plan->decomposition(), options.machine);
  check_traffic(c, plan->traffic().total(), cost);
  c.check(plan->memory() <= cost.memory, "the plan holds ", plan->memory().value,
          " words, expected at most ", cost.memory.value);
}

// A symmetric or Hermitian matrix from the triangle of the random matrix matgen::seed_a.
template <class T>
std::vector<T> completed(const SymmLayouts& l, std::int64_t order) {
  std::vector<T> full;
  for (std::int64_t j = 0; j < order; ++j) {
    for (std::int64_t i = 0; i < order; ++i) {
      const bool inside = l.triangle == Triangle::lower ? i >= j : i <= j;
      const T x = inside ? matgen::random_number<T>(matgen::seed_a, i, j)
                         : matgen::random_number<T>(matgen::seed_a, j, i);
      full.push_back(!l.hermitian ? x : i == j ? T(std::real(x)) : inside ? x : conjugated(x));
    }
  }
  return full;
}

template <class T>
void symm_case(Case& c) {
  const std::int64_t m = random_size(c.dice);
  const std::int64_t n = random_size(c.dice);
  SymmLayouts l;
  l.hermitian = c.dice.one_in(2);
  l.side = c.dice.one_in(2) ? Side::left : Side::right;
  l.triangle = c.dice.one_in(2) ? Triangle::upper : Triangle::lower;
  const bool left = l.side == Side::left;
  const std::int64_t order = left ? m : n;
  l.a = c.layout(order, order);
  l.b = c.layout(m, n);
  l.c = c.layout(m, n);
  const T alpha = random_scalar<T>(c.dice);
  const T beta = random_scalar<T>(c.dice);
  c.note("C = ", alpha, left ? " A B + " : " B A + ", beta, " C, m ", m, ", n ", n, ", A ",
         l.hermitian ? "hermitian" : "symmetric",
         l.triangle == Triangle::lower ? " lower" : " upper");
  c.note("A ", name(l.a));
  c.note("B ", name(l.b));
  c.note("C ", name(l.c));
  SymmPlan<T> plan(MPI_COMM_WORLD, l);
  const Spread<T> a = spread<T>(l.a, c.world, matgen::seed_a);
  const Spread<T> b = spread<T>(l.b, c.world, matgen::seed_b);
  auto [before, wanted] = target<T>(c, l.c, m, n, beta);
  const std::vector<T> full = completed<T>(l, order);
  const std::vector<T> other = whole<T>(matgen::seed_b, Op::none, m, n);
  const blas::Factor<T> square = {full.data(), order};
  const blas::Factor<T> plain = {other.data(), m};
  blas::gemm<T>(m, n, order, alpha, left ? square : plain, left ? plain : square, beta,
                wanted.data(), m);
  const double tolerance =
      40 * static_cast<double>(order + 2) * std::numeric_limits<Real<T>>::epsilon();
  for (int time = 0; time < 2; ++time) {
    std::vector<T> result = before.values;
    plan.execute(alpha, a.values.data(), b.values.data(), beta, result.data());
    check_matrix(c, "C", before, result, wanted, m, tolerance);
  }
}

template <class T>
void redistribution_case(Case& c) {
  const std::int64_t rows = random_size(c.dice);
  const std::int64_t columns = random_size(c.dice);
  const Op op = random_op(c.dice);
  const Layout from = c.layout_before(op, rows, columns);
  const Layout to = c.layout(rows, columns);
  const T alpha = random_scalar<T>(c.dice);
  const T beta = random_scalar<T>(c.dice);
  c.note("C = ", alpha, " A", name(op), " + ", beta, " C, ", rows, " x ", columns);
  c.note("A ", name(from));
  c.note("C ", name(to));
  const Spread<T> a = spread<T>(from, c.world, matgen::seed_a);
  auto [before, wanted] = target<T>(c, to, rows, columns, beta);
  const std::vector<T> source = whole<T>(matgen::seed_a, op, rows, columns);
  for (std::size_t x = 0; x < wanted.size(); ++x) wanted[x] = alpha * source[x] + beta * wanted[x];
  Redistribution<T> move(MPI_COMM_WORLD, op, from, to);
  std::vector<T> result = before.values;
  move.execute(alpha, a.values.data(), beta, result.data());
  check_matrix(c, "C", before, result, wanted, rows, 8 * std::numeric_limits<Real<T>>::epsilon());
  // each element at most once: no more words arrive than belong here
  const std::int64_t here = layout::arrangement(to, c.world.size()).words_on(c.world.rank());
  c.check(move.traffic().words_received.value <= here, move.traffic().words_received.value,
          " words come to a rank that holds ", here);
}

}  // namespace redblue
