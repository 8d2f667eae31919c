// SPDX-License-Identifier: BSD-3-Clause
// ScaLAPACK's, BLAS's and LAPACK's names as functions of any type, for random_calls.cpp.
#pragma once

#include <complex>

using I = const int*;
using L = const char*;

inline float conjugate(float x) {
  return x;
}
inline double conjugate(double x) {
  return x;
}
template <class R>
std::complex<R> conjugate(std::complex<R> x) {
  return std::conj(x);
}

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
}

// NOLINTBEGIN(bugprone-macro-parentheses): types
#define INTERFACES(t, T)                                                                           \
  extern "C" {                                                                                     \
  void p##t##gemm_(L, L, I, I, I, const T*, const T*, I, I, I, const T*, I, I, I, const T*, T*, I, \
                   I, I);                                                                          \
  void p##t##symm_(L, L, I, I, const T*, const T*, I, I, I, const T*, I, I, I, const T*, T*, I, I, \
                   I);                                                                             \
  void p##t##syrk_(L, L, I, I, const T*, const T*, I, I, I, const T*, T*, I, I, I);                \
  void p##t##trsm_(L, L, L, L, I, I, const T*, const T*, I, I, I, T*, I, I, I);                    \
  void p##t##trmm_(L, L, L, L, I, I, const T*, const T*, I, I, I, T*, I, I, I);                    \
  void p##t##trtri_(L, L, I, T*, I, I, I, int*);                                                   \
  void p##t##potri_(L, I, T*, I, I, I, int*);                                                      \
  void p##t##lauum_(L, I, T*, I, I, I);                                                            \
  void t##trmm_(L, L, L, L, I, I, const T*, const T*, I, T*, I);                                   \
  void t##trti2_(L, L, I, T*, I, int*);                                                            \
  void p##t##potrf_(L, I, T*, I, I, I, int*);                                                      \
  void p##t##getrf_(I, I, T*, I, I, I, int*, int*);                                                \
  void p##t##potrs_(L, I, I, const T*, I, I, I, T*, I, I, I, int*);                                \
  void p##t##gemr2d_(I, I, const T*, I, I, I, T*, I, I, I, I);                                     \
  void t##gemm_(L, L, I, I, I, const T*, const T*, I, const T*, I, const T*, T*, I);               \
  void t##symm_(L, L, I, I, const T*, const T*, I, const T*, I, const T*, T*, I);                  \
  void t##syrk_(L, L, I, I, const T*, const T*, I, const T*, T*, I);                               \
  void t##trsm_(L, L, L, L, I, I, const T*, const T*, I, T*, I);                                   \
  void t##potrf_(L, I, T*, I, int*);                                                               \
  void t##getrf_(I, I, T*, I, int*, int*);                                                         \
  void t##potrs_(L, I, I, const T*, I, T*, I, int*);                                               \
  }                                                                                                \
  inline void pgemm(L ta, L tb, I m, I n, I k, const T* alpha, const T* a, I ia, I ja, I da,       \
                    const T* b, I ib, I jb, I db, const T* beta, T* c, I ic, I jc, I dc) {         \
    p##t##gemm_(ta, tb, m, n, k, alpha, a, ia, ja, da, b, ib, jb, db, beta, c, ic, jc, dc);        \
  }                                                                                                \
  inline void psymm(L side, L uplo, I m, I n, const T* alpha, const T* a, I ia, I ja, I da,        \
                    const T* b, I ib, I jb, I db, const T* beta, T* c, I ic, I jc, I dc) {         \
    p##t##symm_(side, uplo, m, n, alpha, a, ia, ja, da, b, ib, jb, db, beta, c, ic, jc, dc);       \
  }                                                                                                \
  inline void psyrk(L uplo, L trans, I n, I k, const T* alpha, const T* a, I ia, I ja, I da,       \
                    const T* beta, T* c, I ic, I jc, I dc) {                                       \
    p##t##syrk_(uplo, trans, n, k, alpha, a, ia, ja, da, beta, c, ic, jc, dc);                     \
  }                                                                                                \
  inline void ptrsm(L side, L uplo, L trans, L diag, I m, I n, const T* alpha, const T* a, I ia,   \
                    I ja, I da, T* b, I ib, I jb, I db) {                                          \
    p##t##trsm_(side, uplo, trans, diag, m, n, alpha, a, ia, ja, da, b, ib, jb, db);               \
  }                                                                                                \
  inline void ptrmm(L side, L uplo, L trans, L diag, I m, I n, const T* alpha, const T* a, I ia,   \
                    I ja, I da, T* b, I ib, I jb, I db) {                                          \
    p##t##trmm_(side, uplo, trans, diag, m, n, alpha, a, ia, ja, da, b, ib, jb, db);               \
  }                                                                                                \
  inline void ptrtri(L uplo, L diag, I n, T* a, I ia, I ja, I da, int* info) {                     \
    p##t##trtri_(uplo, diag, n, a, ia, ja, da, info);                                              \
  }                                                                                                \
  inline void ppotri(L uplo, I n, T* a, I ia, I ja, I da, int* info) {                             \
    p##t##potri_(uplo, n, a, ia, ja, da, info);                                                    \
  }                                                                                                \
  inline void plauum(L uplo, I n, T* a, I ia, I ja, I da) {                                        \
    p##t##lauum_(uplo, n, a, ia, ja, da);                                                          \
  }                                                                                                \
  inline void blas_trmm(char side, char uplo, char trans, char diag, int m, int n, T alpha,        \
                        const T* a, int la, T* b, int lb) {                                        \
    t##trmm_(&side, &uplo, &trans, &diag, &m, &n, &alpha, a, &la, b, &lb);                         \
  }                                                                                                \
  inline void lapack_trti2(char uplo, char diag, int n, T* a, int la, int* info) {                 \
    t##trti2_(&uplo, &diag, &n, a, &la, info);                                                     \
  }                                                                                                \
  inline void ppotrf(L uplo, I n, T* a, I ia, I ja, I da, int* info) {                             \
    p##t##potrf_(uplo, n, a, ia, ja, da, info);                                                    \
  }                                                                                                \
  inline void pgetrf(I m, I n, T* a, I ia, I ja, I da, int* pivots, int* info) {                   \
    p##t##getrf_(m, n, a, ia, ja, da, pivots, info);                                               \
  }                                                                                                \
  inline void ppotrs(L uplo, I n, I sides, const T* a, I ia, I ja, I da, T* b, I ib, I jb, I db,   \
                     int* info) {                                                                  \
    p##t##potrs_(uplo, n, sides, a, ia, ja, da, b, ib, jb, db, info);                              \
  }                                                                                                \
  inline void pgemr2d(I m, I n, const T* a, I ia, I ja, I da, T* b, I ib, I jb, I db, I context) { \
    p##t##gemr2d_(m, n, a, ia, ja, da, b, ib, jb, db, context);                                    \
  }                                                                                                \
  inline void blas_gemm(char ta, char tb, int m, int n, int k, T alpha, const T* a, int la,        \
                        const T* b, int lb, T beta, T* c, int lc) {                                \
    t##gemm_(&ta, &tb, &m, &n, &k, &alpha, a, &la, b, &lb, &beta, c, &lc);                         \
  }                                                                                                \
  inline void blas_symm(char side, char uplo, int m, int n, T alpha, const T* a, int la,           \
                        const T* b, int lb, T beta, T* c, int lc) {                                \
    t##symm_(&side, &uplo, &m, &n, &alpha, a, &la, b, &lb, &beta, c, &lc);                         \
  }                                                                                                \
  inline void blas_syrk(char uplo, char trans, int n, int k, T alpha, const T* a, int la, T beta,  \
                        T* c, int lc) {                                                            \
    t##syrk_(&uplo, &trans, &n, &k, &alpha, a, &la, &beta, c, &lc);                                \
  }                                                                                                \
  inline void blas_trsm(char side, char uplo, char trans, char diag, int m, int n, T alpha,        \
                        const T* a, int la, T* b, int lb) {                                        \
    t##trsm_(&side, &uplo, &trans, &diag, &m, &n, &alpha, a, &la, b, &lb);                         \
  }                                                                                                \
  inline void lapack_potrf(char uplo, int n, T* a, int la, int* info) {                            \
    t##potrf_(&uplo, &n, a, &la, info);                                                            \
  }                                                                                                \
  inline void lapack_getrf(int m, int n, T* a, int la, int* pivots, int* info) {                   \
    t##getrf_(&m, &n, a, &la, pivots, info);                                                       \
  }                                                                                                \
  inline void lapack_potrs(char uplo, int n, int sides, const T* a, int la, T* b, int lb,          \
                           int* info) {                                                            \
    t##potrs_(&uplo, &n, &sides, a, &la, b, &lb, info);                                            \
  }
// NOLINTEND(bugprone-macro-parentheses)

INTERFACES(s, float)
INTERFACES(d, double)
INTERFACES(c, std::complex<float>)
INTERFACES(z, std::complex<double>)
#undef INTERFACES
