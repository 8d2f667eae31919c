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

// |B - A X| / (|A| |X| + |B|), of the worst right-hand side.
inline double backward_error(const Whole& a, const Whole& x, const Whole& b) {
  Whole r = b;
  blas::gemm<Complex>(b.rows, b.columns, a.columns, -1,
                      {a.values.data(), std::max<std::int64_t>(1, a.rows)},
                      {x.values.data(), std::max<std::int64_t>(1, x.rows)}, 1, r.values.data(),
                      std::max<std::int64_t>(1, b.rows));
  const double size = norm(a);
  double worst = 0;
  for (std::int64_t j = 0; j < b.columns; ++j) {
    double left = 0;
    double solution = 0;
    double right = 0;
    for (std::int64_t i = 0; i < b.rows; ++i) {
      left = std::max(left, std::abs(r.at(i, j)));
      right = std::max(right, std::abs(b.at(i, j)));
      if (!std::isfinite(std::abs(r.at(i, j)))) return std::numeric_limits<double>::infinity();
    }
    for (std::int64_t i = 0; i < x.rows; ++i) solution = std::max(solution, std::abs(x.at(i, j)));
    if (left > 0) worst = std::max(worst, left / (size * solution + right));
  }
  return worst;
}

template <class T>
bool is_small(double error, std::int64_t n) {
  constexpr double allowed = 100;
  return error <= allowed * static_cast<double>(std::max<std::int64_t>(1, n)) *
                      static_cast<double>(std::numeric_limits<Real<T>>::epsilon());
}

// A matrix of these elements in a random layout.
template <class T, class Element>
Spread<T> placed(const Layout& layout, const comm::Communicator& world, Element element) {
  Spread<T> s;
  s.patches = held_patches(layout, world);
  s.values = array_of<T>(s.patches, array_words(layout, world.rank()), element);
  return s;
}

template <class T>
Whole gathered(const Spread<T>& s, const std::vector<T>& values, std::int64_t rows,
               std::int64_t columns, comm::Communicator& world) {
  return {rows, columns, collected(s.patches, values, rows, columns, world)};
}

// Blocks that a grid's ranks may use where they lie, more often than chance has them.
inline Layout square_layout(Dice& dice, std::int64_t n, comm::Communicator& world) {
  if (dice.one_in(2)) return random_layout(dice, n, n, world.size(), world.rank());
  BlockCyclic l = random_block_cyclic(dice, n, n, world.size(), world.rank());
  const std::int64_t block = dice.between(8, 24);
  for (Cyclic* c : {&l.down, &l.across}) c->block = c->first = block;
  l.first_row = block * dice.between(0, 3);
  l.first_column = block * dice.between(0, 3);
  const std::int64_t gap = dice.between(0, 3);
  const auto me = std::find(l.ranks.begin(), l.ranks.end(), world.rank());
  const auto row = static_cast<int>((me - l.ranks.begin()) / l.across.processes);
  if (me != l.ranks.end()) {
    l.leading = std::max<std::int64_t>(1, l.down.count(l.first_row + n, row)) + gap;
  }
  return l;
}

struct Sides {
  std::int64_t n, m;
};

inline Sides random_sides(Dice& dice) {
  return {random_size(dice), dice.one_in(3) ? dice.between(0, 3) : random_size(dice)};
}

template <class T>
bool triangular_solve_is_right(Dice& dice, comm::Communicator& world) {
  const auto [n, m] = random_sides(dice);
  TrsmLayouts l;
  l.side = dice.one_in(2) ? Side::left : Side::right;
  l.triangle = dice.one_in(2) ? Triangle::lower : Triangle::upper;
  l.op = random_op(dice);
  l.unit = dice.one_in(2);
  l.t = square_layout(dice, n, world);
  const bool left = l.side == Side::left;
  const std::int64_t rows = left ? n : m;
  const std::int64_t columns = left ? m : n;
  l.b = random_layout(dice, rows, columns, world.size(), world.rank());
  const auto scale = static_cast<Real<T>>(1 / std::sqrt(static_cast<double>(n + 1)));
  const auto given = [&](std::int64_t i, std::int64_t j) {
    if (l.triangle == Triangle::lower ? i < j : i > j) {
      return T(std::numeric_limits<Real<T>>::quiet_NaN());
    }
    if (i != j) return random_number<T>(seed_a, i, j) * scale;
    return l.unit ? T(std::numeric_limits<Real<T>>::quiet_NaN())
                  : random_number<T>(seed_a, i, j) + T(1);
  };
  const Spread<T> t = placed<T>(l.t, world, given);
  const auto right_side = [](auto i, auto j) { return random_number<T>(seed_b, i, j); };
  const Spread<T> b = placed<T>(l.b, world, right_side);
  const T alpha = random_scalar<T>(dice);
  FactorOptions options;
  if (dice.one_in(3)) options.block = dice.between(1, 50);
  TrsmPlan<T> plan(MPI_COMM_WORLD, l, options);
  const Whole triangle = applied(l.op, whole_of(n, n, [&](auto i, auto j) {
                                   if (l.triangle == Triangle::lower ? i < j : i > j) return T(0);
                                   return i == j && l.unit ? T(1) : given(i, j);
                                 }));
  const Whole wanted =
      whole_of(rows, columns, [&](auto i, auto j) { return alpha * right_side(i, j); });
  bool ok = true;
  for (int time = 0; time < 2; ++time) {
    std::vector<T> x = b.values;
    plan.execute(alpha, t.values.data(), x.data());
    const Whole solution = gathered(b, x, rows, columns, world);
    // X op(T) = B is op(T)^T X^T = B^T
    const double error =
        left ? backward_error(triangle, solution, wanted)
             : backward_error(applied(Op::transpose, triangle), applied(Op::transpose, solution),
                              applied(Op::transpose, wanted));
    ok = ok && is_small<T>(error, n);
  }
  if (dice.one_in(4)) {
    const bool fits = fits_where_it_says(
        options, world, [&](const FactorOptions& o) { return TrsmPlan<T>(MPI_COMM_WORLD, l, o); });
    ok = ok && fits;
  }
  const Cost cost = cost_of(plan.decomposition(), options.machine);
  const Traffic& traffic = plan.traffic().solve;
  if (alpha == T(0)) return world.all(ok);
  return world.all(ok) && world.maximum(traffic.words_received.value) == cost.words.value &&
         world.maximum(traffic.messages_received.value) == cost.messages.value;
}

template <class T>
bool cholesky_solve_is_right(Dice& dice, comm::Communicator& world) {
  const auto [n, m] = random_sides(dice);
  const Triangle triangle = dice.one_in(2) ? Triangle::lower : Triangle::upper;
  const Layout at_a = square_layout(dice, n, world);
  const Layout at_b = random_layout(dice, n, m, world.size(), world.rank());
  const auto element = [n = n](auto i, auto j) { return definite_number<T>(i, j, n); };
  const auto right_side = [](auto i, auto j) { return random_number<T>(seed_b, i, j); };
  Spread<T> a = placed<T>(at_a, world, element);
  Spread<T> b = placed<T>(at_b, world, right_side);
  CholeskyPlan<T> factor(MPI_COMM_WORLD, triangle, at_a);
  if (factor.execute(a.values.data()) != 0) return false;
  CholeskySolve<T> solve(MPI_COMM_WORLD, triangle, at_a, at_b);
  solve.execute(a.values.data(), b.values.data());
  const double error = backward_error(whole_of(n, n, element), gathered(b, b.values, n, m, world),
                                      whole_of(n, m, right_side));
  return is_small<T>(error, n);
}

template <class T>
bool lu_solve_is_right(Dice& dice, comm::Communicator& world) {
  const auto [n, m] = random_sides(dice);
  const Op op = random_op(dice);
  const Layout at_a = square_layout(dice, n, world);
  const Layout at_b = random_layout(dice, n, m, world.size(), world.rank());
  const auto element = [](auto i, auto j) { return random_number<T>(seed_a, i, j); };
  const auto right_side = [](auto i, auto j) { return random_number<T>(seed_b, i, j); };
  Spread<T> a = placed<T>(at_a, world, element);
  Spread<T> b = placed<T>(at_b, world, right_side);
  LuPlan<T> factor(MPI_COMM_WORLD, at_a);
  if (factor.execute(a.values.data()) != 0) return false;
  LuSolve<T> solve(MPI_COMM_WORLD, op, at_a, at_b);
  solve.execute(a.values.data(), factor.pivots(), b.values.data());
  const double error =
      backward_error(applied(op, whole_of(n, n, element)), gathered(b, b.values, n, m, world),
                     whole_of(n, m, right_side));
  return is_small<T>(error, n);
}

// Plain, refined, and in mixed precision.
template <class T>
bool system_is_right(Dice& dice, comm::Communicator& world) {
  const auto [n, m] = random_sides(dice);
  SystemLayouts l;
  l.kind = dice.one_in(2) ? SystemKind::general : SystemKind::positive_definite;
  l.triangle = dice.one_in(2) ? Triangle::lower : Triangle::upper;
  l.a = square_layout(dice, n, world);
  l.b = random_layout(dice, n, m, world.size(), world.rank());
  SystemOptions options;
  constexpr bool has_below = sizeof(Real<T>) == sizeof(double);
  options.mixed = has_below && dice.one_in(2);
  if (dice.one_in(2)) options.refinements = static_cast<int>(dice.between(1, 4));
  const bool definite = l.kind == SystemKind::positive_definite;
  // beyond float's range, so that its factors do not lead there
  const bool hopeless = options.mixed && n > 0 && dice.one_in(4);
  const auto whole_element = [&, n = n](std::int64_t i, std::int64_t j) {
    const T x = definite ? definite_number<T>(i, j, n) : random_number<T>(seed_a, i, j);
    return hopeless ? x * static_cast<Real<T>>(1e60) : x;
  };
  const auto right_side = [](auto i, auto j) { return random_number<T>(seed_b, i, j); };
  Spread<T> a = placed<T>(l.a, world, whole_element);
  Spread<T> b = placed<T>(l.b, world, right_side);
  const std::vector<T> before = a.values;
  SystemPlan<T> plan(MPI_COMM_WORLD, l, options);
  bool ok = true;
  for (int time = 0; time < 2; ++time) {
    a.values = before;
    std::vector<T> x = b.values;
    const std::int64_t info = plan.execute(a.values.data(), x.data());
    ok = ok && info == 0;
    const double error = backward_error(whole_of(n, n, whole_element), gathered(b, x, n, m, world),
                                        whole_of(n, m, right_side));
    ok = ok && is_small<T>(error, n);
    if (plan.in_lower_precision()) {
      ok = ok && options.mixed &&
           (before.empty() ||
            std::memcmp(before.data(), a.values.data(), before.size() * sizeof(T)) == 0);
    }
    const bool enough = options.refinements == 0;
    if (options.mixed && enough && m > 0 && definite && !hopeless)
      ok = ok && plan.in_lower_precision();
    if (hopeless && m > 0) ok = ok && !plan.in_lower_precision();
  }
  return ok;
}

}  // namespace redblue
