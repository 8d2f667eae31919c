// SPDX-License-Identifier: BSD-3-Clause
#include "matgen/check.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>
#include <utility>

#include "comm/number.hpp"
#include "linalg/plan/native.hpp"

namespace redblue::matgen {

using comm::conjugated;

namespace {

constexpr std::uint64_t seed_x = 3;

using Number = std::complex<double>;
using Vector = std::vector<Number>;

Vector random_vector(std::int64_t size) {
  Vector x;
  for (std::int64_t j = 0; j < size; ++j) x.emplace_back(random_element(seed_x, j, 0));
  return x;
}

template <class T>
void add(Vector& y, std::int64_t row, const T& value, const Vector& x, std::int64_t column) {
  y[static_cast<std::size_t>(row)] += Number(value) * x[static_cast<std::size_t>(column)];
}

// X x for the rows x columns matrix of element(row, column), each rank some of its rows.
template <class Element>
Vector times_random(comm::Communicator& communicator, std::int64_t rows, std::int64_t columns,
                    const Vector& x, Element element) {
  Vector y(static_cast<std::size_t>(rows));
  const int ranks = communicator.size();
  const int me = communicator.rank().value;
  for (std::int64_t i = rows * me / ranks; i < rows * (me + 1) / ranks; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) add(y, i, element(i, j), x, j);
  }
  communicator.sum(y);
  return y;
}

template <class T>
double epsilon() {
  return static_cast<double>(std::numeric_limits<decltype(std::abs(T{}))>::epsilon());
}

Residual residual(const Vector& difference, double scale) {
  double largest = 0;
  bool finite = true;
  for (const Number& d : difference) {
    largest = std::max(largest, std::abs(d));
    finite = finite && std::isfinite(std::abs(d));
  }
  if (difference.empty()) return {};
  return {finite ? largest / scale : std::numeric_limits<double>::infinity(),
          finite && largest < scale};
}

}  // namespace

double random_element(std::uint64_t seed, std::int64_t row, std::int64_t column) {
  // splitmix64's finaliser over the three numbers
  std::uint64_t z = seed * 0x9e3779b97f4a7c15U +
                    static_cast<std::uint64_t>(row) * 0xbf58476d1ce4e5b9U +
                    static_cast<std::uint64_t>(column) * 0x94d049bb133111ebU;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1.0p-53 - 0.5;
}

template <class T>
T random_number(std::uint64_t seed, std::int64_t row, std::int64_t column) {
  const double value = random_element(seed, row, column);
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    constexpr std::uint64_t imaginary = 1000;
    using Real = typename T::value_type;
    return {static_cast<Real>(value),
            static_cast<Real>(random_element(seed + imaginary, row, column))};
  }
}

template <class T>
std::vector<T> random_array(const std::vector<layout::Patch>& patches, Words words,
                            std::uint64_t seed) {
  return array_of<T>(patches, words,
                     [seed](auto row, auto column) { return random_number<T>(seed, row, column); });
}

template <class T>
std::vector<T> random_part(const GemmPlan<T>& plan, Operand operand, std::uint64_t seed) {
  return random_array<T>(linalg::patches_of(plan.parts(operand)), plan.owned(operand), seed);
}

namespace {

// What is left of C x when A y is taken away, y = B x of so many columns.
template <class T>
Residual less_product(comm::Communicator& communicator, Vector cx, const Vector& y,
                      std::int64_t columns) {
  const auto rows = static_cast<std::int64_t>(cx.size());
  const auto inner = static_cast<std::int64_t>(y.size());
  const Vector product = times_random(
      communicator, rows, inner, y, [](auto i, auto l) { return random_number<T>(seed_a, i, l); });
  for (std::size_t i = 0; i < product.size(); ++i) cx[i] -= product[i];
  const double scale =
      static_cast<double>(std::max<std::int64_t>(1, inner * columns)) * epsilon<T>() / 8;
  return residual(cx, scale);
}

}  // namespace

template <class T>
Residual check_product(comm::Communicator& communicator, const GemmShape& shape,
                       const std::vector<layout::Patch>& local, const T* c) {
  const Vector x = random_vector(shape.n);
  const Vector bx = times_random(communicator, shape.k, shape.n, x,
                                 [](auto l, auto j) { return random_number<T>(seed_b, l, j); });
  Vector difference(static_cast<std::size_t>(shape.m));
  layout::for_each_element(local, [&](std::int64_t row, std::int64_t column, std::int64_t at) {
    add(difference, row, c[at], x, column);
  });
  communicator.sum(difference);
  return less_product<T>(communicator, std::move(difference), bx, shape.n);
}

template <class T>
Residual check_update(comm::Communicator& communicator, const SyrkShape& shape, bool hermitian,
                      const std::vector<layout::Patch>& local, const T* c) {
  const Vector x = random_vector(shape.n);
  const auto turned = [hermitian](const T& value) { return hermitian ? conjugated(value) : value; };
  const Vector ax = times_random(communicator, shape.k, shape.n, x, [&](auto l, auto i) {
    return turned(random_number<T>(seed_a, i, l));
  });
  Vector difference(static_cast<std::size_t>(shape.n));
  layout::for_each_element(local, [&](std::int64_t row, std::int64_t column, std::int64_t at) {
    if (row < column) return;
    add(difference, row, c[at], x, column);
    if (row > column) add(difference, column, turned(c[at]), x, row);
  });
  communicator.sum(difference);
  return less_product<T>(communicator, std::move(difference), ax, shape.n);
}

template <class T>
Residual check_two_factor_update(comm::Communicator& communicator, const SyrkShape& shape,
                                 const std::vector<layout::Patch>& local, const T* c) {
  const Vector x = random_vector(shape.n);
  Vector difference(static_cast<std::size_t>(shape.n));
  layout::for_each_element(local, [&](std::int64_t row, std::int64_t column, std::int64_t at) {
    if (row < column) return;
    add(difference, row, c[at], x, column);
    if (row > column) add(difference, column, c[at], x, row);
  });
  communicator.sum(difference);
  for (const auto& [left, right] : {std::pair{seed_a, seed_b}, std::pair{seed_b, seed_a}}) {
    const auto element = [](std::uint64_t seed) {
      return [seed](auto i, auto l) { return random_number<T>(seed, i, l); };
    };
    const auto of_right = element(right);
    const Vector y = times_random(communicator, shape.k, shape.n, x,
                                  [&](auto l, auto i) { return of_right(i, l); });
    const Vector product = times_random(communicator, shape.n, shape.k, y, element(left));
    for (std::size_t i = 0; i < product.size(); ++i) difference[i] -= product[i];
  }
  const double scale =
      static_cast<double>(std::max<std::int64_t>(1, 2 * shape.k * shape.n)) * epsilon<T>() / 8;
  return residual(difference, scale);
}

template <class T>
T symmetric_number(std::int64_t row, std::int64_t column) {
  return random_number<T>(seed_a, std::max(row, column), std::min(row, column));
}

template <class T>
Residual check_symmetric_product(comm::Communicator& communicator, const SyrkShape& shape,
                                 const std::vector<layout::Patch>& local, const T* c) {
  const Vector x = random_vector(shape.k);
  Vector difference(static_cast<std::size_t>(shape.n));
  layout::for_each_element(local, [&](std::int64_t row, std::int64_t column, std::int64_t at) {
    add(difference, row, c[at], x, column);
  });
  communicator.sum(difference);
  const Vector bx = times_random(communicator, shape.n, shape.k, x,
                                 [](auto i, auto j) { return random_number<T>(seed_b, i, j); });
  const Vector product = times_random(communicator, shape.n, shape.n, bx,
                                      [](auto i, auto l) { return symmetric_number<T>(i, l); });
  for (std::size_t i = 0; i < product.size(); ++i) difference[i] -= product[i];
  const double scale =
      static_cast<double>(std::max<std::int64_t>(1, shape.n * shape.k)) * epsilon<T>() / 8;
  return residual(difference, scale);
}

template <class T>
T definite_number(std::int64_t row, std::int64_t column, std::int64_t n) {
  if (row == column) return T(static_cast<decltype(std::abs(T{}))>(n + 1));
  return row > column ? random_number<T>(seed_a, row, column)
                      : conjugated(random_number<T>(seed_a, column, row));
}

template <class T>
Residual check_cholesky(comm::Communicator& communicator, std::int64_t n,
                        const std::vector<layout::Patch>& local, const T* a) {
  const Vector x = random_vector(n);
  Vector lx(x.size());
  Vector difference(x.size());
  layout::for_each_element(local, [&](std::int64_t row, std::int64_t column, std::int64_t at) {
    if (row >= column) add(lx, column, conjugated(a[at]), x, row);
  });
  communicator.sum(lx);
  layout::for_each_element(local, [&](std::int64_t row, std::int64_t column, std::int64_t at) {
    if (row >= column) add(difference, row, a[at], lx, column);
  });
  communicator.sum(difference);
  const Vector product = times_random(communicator, n, n, x,
                                      [n](auto i, auto j) { return definite_number<T>(i, j, n); });
  for (std::size_t i = 0; i < product.size(); ++i) difference[i] -= product[i];
  const auto size = static_cast<double>(n);
  return residual(difference, (size + 1) * size * size * epsilon<T>() / 2);
}

template <class T>
T triangular_number(std::int64_t row, std::int64_t column, std::int64_t n) {
  using Real = decltype(std::abs(T{}));
  if (row < column) return T(0);
  const T x = random_number<T>(seed_a, row, column);
  return row == column ? x + T(1) : x / static_cast<Real>(std::sqrt(static_cast<double>(n)));
}

template <class T>
Residual check_trsm(comm::Communicator& communicator, std::int64_t n, std::int64_t m,
                    const std::vector<layout::Patch>& local, const T* x) {
  const Vector y = random_vector(m);
  Vector xy(static_cast<std::size_t>(n));
  layout::for_each_element(local, [&](std::int64_t row, std::int64_t column, std::int64_t at) {
    add(xy, row, x[at], y, column);
  });
  communicator.sum(xy);
  Vector difference = times_random(communicator, n, n, xy,
                                   [n](auto i, auto j) { return triangular_number<T>(i, j, n); });
  const Vector by = times_random(communicator, n, m, y,
                                 [](auto i, auto j) { return random_number<T>(seed_b, i, j); });
  for (std::size_t i = 0; i < by.size(); ++i) difference[i] -= by[i];
  const auto size =
      static_cast<double>(std::max<std::int64_t>(1, n) * std::max<std::int64_t>(1, m));
  return residual(difference, size * epsilon<T>() / 4);
}

template <class T>
Residual check_trsv(comm::Communicator& communicator, std::int64_t n, const HeldTriangle<T>& t,
                    const std::vector<layout::Patch>& local, const T* b, const T* x) {
  Vector whole(static_cast<std::size_t>(n));
  Vector difference(whole.size());
  double largest = 0;
  layout::for_each_element(local, [&](std::int64_t row, std::int64_t, std::int64_t at) {
    const auto i = static_cast<std::size_t>(row);
    whole[i] = x[at];
    difference[i] = -std::complex<double>(b[at]);
    if (t.unit) difference[i] += x[at];
    largest = std::max(largest, static_cast<double>(std::abs(b[at])));
  });
  communicator.sum(whole);
  std::vector<double> sizes(whole.size());
  layout::for_each_element(t.patches, [&](std::int64_t row, std::int64_t column, std::int64_t at) {
    if ((t.lower ? row < column : row > column) || (t.unit && row == column)) return;
    const bool as_stored = t.op == Op::none;
    const auto i = static_cast<std::size_t>(as_stored ? row : column);
    const std::complex<double> value(t.op == Op::conjugate_transpose ? conjugated(t.values[at])
                                                                     : t.values[at]);
    const std::complex<double> term =
        value * whole[static_cast<std::size_t>(as_stored ? column : row)];
    difference[i] += term;
    sizes[i] += std::abs(term);
  });
  communicator.sum(difference);
  communicator.sum(sizes);
  double scale = communicator.maximum(largest);
  for (const double s : sizes) scale = std::max(scale, s);
  return residual(difference, static_cast<double>(n) * epsilon<T>() * scale);
}

template <class T>
Residual check_lu(comm::Communicator& communicator, std::int64_t m, std::int64_t n,
                  const std::vector<std::int64_t>& pivots, const std::vector<layout::Patch>& local,
                  const T* a) {
  const Vector x = random_vector(n);
  Vector ux(static_cast<std::size_t>(std::max(m, n)));
  layout::for_each_element(local, [&](std::int64_t row, std::int64_t column, std::int64_t at) {
    if (row <= column) add(ux, row, a[at], x, column);
  });
  communicator.sum(ux);
  Vector difference(static_cast<std::size_t>(m));
  layout::for_each_element(local, [&](std::int64_t row, std::int64_t column, std::int64_t at) {
    if (row > column) add(difference, row, a[at], ux, column);
  });
  communicator.sum(difference);
  for (std::size_t i = 0; i < pivots.size(); ++i) difference[i] += ux[i];
  Vector product = times_random(communicator, m, n, x,
                                [](auto i, auto j) { return random_number<T>(seed_a, i, j); });
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    std::swap(product[i], product[static_cast<std::size_t>(pivots[i])]);
  }
  for (std::size_t i = 0; i < product.size(); ++i) difference[i] -= product[i];
  const auto size = static_cast<double>(std::max({m, n, std::int64_t{1}}));
  return residual(difference, size * size * epsilon<T>() / 4);
}

#define REDBLUE_INSTANTIATE(T)                                                                    \
  template T random_number<T>(std::uint64_t, std::int64_t, std::int64_t);                         \
  template std::vector<T> random_array(const std::vector<layout::Patch>&, Words, std::uint64_t);  \
  template std::vector<T> random_part(const GemmPlan<T>&, Operand, std::uint64_t);                \
  template Residual check_product(comm::Communicator&, const GemmShape&,                          \
                                  const std::vector<layout::Patch>&, const T*);                   \
  template Residual check_update(comm::Communicator&, const SyrkShape&, bool,                     \
                                 const std::vector<layout::Patch>&, const T*);                    \
  template Residual check_two_factor_update(comm::Communicator&, const SyrkShape&,                \
                                            const std::vector<layout::Patch>&, const T*);         \
  template T symmetric_number<T>(std::int64_t, std::int64_t);                                     \
  template Residual check_symmetric_product(comm::Communicator&, const SyrkShape&,                \
                                            const std::vector<layout::Patch>&, const T*);         \
  template T definite_number<T>(std::int64_t, std::int64_t, std::int64_t);                        \
  template Residual check_cholesky(comm::Communicator&, std::int64_t,                             \
                                   const std::vector<layout::Patch>&, const T*);                  \
  template T triangular_number<T>(std::int64_t, std::int64_t, std::int64_t);                      \
  template Residual check_trsm(comm::Communicator&, std::int64_t, std::int64_t,                   \
                               const std::vector<layout::Patch>&, const T*);                      \
  template Residual check_trsv(comm::Communicator&, std::int64_t, const HeldTriangle<T>&,         \
                               const std::vector<layout::Patch>&, const T*, const T*);            \
  template Residual check_lu(comm::Communicator&, std::int64_t, std::int64_t,                     \
                             const std::vector<std::int64_t>&, const std::vector<layout::Patch>&, \
                             const T*);
REDBLUE_FOR_ALL_NUMBERS(REDBLUE_INSTANTIATE)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::matgen
