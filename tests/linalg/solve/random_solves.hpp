// SPDX-License-Identifier: BSD-3-Clause
// Random linear systems: backward errors of their solutions, from the elements' definitions.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <vector>

#include "linalg/random_case.hpp"
#include "linalg/random_factorizations.hpp"
#include "redblue/solve.hpp"

namespace redblue {

using namespace linalg;

using Complex = std::complex<double>;

// A rows x columns matrix, whole, column-major.
struct Whole {
  std::int64_t rows, columns;
  std::vector<Complex> values;

  Complex& at(std::int64_t i, std::int64_t j) {
    return values[static_cast<std::size_t>(i + j * rows)];
  }
  const Complex& at(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>(i + j * rows)];
  }
};

template <class Element>
Whole whole_of(std::int64_t rows, std::int64_t columns, Element element) {
  Whole m{rows, columns, std::vector<Complex>(static_cast<std::size_t>(rows * columns))};
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) m.at(i, j) = Complex(element(i, j));
  }
  return m;
}

inline Whole applied(Op op, const Whole& m) {
  if (op == Op::none) return m;
  return whole_of(m.columns, m.rows, [&](std::int64_t i, std::int64_t j) {
    return op == Op::transpose ? m.at(j, i) : std::conj(m.at(j, i));
  });
}

// The largest sum of a row's moduli.
inline double norm(const Whole& m) {
  double most = 0;
  for (std::int64_t i = 0; i < m.rows; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < m.columns; ++j) sum += std::abs(m.at(i, j));
    most = std::max(most, sum);
  }
  return most;
}

// |B - A X| / (|A| |X| + |B|) of one right-hand side, and where in it A X is farthest from B.
struct BackwardError {
  double value = 0;
  std::int64_t row = 0, column = 0;
};

inline BackwardError backward_error_of(double size_of_a, const Whole& x, const Whole& b,
                                       const Whole& product, std::int64_t column) {
  BackwardError worst{0, 0, column};
  double left = 0;
  double right = 0;
  for (std::int64_t i = 0; i < b.rows; ++i) {
    const double off = std::abs(product.at(i, column) - b.at(i, column));
    right = std::max(right, std::abs(b.at(i, column)));
    if (!std::isfinite(off)) return {std::numeric_limits<double>::infinity(), i, column};
    if (off > left) worst.row = i;
    left = std::max(left, off);
  }
  double solution = 0;
  for (std::int64_t i = 0; i < x.rows; ++i)
    solution = std::max(solution, std::abs(x.at(i, column)));
  if (left > 0) worst.value = left / (size_of_a * solution + right);
  return worst;
}

// Checks that X solves A X = B as well as can be, by the backward error of each right-hand side.
template <class T>
void check_solution(Case& c, const Whole& a, const Whole& x, const Whole& b) {
  constexpr double allowed = 100;
  const double bound = allowed * static_cast<double>(std::max<std::int64_t>(1, a.rows)) *
                       static_cast<double>(std::numeric_limits<Real<T>>::epsilon());
  Whole product = b;
  blas::gemm<Complex>(b.rows, b.columns, a.columns, 1,
                      {a.values.data(), std::max<std::int64_t>(1, a.rows)},
                      {x.values.data(), std::max<std::int64_t>(1, x.rows)}, 0,
                      product.values.data(), std::max<std::int64_t>(1, b.rows));
  BackwardError worst;
  const double size = norm(a);
  for (std::int64_t j = 0; j < b.columns; ++j) {
    const BackwardError e = backward_error_of(size, x, b, product, j);
    if (e.value > worst.value) worst = e;
    c.compared += b.rows;
  }
  if (worst.value <= bound) return;
  c.check(false, "A X, which is B, (", worst.row, ", ", worst.column, ") is ",
          product.at(worst.row, worst.column), ", expected ", b.at(worst.row, worst.column),
          "; backward error ", worst.value, " > ", bound);
}

// A matrix of these elements in a random layout.
template <class T, class Element>
Spread<T> placed(const Layout& layout, const comm::Communicator& world, Element element) {
  Spread<T> s;
  s.patches = local_patches(layout, world);
  s.values = matgen::array_of<T>(s.patches, array_words(layout, world.rank()), element);
  return s;
}

template <class T>
Whole gathered(const Spread<T>& s, const std::vector<T>& values, std::int64_t rows,
               std::int64_t columns, comm::Communicator& world) {
  return {rows, columns, collected(s.patches, values, rows, columns, world)};
}

// The least leading dimension of this rank's array, or a little more.
inline void set_leading(Case& c, BlockCyclic& l) {
  const std::int64_t gap = c.dice.between(0, 3);
  const auto place = std::find(l.ranks.begin(), l.ranks.end(), c.world.rank());
  const auto row = static_cast<int>((place - l.ranks.begin()) / l.across.processes);
  if (place != l.ranks.end()) {
    l.leading = std::max<std::int64_t>(1, l.down.count(l.first_row + l.rows, row)) + gap;
  }
}

// Blocks that a grid's ranks may use where they lie, more often than chance has them.
inline Layout square_layout(Case& c, std::int64_t n) {
  if (c.dice.one_in(2)) return c.layout(n, n);
  const Rank me = c.world.rank();
  BlockCyclic l = random_block_cyclic(c.dice, n, n, c.world.size(), me);
  const std::int64_t block = c.dice.between(8, 24);
  for (Cyclic* d : {&l.down, &l.across}) d->block = d->first = block;
  l.first_row = block * c.dice.between(0, 3);
  l.first_column = block * c.dice.between(0, 3);
  set_leading(c, l);
  return l;
}

// A matrix on the grid of another, in the same blocks, so that a solve may leave it there; or
// anywhere.
inline Layout beside(Case& c, const Layout& other, std::int64_t rows, std::int64_t columns) {
  const auto* at = std::get_if<BlockCyclic>(&other);
  if (at == nullptr || c.dice.one_in(3)) return c.layout(rows, columns);
  BlockCyclic l = *at;
  l.rows = rows;
  l.columns = columns;
  set_leading(c, l);
  return l;
}

// Of A X = B, A of order n and m right-hand sides.
struct Sides {
  std::int64_t n, m;
};

inline Sides random_sides(Dice& dice) {
  return {random_size(dice), dice.one_in(2) ? dice.between(0, 5) : random_size(dice)};
}

inline TrsmLayouts random_trsm(Case& c, std::int64_t n, std::int64_t m) {
  TrsmLayouts l;
  l.side = c.dice.one_in(2) ? Side::left : Side::right;
  l.triangle = c.dice.one_in(2) ? Triangle::lower : Triangle::upper;
  l.op = random_op(c.dice);
  l.unit = c.dice.one_in(2);
  l.t = square_layout(c, n);
  const bool left = l.side == Side::left;
  l.b = beside(c, l.t, left ? n : m, left ? m : n);
  c.note(left ? "left" : "right", l.triangle == Triangle::lower ? ", lower" : ", upper", ", op ",
         name(l.op), l.unit ? ", unit diagonal" : "", ", n ", n, ", right-hand sides ", m);
  c.note("T ", name(l.t));
  c.note("B ", name(l.b));
  return l;
}

template <class T>
void trsm_case(Case& c) {
  const auto [n, m] = random_sides(c.dice);
  const TrsmLayouts l = random_trsm(c, n, m);
  const bool left = l.side == Side::left;
  const auto scale = static_cast<Real<T>>(1 / std::sqrt(static_cast<double>(n + 1)));
  const auto outside = [&](std::int64_t i, std::int64_t j) {
    return l.triangle == Triangle::lower ? i < j : i > j;
  };
  const auto given = [&](std::int64_t i, std::int64_t j) {
    if (outside(i, j) || (i == j && l.unit)) return T(std::numeric_limits<Real<T>>::quiet_NaN());
    return i == j ? matgen::random_number<T>(matgen::seed_a, i, j) + T(1)
                  : matgen::random_number<T>(matgen::seed_a, i, j) * scale;
  };
  const auto right_side = [](auto i, auto j) {
    return matgen::random_number<T>(matgen::seed_b, i, j);
  };
  const Spread<T> t = placed<T>(l.t, c.world, given);
  const Spread<T> b = placed<T>(l.b, c.world, right_side);
  const T alpha = random_scalar<T>(c.dice);
  FactorOptions options;
  if (c.dice.one_in(3)) options.block = c.dice.between(1, 50);
  c.note("alpha ", alpha, ", block ", options.block.value_or(0));
  TrsmPlan<T> plan(MPI_COMM_WORLD, l, options);
  const Whole triangle = applied(l.op, whole_of(n, n, [&](auto i, auto j) {
                                   if (outside(i, j)) return T(0);
                                   return i == j && l.unit ? T(1) : given(i, j);
                                 }));
  const Whole wanted = whole_of(left ? n : m, left ? m : n,
                                [&](auto i, auto j) { return alpha * right_side(i, j); });
  for (int time = 0; time < 2; ++time) {
    std::vector<T> x = b.values;
    plan.execute(alpha, t.values.data(), x.data());
    const Whole solution = gathered(b, x, wanted.rows, wanted.columns, c.world);
    if (left) {
      check_solution<T>(c, triangle, solution, wanted);
    } else {  // X op(T) = B is op(T)^T X^T = B^T
      check_solution<T>(c, applied(Op::transpose, triangle), applied(Op::transpose, solution),
                        applied(Op::transpose, wanted));
    }
  }
  if (c.dice.one_in(4)) {
    check_least_memory(c, options,
                       [&](const FactorOptions& o) { return TrsmPlan<T>(MPI_COMM_WORLD, l, o); });
  }
  if (alpha == T(0)) return;  // nothing to solve
  if (!plan.few()) {
    check_traffic(c, plan.traffic().solve, cost_of(plan.decomposition(), options.machine));
  } else if (plan.few()->grid_rows > 0) {  // else nothing is predicted
    check_traffic(c, plan.traffic().solve, cost_of(*plan.few(), options.machine));
  }
}

template <class T>
void cholesky_solve_case(Case& c) {
  const auto [n, m] = random_sides(c.dice);
  const Triangle triangle = c.dice.one_in(2) ? Triangle::lower : Triangle::upper;
  const Layout at_a = square_layout(c, n);
  const Layout at_b = beside(c, at_a, n, m);
  c.note("n ", n, ", right-hand sides ", m, triangle == Triangle::lower ? ", lower" : ", upper");
  c.note("A ", name(at_a));
  c.note("B ", name(at_b));
  const auto element = [n = n](auto i, auto j) { return matgen::definite_number<T>(i, j, n); };
  const auto right_side = [](auto i, auto j) {
    return matgen::random_number<T>(matgen::seed_b, i, j);
  };
  Spread<T> a = placed<T>(at_a, c.world, element);
  Spread<T> b = placed<T>(at_b, c.world, right_side);
  CholeskyPlan<T> factor(MPI_COMM_WORLD, triangle, at_a);
  c.check_equal(factor.execute(a.values.data()), 0, "info");
  CholeskySolve<T> solve(MPI_COMM_WORLD, triangle, at_a, at_b);
  solve.execute(a.values.data(), b.values.data());
  check_solution<T>(c, whole_of(n, n, element), gathered(b, b.values, n, m, c.world),
                    whole_of(n, m, right_side));
}

template <class T>
void lu_solve_case(Case& c) {
  const auto [n, m] = random_sides(c.dice);
  const Op op = random_op(c.dice);
  const Layout at_a = square_layout(c, n);
  const Layout at_b = beside(c, at_a, n, m);
  c.note("op ", name(op), ", n ", n, ", right-hand sides ", m);
  c.note("A ", name(at_a));
  c.note("B ", name(at_b));
  const auto element = [](auto i, auto j) {
    return matgen::random_number<T>(matgen::seed_a, i, j);
  };
  const auto right_side = [](auto i, auto j) {
    return matgen::random_number<T>(matgen::seed_b, i, j);
  };
  Spread<T> a = placed<T>(at_a, c.world, element);
  Spread<T> b = placed<T>(at_b, c.world, right_side);
  LuPlan<T> factor(MPI_COMM_WORLD, at_a);
  c.check_equal(factor.execute(a.values.data()), 0, "info");
  LuSolve<T> solve(MPI_COMM_WORLD, op, at_a, at_b);
  solve.execute(a.values.data(), factor.pivots(), b.values.data());
  check_solution<T>(c, applied(op, whole_of(n, n, element)), gathered(b, b.values, n, m, c.world),
                    whole_of(n, m, right_side));
}

struct RandomSystem {
  SystemLayouts layouts;
  SystemOptions options;
  bool hopeless;  // beyond float's range, so that its factors do not lead there
};

template <class T>
RandomSystem random_system(Case& c, std::int64_t n, std::int64_t m) {
  RandomSystem s{};
  SystemLayouts& l = s.layouts;
  l.kind = c.dice.one_in(2) ? SystemKind::general : SystemKind::positive_definite;
  l.triangle = c.dice.one_in(2) ? Triangle::lower : Triangle::upper;
  l.a = square_layout(c, n);
  l.b = beside(c, l.a, n, m);
  constexpr bool has_below = sizeof(Real<T>) == sizeof(double);
  s.options.mixed = has_below && c.dice.one_in(2);
  if (c.dice.one_in(2)) s.options.refinements = static_cast<int>(c.dice.between(1, 4));
  s.hopeless = s.options.mixed && n > 0 && c.dice.one_in(4);
  c.note(l.kind == SystemKind::general ? "general" : "positive definite",
         l.triangle == Triangle::lower ? ", lower" : ", upper", ", n ", n, ", right-hand sides ", m,
         s.options.mixed ? ", mixed precision" : "", s.hopeless ? " beyond float" : "",
         ", refinements ", s.options.refinements);
  c.note("A ", name(l.a));
  c.note("B ", name(l.b));
  return s;
}

// Plain, refined, and in mixed precision.
template <class T>
void system_case(Case& c) {
  const auto [n, m] = random_sides(c.dice);
  const RandomSystem s = random_system<T>(c, n, m);
  const SystemOptions& options = s.options;
  const bool definite = s.layouts.kind == SystemKind::positive_definite;
  const auto element = [&, n = n](std::int64_t i, std::int64_t j) {
    const T x = definite ? matgen::definite_number<T>(i, j, n)
                         : matgen::random_number<T>(matgen::seed_a, i, j);
    return s.hopeless ? x * static_cast<Real<T>>(1e60) : x;
  };
  const auto right_side = [](auto i, auto j) {
    return matgen::random_number<T>(matgen::seed_b, i, j);
  };
  Spread<T> a = placed<T>(s.layouts.a, c.world, element);
  Spread<T> b = placed<T>(s.layouts.b, c.world, right_side);
  const std::vector<T> before = a.values;
  SystemPlan<T> plan(MPI_COMM_WORLD, s.layouts, options);
  for (int time = 0; time < 2; ++time) {
    a.values = before;
    std::vector<T> x = b.values;
    c.check_equal(plan.execute(a.values.data(), x.data()), 0, "info");
    check_solution<T>(c, whole_of(n, n, element), gathered(b, x, n, m, c.world),
                      whole_of(n, m, right_side));
    const bool lower = plan.in_lower_precision();
    c.check(!lower || options.mixed, "solved in lower precision, which nobody asked for");
    c.check(!lower || before.empty() ||
                std::memcmp(before.data(), a.values.data(), before.size() * sizeof(T)) == 0,
            "solved in lower precision, and A has changed");
    const bool must = options.mixed && options.refinements == 0 && m > 0 && definite && !s.hopeless;
    c.check(!must || lower, "not solved in lower precision, which suffices");
    c.check(!lower || !s.hopeless || m == 0, "solved in lower precision, which cannot be");
  }
}

}  // namespace redblue
