// SPDX-License-Identifier: BSD-3-Clause
// Random calls of solves with LU factors, inverses from them, least squares, one right-hand side,
// updates of rank 2k, transposition, and the products of Hermitian matrices, for random_calls.cpp.
#pragma once

#include <algorithm>
#include <complex>
#include <type_traits>
#include <vector>

#include "scalapack/random_matrices.hpp"
#include "scalapack/random_orthogonal.hpp"

// NOLINTBEGIN(bugprone-macro-parentheses): types
#define INTERFACES(t, T, transpose)                                                                \
  extern "C" {                                                                                     \
  void p##t##getrs_(L, I, I, const T*, I, I, I, I, T*, I, I, I, int*);                             \
  void p##t##getri_(I, T*, I, I, I, I, T*, I, int*, I, int*);                                      \
  void p##t##gels_(L, I, I, I, T*, I, I, I, T*, I, I, I, T*, I, int*);                             \
  void p##t##trsv_(L, L, L, I, const T*, I, I, I, T*, I, I, I, I);                                 \
  void p##t##syr2k_(L, L, I, I, const T*, const T*, I, I, I, const T*, I, I, I, const T*, T*, I,   \
                    I, I);                                                                         \
  void p##t##transpose##_(I, I, const T*, const T*, I, I, I, const T*, T*, I, I, I);               \
  void t##getri_(I, T*, I, I, T*, I, int*);                                                        \
  void t##gels_(L, I, I, I, T*, I, T*, I, T*, I, int*);                                            \
  void t##syr2k_(L, L, I, I, const T*, const T*, I, const T*, I, const T*, T*, I);                 \
  }                                                                                                \
  inline void pgetrs(L op, I n, I sides, const T* a, I ia, I ja, I da, I pivots, T* b, I ib, I jb, \
                     I db, int* info) {                                                            \
    p##t##getrs_(op, n, sides, a, ia, ja, da, pivots, b, ib, jb, db, info);                        \
  }                                                                                                \
  inline void pgetri(I n, T* a, I ia, I ja, I da, I pivots, T* work, I size, int* second,          \
                     I second_size, int* info) {                                                   \
    p##t##getri_(n, a, ia, ja, da, pivots, work, size, second, second_size, info);                 \
  }                                                                                                \
  inline void pgels(L op, I m, I n, I sides, T* a, I ia, I ja, I da, T* b, I ib, I jb, I db,       \
                    T* work, I size, int* info) {                                                  \
    p##t##gels_(op, m, n, sides, a, ia, ja, da, b, ib, jb, db, work, size, info);                  \
  }                                                                                                \
  inline void ptrsv(L uplo, L op, L diag, I n, const T* a, I ia, I ja, I da, T* x, I ix, I jx,     \
                    I dx, I step) {                                                                \
    p##t##trsv_(uplo, op, diag, n, a, ia, ja, da, x, ix, jx, dx, step);                            \
  }                                                                                                \
  inline void psyr2k(L uplo, L op, I n, I k, const T* alpha, const T* a, I ia, I ja, I da,         \
                     const T* b, I ib, I jb, I db, const T* beta, T* c, I ic, I jc, I dc) {        \
    p##t##syr2k_(uplo, op, n, k, alpha, a, ia, ja, da, b, ib, jb, db, beta, c, ic, jc, dc);        \
  }                                                                                                \
  inline void ptranspose(I m, I n, const T* alpha, const T* a, I ia, I ja, I da, const T* beta,    \
                         T* c, I ic, I jc, I dc) {                                                 \
    p##t##transpose##_(m, n, alpha, a, ia, ja, da, beta, c, ic, jc, dc);                           \
  }                                                                                                \
  inline void lapack_getri(int n, T* a, int la, const int* pivots, T* work, int size, int* info) { \
    t##getri_(&n, a, &la, pivots, work, &size, info);                                              \
  }                                                                                                \
  inline void lapack_gels(char op, int m, int n, int sides, T* a, int la, T* b, int lb, T* work,   \
                          int size, int* info) {                                                   \
    t##gels_(&op, &m, &n, &sides, a, &la, b, &lb, work, &size, info);                              \
  }                                                                                                \
  inline void blas_syr2k(char uplo, char op, int n, int k, T alpha, const T* a, int la,            \
                         const T* b, int lb, T beta, T* c, int lc) {                               \
    t##syr2k_(&uplo, &op, &n, &k, &alpha, a, &la, b, &lb, &beta, c, &lc);                          \
  }

INTERFACES(s, float, tran)
INTERFACES(d, double, tran)
INTERFACES(c, std::complex<float>, tranu)
INTERFACES(z, std::complex<double>, tranu)
#undef INTERFACES

// Complex elements only.
#define INTERFACES(t, R)                                                                          \
  extern "C" {                                                                                    \
  void p##t##hemm_(L, L, I, I, const std::complex<R>*, const std::complex<R>*, I, I, I,           \
                   const std::complex<R>*, I, I, I, const std::complex<R>*, std::complex<R>*, I,  \
                   I, I);                                                                         \
  void p##t##herk_(L, L, I, I, const R*, const std::complex<R>*, I, I, I, const R*,               \
                   std::complex<R>*, I, I, I);                                                    \
  void p##t##her2k_(L, L, I, I, const std::complex<R>*, const std::complex<R>*, I, I, I,          \
                    const std::complex<R>*, I, I, I, const R*, std::complex<R>*, I, I, I);        \
  void p##t##tranc_(I, I, const std::complex<R>*, const std::complex<R>*, I, I, I,                \
                    const std::complex<R>*, std::complex<R>*, I, I, I);                           \
  }                                                                                               \
  inline void phemm(L side, L uplo, I m, I n, const std::complex<R>* alpha,                       \
                    const std::complex<R>* a, I ia, I ja, I da, const std::complex<R>* b, I ib,   \
                    I jb, I db, const std::complex<R>* beta, std::complex<R>* c, I ic, I jc,      \
                    I dc) {                                                                       \
    p##t##hemm_(side, uplo, m, n, alpha, a, ia, ja, da, b, ib, jb, db, beta, c, ic, jc, dc);      \
  }                                                                                               \
  inline void pherk(L uplo, L op, I n, I k, const R* alpha, const std::complex<R>* a, I ia, I ja, \
                    I da, const R* beta, std::complex<R>* c, I ic, I jc, I dc) {                  \
    p##t##herk_(uplo, op, n, k, alpha, a, ia, ja, da, beta, c, ic, jc, dc);                       \
  }                                                                                               \
  inline void pher2k(L uplo, L op, I n, I k, const std::complex<R>* alpha,                        \
                     const std::complex<R>* a, I ia, I ja, I da, const std::complex<R>* b, I ib,  \
                     I jb, I db, const R* beta, std::complex<R>* c, I ic, I jc, I dc) {           \
    p##t##her2k_(uplo, op, n, k, alpha, a, ia, ja, da, b, ib, jb, db, beta, c, ic, jc, dc);       \
  }                                                                                               \
  inline void padjoint(I m, I n, const std::complex<R>* alpha, const std::complex<R>* a, I ia,    \
                       I ja, I da, const std::complex<R>* beta, std::complex<R>* c, I ic, I jc,   \
                       I dc) {                                                                    \
    p##t##tranc_(m, n, alpha, a, ia, ja, da, beta, c, ic, jc, dc);                                \
  }
// NOLINTEND(bugprone-macro-parentheses)

INTERFACES(c, float)
INTERFACES(z, double)
#undef INTERFACES

namespace random_calls {

// What a factorization without exchanges of rows leaves.
template <class T>
std::vector<int> no_exchanges(const Matrix<T>& a) {
  std::vector<int> pivots(static_cast<std::size_t>(a.descriptor[2] + a.descriptor[4] + 1));
  for (int r = 0; r < a.rows; ++r) {
    const Place at = place(a.down, a.i - 1 + r);
    if (at.process == a.grid.row) pivots[static_cast<std::size_t>(at.local)] = a.i + r;
  }
  return pivots;
}

template <class T>
Outcome<T> getrs(Dice& dice, const Grid& grid, int most) {
  const int n = dice.below(most), sides = dice.below(most);
  const char op = dice.of("NTC");
  const Shape shape = square_shape(dice, grid);
  auto a = matrix<T>(dice, grid, shape, n, n);
  make_dominant(a);
  Shape of_b = like(shape, a.i, 0);
  of_b.column_block = dice.between(1, 17);
  auto b = matrix<T>(dice, grid, of_b, n, sides);
  std::vector<int> pivots(static_cast<std::size_t>(n) + 1);
  int info = 0;
  lapack_getrf(n, n, a.whole.data(), a.leading(), pivots.data(), &info);
  distribute(a), distribute(b);
  std::vector<T> expected = b.whole;
  lapack_getrs(op, n, sides, a.whole.data(), a.leading(), pivots.data(), expected.data(),
               b.leading(), &info);
  const std::vector<int> dealt_pivots = no_exchanges(a);
  pgetrs(&op, &n, &sides, a.local.data(), &a.i, &a.j, a.descriptor, dealt_pivots.data(),
         b.local.data(), &b.i, &b.j, b.descriptor, &info);
  return outcome(b, expected, everywhere);
}

template <class T>
Outcome<T> getri(Dice& dice, const Grid& grid, int most) {
  const int n = dice.below(most);
  auto a = matrix<T>(dice, grid, square_shape(dice, grid), n, n);
  make_dominant(a);
  std::vector<int> pivots(static_cast<std::size_t>(n) + 1);
  int info = 0;
  lapack_getrf(n, n, a.whole.data(), a.leading(), pivots.data(), &info);
  distribute(a);
  Space<T> s(plenty(n, n, largest_block(a)));
  Space<int> second(s.size);
  std::vector<T> expected = a.whole;
  lapack_getri(n, expected.data(), a.leading(), pivots.data(), s.work.data(), s.size, &info);
  const std::vector<int> dealt_pivots = no_exchanges(a);
  pgetri(&n, a.local.data(), &a.i, &a.j, a.descriptor, dealt_pivots.data(), s.work.data(), &s.size,
         second.work.data(), &second.size, &info);
  return outcome(a, expected, everywhere);
}

// The solution; what is left behind it is the algorithm's.
template <class T>
Outcome<T> gels(Dice& dice, const Grid& grid, int most) {
  const int m = 1 + dice.below(most), n = 1 + dice.below(most), sides = 1 + dice.below(20);
  const char op = dice.of(std::is_floating_point_v<T> ? "NT" : "NC");
  const Shape shape = square_shape(dice, grid);
  auto a = matrix<T>(dice, grid, shape, m, n);
  make_dominant(a);
  Shape of_b = like(shape, a.i, 0);
  of_b.column_block = dice.between(1, 17);
  auto b = matrix<T>(dice, grid, of_b, std::max(m, n), sides);
  distribute(a), distribute(b);
  Space<T> s(plenty(m, n + sides, std::max(largest_block(a), largest_block(b))));
  std::vector<T> expected = b.whole;
  int info = 0;
  lapack_gels(op, m, n, sides, a.whole.data(), a.leading(), expected.data(), b.leading(),
              s.work.data(), s.size, &info);
  pgels(&op, &m, &n, &sides, a.local.data(), &a.i, &a.j, a.descriptor, b.local.data(), &b.i, &b.j,
        b.descriptor, s.work.data(), &s.size, &info);
  const int solved = op == 'N' ? n : m;
  return outcome(b, expected, [solved](int r, int) { return r < solved; });
}

template <class T>
Outcome<T> trsv(Dice& dice, const Grid& grid, int most) {
  const int n = dice.below(most), one = 1;
  const char uplo = dice.of("LU"), op = dice.of("NTC"), diag = 'N';
  auto a = matrix<T>(dice, grid, square_shape(dice, grid), n, n);
  make_dominant(a);
  auto x = matrix<T>(dice, grid, any_shape(dice, grid), n, 1);
  distribute(a), distribute(x);
  std::vector<T> expected = x.whole;
  blas_trsm('L', uplo, op, diag, n, 1, T(1), a.whole.data(), a.leading(), expected.data(),
            x.leading());
  ptrsv(&uplo, &op, &diag, &n, a.local.data(), &a.i, &a.j, a.descriptor, x.local.data(), &x.i, &x.j,
        x.descriptor, &one);
  return outcome(x, expected, everywhere);
}

// C = beta C + alpha A^T, or of complex elements A^H.
template <class T>
Outcome<T> tran(Dice& dice, const Grid& grid, int most) {
  const int m = dice.below(most), n = dice.below(most);
  const T alpha = element<T>(dice), beta = element<T>(dice);
  const bool conjugates = dice.below(2) == 0 && !std::is_floating_point_v<T>;
  auto a = matrix<T>(dice, grid, any_shape(dice, grid), n, m);
  auto c = matrix<T>(dice, grid, any_shape(dice, grid), m, n);
  distribute(a), distribute(c);
  std::vector<T> expected = c.whole;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) {
      T& x = expected[static_cast<std::size_t>(i) +
                      static_cast<std::size_t>(j) * static_cast<std::size_t>(c.leading())];
      x = beta * x + alpha * (conjugates ? conjugate(a.at(j, i)) : a.at(j, i));
    }
  }
  if constexpr (!std::is_floating_point_v<T>) {
    if (conjugates) {
      padjoint(&m, &n, &alpha, a.local.data(), &a.i, &a.j, a.descriptor, &beta, c.local.data(),
               &c.i, &c.j, c.descriptor);
      return outcome(c, expected, everywhere);
    }
  }
  ptranspose(&m, &n, &alpha, a.local.data(), &a.i, &a.j, a.descriptor, &beta, c.local.data(), &c.i,
             &c.j, c.descriptor);
  return outcome(c, expected, everywhere);
}

template <class T>
Outcome<T> syr2k(Dice& dice, const Grid& grid, int most) {
  const int n = dice.below(most), k = dice.below(most);
  const char uplo = dice.of("LU"), op = dice.of("NT");
  const T alpha = element<T>(dice), beta = element<T>(dice);
  auto a = matrix<T>(dice, grid, any_shape(dice, grid), op == 'N' ? n : k, op == 'N' ? k : n);
  auto b = matrix<T>(dice, grid, any_shape(dice, grid), op == 'N' ? n : k, op == 'N' ? k : n);
  auto c = matrix<T>(dice, grid, any_shape(dice, grid), n, n);
  distribute(a), distribute(b), distribute(c);
  std::vector<T> expected = c.whole;
  blas_syr2k(uplo, op, n, k, alpha, a.whole.data(), a.leading(), b.whole.data(), b.leading(), beta,
             expected.data(), c.leading());
  psyr2k(&uplo, &op, &n, &k, &alpha, a.local.data(), &a.i, &a.j, a.descriptor, b.local.data(), &b.i,
         &b.j, b.descriptor, &beta, c.local.data(), &c.i, &c.j, c.descriptor);
  return outcome(c, expected, in_triangle(uplo));
}

// Both halves of a Hermitian matrix from one; its diagonal is real.
template <class T>
void complete(char uplo, Matrix<T>& a) {
  for (int c = 0; c < a.columns; ++c) {
    a.at(c, c) = std::real(a.at(c, c));
    for (int r = 0; r < c; ++r) {
      (uplo == 'L' ? a.at(r, c) : a.at(c, r)) = conjugate(uplo == 'L' ? a.at(c, r) : a.at(r, c));
    }
  }
}

// P?HEMM against a product of the whole matrix.
template <class T>
Outcome<T> hermitian_product(Dice& dice, const Grid& grid, int most) {
  const int m = dice.below(most), n = dice.below(most);
  const char side = dice.of("LR"), uplo = dice.of("LU");
  const T alpha = element<T>(dice), beta = element<T>(dice);
  auto a = matrix<T>(dice, grid, any_shape(dice, grid), side == 'L' ? m : n, side == 'L' ? m : n);
  auto b = matrix<T>(dice, grid, any_shape(dice, grid), m, n);
  auto c = matrix<T>(dice, grid, any_shape(dice, grid), m, n);
  distribute(a), distribute(b), distribute(c);
  complete(uplo, a);
  std::vector<T> expected = c.whole;
  const Matrix<T>& left = side == 'L' ? a : b;
  const Matrix<T>& right = side == 'L' ? b : a;
  blas_gemm('N', 'N', m, n, left.columns, alpha, left.whole.data(), left.leading(),
            right.whole.data(), right.leading(), beta, expected.data(), c.leading());
  phemm(&side, &uplo, &m, &n, &alpha, a.local.data(), &a.i, &a.j, a.descriptor, b.local.data(),
        &b.i, &b.j, b.descriptor, &beta, c.local.data(), &c.i, &c.j, c.descriptor);
  return outcome(c, expected, everywhere);
}

// P?HERK and P?HER2K against products of the whole matrices.
template <class T>
Outcome<T> hermitian_update(bool two, Dice& dice, const Grid& grid, int most) {
  const int n = dice.below(most), k = dice.below(most);
  const char uplo = dice.of("LU"), op = dice.of("NC");
  const char other = op == 'N' ? 'C' : 'N';
  const auto beta = std::real(element<T>(dice));
  const T alpha = two ? element<T>(dice) : T(std::real(element<T>(dice)));
  auto a = matrix<T>(dice, grid, any_shape(dice, grid), op == 'N' ? n : k, op == 'N' ? k : n);
  auto b = matrix<T>(dice, grid, any_shape(dice, grid), op == 'N' ? n : k, op == 'N' ? k : n);
  auto c = matrix<T>(dice, grid, any_shape(dice, grid), n, n);
  complete(uplo, c);
  distribute(a), distribute(b), distribute(c);
  std::vector<T> expected = c.whole;
  const std::vector<T>& second = two ? b.whole : a.whole;
  blas_gemm(op, other, n, n, k, alpha, a.whole.data(), a.leading(), second.data(), a.leading(),
            T(beta), expected.data(), c.leading());
  if (two) {
    blas_gemm(op, other, n, n, k, conjugate(alpha), b.whole.data(), b.leading(), a.whole.data(),
              a.leading(), T(1), expected.data(), c.leading());
    pher2k(&uplo, &op, &n, &k, &alpha, a.local.data(), &a.i, &a.j, a.descriptor, b.local.data(),
           &b.i, &b.j, b.descriptor, &beta, c.local.data(), &c.i, &c.j, c.descriptor);
  } else {
    const auto real_alpha = std::real(alpha);
    pherk(&uplo, &op, &n, &k, &real_alpha, a.local.data(), &a.i, &a.j, a.descriptor, &beta,
          c.local.data(), &c.i, &c.j, c.descriptor);
  }
  return outcome(c, expected, in_triangle(uplo));
}

// Of real elements P?SYR2K, which is the same there.
template <class T>
Outcome<T> hermitian(Dice& dice, const Grid& grid, int most) {
  if constexpr (std::is_floating_point_v<T>) {
    return syr2k<T>(dice, grid, most);
  } else {
    const int what = dice.below(3);
    if (what == 0) return hermitian_product<T>(dice, grid, most);
    return hermitian_update<T>(what == 1, dice, grid, most);
  }
}

}  // namespace random_calls
