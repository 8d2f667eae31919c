// SPDX-License-Identifier: BSD-3-Clause
// Random calls of QR and LQ factorizations and of what follows them, refinements, condition numbers
// and generalized eigenproblems, for random_calls.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>
#include <vector>

#include "scalapack/random_matrices.hpp"
#include "scalapack/random_orthogonal_interfaces.hpp"

namespace random_calls {

template <class T>
using Real = decltype(std::abs(T{}));

// More than any of ScaLAPACK's workspaces, which depend on the grid.
inline int plenty(int rows, int columns, int block) {
  return 4 * (block + 4) * (rows + columns + 8 * block + 200) + 8 * (rows + columns) + 10000;
}

template <class T>
struct Space {
  explicit Space(int words) : size(words), work(static_cast<std::size_t>(words)) {}
  int size;
  std::vector<T> work;
};

template <class T>
int largest_block(const Matrix<T>& a) {
  return std::max(a.descriptor[4], a.descriptor[5]);
}

// tau as ScaLAPACK deals it out: with columns of A, or with rows.
template <class T>
std::vector<T> dealt(const Matrix<T>& a, bool by_rows, const std::vector<T>& tau) {
  std::vector<T> local(static_cast<std::size_t>(a.descriptor[2] + a.descriptor[3] + 1));
  for (std::size_t k = 0; k < tau.size(); ++k) {
    const Place at = place(by_rows ? a.down : a.across,
                           (by_rows ? a.i : a.j) - 1 + static_cast<std::int64_t>(k));
    if (at.process == (by_rows ? a.grid.row : a.grid.column)) {
      local[static_cast<std::size_t>(at.local)] = tau[k];
    }
  }
  return local;
}

// The diagonal is large: signs are certain, so that R, V and tau are LAPACK's, but for a vector of
// one real element, which LAPACK leaves out and redblue may reflect.
template <class T>
Outcome<T> factor(bool by_rows, Dice& dice, const Grid& grid, int most) {
  const int m = dice.below(most), n = dice.below(most);
  auto a = matrix<T>(dice, grid, any_shape(dice, grid), m, n);
  make_dominant(a);
  distribute(a);
  std::vector<T> expected = a.whole;
  std::vector<T> tau(static_cast<std::size_t>(std::min(m, n)) + 1);
  Space<T> s(plenty(m, n, largest_block(a)));
  int info = 0;
  lapack_factor(by_rows, m, n, expected.data(), a.leading(), tau.data(), s.work.data(), s.size,
                &info);
  tau.pop_back();
  std::vector<T> found = dealt(a, by_rows, std::vector<T>(tau.size()));
  pfactor(by_rows, &m, &n, a.local.data(), &a.i, &a.j, a.descriptor, found.data(), s.work.data(),
          &s.size, &info);
  // columns (rows) of A are no longer than they are many
  const bool ends = by_rows ? n <= m : m <= n;
  const int certain = std::min(m, n) - (ends ? 1 : 0);
  Outcome<T> result =
      outcome(a, expected, [&](int r, int c) { return !ends || (by_rows ? c : r) < certain; });
  tau.resize(static_cast<std::size_t>(std::max(0, certain)));
  const std::vector<T> wanted = dealt(a, by_rows, tau);
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (wanted[k] == T(0)) continue;  // another process's, or the last
    result.error = std::max<double>(result.error, std::abs(wanted[k] - found[k]));
  }
  return result;
}
template <class T>
Outcome<T> geqrf(Dice& dice, const Grid& grid, int most) {
  return factor<T>(false, dice, grid, most);
}
template <class T>
Outcome<T> gelqf(Dice& dice, const Grid& grid, int most) {
  return factor<T>(true, dice, grid, most);
}

// LAPACK's factors, whose Q is formed.
template <class T>
Outcome<T> form(bool by_rows, Dice& dice, const Grid& grid, int most) {
  const int k = dice.below(most), n = k + dice.below(most / 3), m = n + dice.below(most / 2);
  const int rows = by_rows ? n : m, columns = by_rows ? m : n;
  auto a = matrix<T>(dice, grid, any_shape(dice, grid), rows, columns);
  std::vector<T> tau(static_cast<std::size_t>(n) + 1);
  Space<T> s(plenty(m, m, largest_block(a)));
  int info = 0;
  lapack_factor(by_rows, rows, columns, a.whole.data(), a.leading(), tau.data(), s.work.data(),
                s.size, &info);
  distribute(a);
  std::vector<T> expected = a.whole;
  lapack_form(by_rows, rows, columns, k, expected.data(), a.leading(), tau.data(), s.work.data(),
              s.size, &info);
  tau.resize(static_cast<std::size_t>(k));
  const std::vector<T> local = dealt(a, by_rows, tau);
  pform(by_rows, &rows, &columns, &k, a.local.data(), &a.i, &a.j, a.descriptor, local.data(),
        s.work.data(), &s.size, &info);
  return outcome(a, expected, everywhere);
}
template <class T>
Outcome<T> orgqr(Dice& dice, const Grid& grid, int most) {
  return form<T>(false, dice, grid, most);
}
template <class T>
Outcome<T> orglq(Dice& dice, const Grid& grid, int most) {
  return form<T>(true, dice, grid, most);
}

// C's blocks along Q's order as ScaLAPACK demands them.
template <class T>
Shape beside(Dice& dice, const Matrix<T>& a, bool by_rows, bool left) {
  Shape shape = any_shape(dice, a.grid);
  const int block = by_rows ? a.descriptor[5] : a.descriptor[4];
  const int source = by_rows ? a.descriptor[7] : a.descriptor[6];
  const int first = by_rows ? a.j : a.i;
  (left ? shape.row_block : shape.column_block) = block;
  (left ? shape.i : shape.j) = first;
  if (left != by_rows) (left ? shape.row_source : shape.column_source) = source;
  return shape;
}

template <class T>
Outcome<T> multiply(bool by_rows, Dice& dice, const Grid& grid, int most) {
  const bool left = dice.of("LR") == 'L';
  const char side = left ? 'L' : 'R', trans = dice.of(std::is_floating_point_v<T> ? "NT" : "NC");
  const int k = dice.below(most), order = k + dice.below(most), others = dice.below(most);
  auto a = matrix<T>(dice, grid, any_shape(dice, grid), by_rows ? k : order, by_rows ? order : k);
  const int m = left ? order : others, n = left ? others : order;
  auto c = matrix<T>(dice, grid, beside(dice, a, by_rows, left), m, n);
  std::vector<T> tau(static_cast<std::size_t>(k) + 1);
  Space<T> s(plenty(2 * m, 2 * n, std::max(largest_block(a), largest_block(c))));
  int info = 0;
  lapack_factor(by_rows, a.rows, a.columns, a.whole.data(), a.leading(), tau.data(), s.work.data(),
                s.size, &info);
  distribute(a), distribute(c);
  std::vector<T> expected = c.whole;
  lapack_multiply(by_rows, side, trans, m, n, k, a.whole.data(), a.leading(), tau.data(),
                  expected.data(), c.leading(), s.work.data(), s.size, &info);
  tau.resize(static_cast<std::size_t>(k));
  const std::vector<T> local = dealt(a, by_rows, tau);
  pmultiply(by_rows, &side, &trans, &m, &n, &k, a.local.data(), &a.i, &a.j, a.descriptor,
            local.data(), c.local.data(), &c.i, &c.j, c.descriptor, s.work.data(), &s.size, &info);
  return outcome(c, expected, everywhere);
}
template <class T>
Outcome<T> ormqr(Dice& dice, const Grid& grid, int most) {
  return multiply<T>(false, dice, grid, most);
}
template <class T>
Outcome<T> ormlq(Dice& dice, const Grid& grid, int most) {
  return multiply<T>(true, dice, grid, most);
}

// Another matrix on the processes of the first, from the start of a block.
inline Shape like(const Shape& shape, int i, int j) {
  Shape same = shape;
  same.i = i;
  same.j = j;
  return same;
}

// A solution that is off in its third digit is refined to LAPACK's. Rows are not exchanged.
template <class T>
Outcome<T> refine(bool definite, Dice& dice, const Grid& grid, int most) {
  // of order 1 ScaLAPACK, which has it then, refines nothing
  const int n = 2 + dice.below(most), sides = dice.below(most / 3);
  const char letter =
      definite ? dice.of("UL") : dice.of(std::is_floating_point_v<T> ? "NT" : "NTC");
  const Shape shape = square_shape(dice, grid);
  auto a = matrix<T>(dice, grid, shape, n, n);
  make_dominant(a);
  auto f = matrix<T>(dice, grid, like(shape, a.i, a.j), n, n);
  f.whole = a.whole;
  Shape of_b = like(shape, a.i, 1);
  of_b.column_block = dice.between(1, 17);
  of_b.column_source = dice.below(grid.columns);
  auto b = matrix<T>(dice, grid, of_b, n, sides);
  auto x = matrix<T>(dice, grid, of_b, n, sides);
  std::vector<int> pivots(static_cast<std::size_t>(n) + 1);
  int info = 0;
  if (definite) {
    lapack_potrf(letter, n, f.whole.data(), f.leading(), &info);
  } else {
    lapack_getrf(n, n, f.whole.data(), f.leading(), pivots.data(), &info);
  }
  std::vector<T> expected = b.whole;
  if (definite) {
    lapack_potrs(letter, n, sides, f.whole.data(), f.leading(), expected.data(), b.leading(),
                 &info);
  } else {
    lapack_getrs(letter, n, sides, f.whole.data(), f.leading(), pivots.data(), expected.data(),
                 b.leading(), &info);
  }
  for (std::size_t k = 0; k < x.whole.size(); ++k) {
    x.whole[k] = expected[k] * static_cast<Real<T>>(1 + 1e-3 * dice.element());
  }
  distribute(a), distribute(f), distribute(b), distribute(x);
  std::vector<int> local_pivots(static_cast<std::size_t>(f.descriptor[2] + f.descriptor[4] + 1));
  for (int r = 0; r < n; ++r) {
    const Place at = place(f.down, f.i - 1 + r);
    if (at.process == grid.row) local_pivots[static_cast<std::size_t>(at.local)] = f.i + r;
  }
  Space<T> s(plenty(n, n, shape.row_block));
  Space<Second<T>> second(s.size);
  std::vector<Real<T>> forward(static_cast<std::size_t>(x.descriptor[3] + 1)), backward = forward;
  if (definite) {
    pporfs(&letter, &n, &sides, a.local.data(), &a.i, &a.j, a.descriptor, f.local.data(), &f.i,
           &f.j, f.descriptor, b.local.data(), &b.i, &b.j, b.descriptor, x.local.data(), &x.i, &x.j,
           x.descriptor, forward.data(), backward.data(), s.work.data(), &s.size,
           second.work.data(), &second.size, &info);
  } else {
    pgerfs(&letter, &n, &sides, a.local.data(), &a.i, &a.j, a.descriptor, f.local.data(), &f.i,
           &f.j, f.descriptor, local_pivots.data(), b.local.data(), &b.i, &b.j, b.descriptor,
           x.local.data(), &x.i, &x.j, x.descriptor, forward.data(), backward.data(), s.work.data(),
           &s.size, second.work.data(), &second.size, &info);
  }
  return outcome(x, expected, everywhere);
}
template <class T>
Outcome<T> porfs(Dice& dice, const Grid& grid, int most) {
  return refine<T>(true, dice, grid, most);
}
template <class T>
Outcome<T> gerfs(Dice& dice, const Grid& grid, int most) {
  return refine<T>(false, dice, grid, most);
}

// Estimates: within a factor of three of LAPACK's.
template <class T>
Outcome<T> condition(bool definite, Dice& dice, const Grid& grid, int most) {
  const int n = 1 + dice.below(most);
  const char letter = definite ? dice.of("UL") : dice.of("1OI");
  auto a = matrix<T>(dice, grid, square_shape(dice, grid), n, n);
  make_dominant(a);
  Real<T> norm = 0;
  for (int c = 0; c < n; ++c) {  // symmetric: both norms
    Real<T> sum = 0;
    for (int r = 0; r < n; ++r) sum += std::abs(a.at(r, c));
    norm = std::max(norm, sum);
  }
  std::vector<int> pivots(static_cast<std::size_t>(n));
  int info = 0;
  if (definite) {
    lapack_potrf(letter, n, a.whole.data(), a.leading(), &info);
  } else {
    lapack_getrf(n, n, a.whole.data(), a.leading(), pivots.data(), &info);
  }
  distribute(a);
  Space<T> s(plenty(n, n, largest_block(a)));
  Space<Second<T>> second(s.size);
  Real<T> expected = 0;
  Real<T> found = 0;
  lapack_condition(definite, letter, n, a.whole.data(), a.leading(), norm, &expected, s.work.data(),
                   second.work.data(), &info);
  pcondition(definite, &letter, &n, a.local.data(), &a.i, &a.j, a.descriptor, &norm, &found,
             s.work.data(), &s.size, second.work.data(), &second.size, &info);
  Outcome<T> result = outcome(a, a.whole, everywhere);
  if (!(found <= 3 * expected && expected <= 3 * found)) {
    result.error = std::numeric_limits<double>::infinity();
  }
  return result;
}
template <class T>
Outcome<T> pocon(Dice& dice, const Grid& grid, int most) {
  return condition<T>(true, dice, grid, most);
}
template <class T>
Outcome<T> gecon(Dice& dice, const Grid& grid, int most) {
  return condition<T>(false, dice, grid, most);
}

// ScaLAPACK's own of the third type hangs now and then: its p?trmm compares variables it has not
// set, and processes choose different algorithms.
template <class T>
Outcome<T> sygst(Dice& dice, const Grid& grid, int most) {
  const int n = dice.below(most), type = 1 + dice.below(3);
  const char uplo = dice.of("LU");
  const Shape shape = square_shape(dice, grid);
  auto a = matrix<T>(dice, grid, shape, n, n);
  make_dominant(a);
  auto b = matrix<T>(dice, grid, like(shape, a.i, a.j), n, n);
  make_dominant(b);
  int info = 0;
  lapack_potrf(uplo, n, b.whole.data(), b.leading(), &info);
  distribute(a), distribute(b);
  std::vector<T> expected = a.whole;
  lapack_sygst(type, uplo, n, expected.data(), a.leading(), b.whole.data(), b.leading(), &info);
  Real<T> scale = 0;
  psygst(&type, &uplo, &n, a.local.data(), &a.i, &a.j, a.descriptor, b.local.data(), &b.i, &b.j,
         b.descriptor, &scale, &info);
  return outcome(a, expected, in_triangle(uplo));
}

}  // namespace random_calls
