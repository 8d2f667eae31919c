// SPDX-License-Identifier: BSD-3-Clause
// Random distributed matrices for random_calls.cpp: every process knows the whole of each.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "redblue/layout.hpp"
#include "scalapack/random_calls_interfaces.hpp"

namespace random_calls {

using redblue::Cyclic;

// What every process draws alike.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  int between(int a, int b) { return a + below(b - a + 1); }
  char of(const std::string& letters) {
    return letters[static_cast<std::size_t>(below(static_cast<int>(letters.size())))];
  }
  double element() { return 2 * static_cast<double>(engine_() % 1000003) / 1000003 - 1; }

 private:
  std::mt19937_64 engine_;
};

struct Grid {
  int context = 0, rows = 0, columns = 0, row = 0, column = 0;
};

template <class T>
T element(Dice& dice) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(dice.element());
  } else {
    using R = typename T::value_type;
    const R real = static_cast<R>(dice.element());
    return {real, static_cast<R>(dice.element())};
  }
}

// The submatrix of a distributed matrix that a call is about, and the whole of it on every process.
template <class T>
struct Matrix {
  int rows = 0, columns = 0;  // of the submatrix
  int i = 1, j = 1;
  int descriptor[9] = {};
  Cyclic down, across;
  Grid grid;
  std::vector<T> whole;  // the submatrix, column-major
  std::vector<T> local;  // with the elements around it, which must stay as they are

  int leading() const { return std::max(1, rows); }
  T& at(int r, int c) {
    return whole[static_cast<std::size_t>(r) +
                 static_cast<std::size_t>(c) * static_cast<std::size_t>(leading())];
  }
};

// Where a global index lies: process and place there.
struct Place {
  int process;
  std::int64_t local;
};
inline Place place(const Cyclic& d, std::int64_t index) {
  const std::int64_t block = index / d.block;
  const auto process = static_cast<int>((block + d.source) % d.processes);
  return {process, block / d.processes * d.block + index % d.block};
}

template <class T, class Function>
void for_each_own(Matrix<T>& m, Function function) {
  for (int c = 0; c < m.columns; ++c) {
    const Place across = place(m.across, m.j - 1 + c);
    if (across.process != m.grid.column) continue;
    for (int r = 0; r < m.rows; ++r) {
      const Place down = place(m.down, m.i - 1 + r);
      if (down.process != m.grid.row) continue;
      function(r, c,
               m.local[static_cast<std::size_t>(down.local + across.local * m.descriptor[8])]);
    }
  }
}

template <class T>
constexpr T around = T(77);

// How a matrix's blocks lie. Factorizations want square blocks and submatrices that begin with one.
struct Shape {
  int row_block, column_block, row_source, column_source;
  bool aligned;
  int i = 0, j = 0;  // where the submatrix begins; 0: anywhere
};

inline Shape any_shape(Dice& dice, const Grid& grid) {
  return {dice.between(1, 17), dice.between(1, 17), dice.below(grid.rows), dice.below(grid.columns),
          false};
}

inline Shape square_shape(Dice& dice, const Grid& grid) {
  const int block = dice.between(1, 17);
  return {block, block, dice.below(grid.rows), dice.below(grid.columns), true};
}

template <class T>
Matrix<T> matrix(Dice& dice, const Grid& grid, const Shape& shape, int rows, int columns) {
  Matrix<T> m;
  m.rows = rows;
  m.columns = columns;
  m.grid = grid;
  m.down = {shape.row_block, shape.row_source, grid.rows, shape.row_block};
  m.across = {shape.column_block, shape.column_source, grid.columns, shape.column_block};
  m.i = 1 + (shape.aligned ? shape.row_block * dice.below(3) : dice.below(20));
  m.j = 1 + (shape.aligned ? shape.column_block * dice.below(3) : dice.below(20));
  if (shape.i > 0) m.i = shape.i;
  if (shape.j > 0) m.j = shape.j;
  const int all_rows = m.i - 1 + rows + dice.below(5);
  const int all_columns = m.j - 1 + columns + dice.below(5);
  const auto height = static_cast<int>(m.down.count(all_rows, grid.row));
  const int leading = std::max(1, height) + dice.below(3);
  const int d[] = {1,
                   grid.context,
                   all_rows,
                   all_columns,
                   shape.row_block,
                   shape.column_block,
                   shape.row_source,
                   shape.column_source,
                   leading};
  std::copy(std::begin(d), std::end(d), m.descriptor);
  m.whole.resize(static_cast<std::size_t>(m.leading()) *
                 static_cast<std::size_t>(std::max(1, columns)));
  for (T& x : m.whole) x = element<T>(dice);
  // OpenBLAS 0.3.21's cgemv and zgemv read some columns beyond a vector of large stride, a row of a
  // matrix in LAPACK's cgelqf: at a mapping's end that is a fault
  m.whole.resize(m.whole.size() + 16 * static_cast<std::size_t>(m.leading() + 4));
  m.local.assign(static_cast<std::size_t>(leading) *
                     static_cast<std::size_t>(m.across.count(all_columns, grid.column) + 1),
                 around<T>);
  return m;
}

template <class T>
void distribute(Matrix<T>& m) {
  for_each_own(m, [&](int r, int c, T& x) { x = m.at(r, c); });
}

// Both sides of the diagonal alike, and the diagonal large: what Cholesky and solves are fed with.
template <class T>
void make_dominant(Matrix<T>& m) {
  for (int c = 0; c < m.columns; ++c) {
    for (int r = 0; r < std::min(c, m.rows); ++r) {
      if (c < m.rows) m.at(c, r) = conjugate(m.at(r, c));
    }
    if (c < m.rows)
      m.at(c, c) =
          static_cast<T>(static_cast<decltype(std::abs(T{}))>(2 * std::max(m.rows, m.columns)));
  }
}

// The largest difference of this process's elements from `expected`, where counts(r, c).
template <class T, class Counts>
double difference(Matrix<T>& m, const std::vector<T>& expected, Counts counts) {
  double most = 0;
  for_each_own(m, [&](int r, int c, const T& x) {
    if (!counts(r, c)) return;
    const T e = expected[static_cast<std::size_t>(r) +
                         static_cast<std::size_t>(c) * static_cast<std::size_t>(m.leading())];
    const double d = std::abs(x - e);
    most = std::max(most, std::isnan(d) ? std::numeric_limits<double>::infinity() : d);
  });
  return most;
}

// Elements outside of the submatrix that have changed.
template <class T>
bool touched_around(Matrix<T> m) {
  for_each_own(m, [](int, int, T& x) { x = around<T>; });
  return std::any_of(m.local.begin(), m.local.end(), [](const T& x) { return x != around<T>; });
}

template <class T>
double size_of(const std::vector<T>& v) {
  double most = 1;
  for (const T& x : v) most = std::max(most, static_cast<double>(std::abs(x)));
  return most;
}

template <class T>
struct Outcome {
  double error = 0;      // relative
  bool outside = false;  // wrote where it must not
};

template <class T, class Counts>
Outcome<T> outcome(Matrix<T>& m, const std::vector<T>& expected, Counts counts) {
  return {difference(m, expected, counts) / size_of(expected), touched_around(m)};
}

constexpr auto everywhere = [](int, int) { return true; };
inline auto in_triangle(char uplo) {
  return [uplo](int r, int c) { return uplo == 'L' ? r >= c : r <= c; };
}

}  // namespace random_calls
