// SPDX-License-Identifier: BSD-3-Clause
// More of ScaLAPACK's and LAPACK's names as functions of any type, for random_orthogonal.hpp.
#pragma once

#include <complex>
#include <type_traits>

#include "scalapack/random_calls_interfaces.hpp"

// Integers for real elements, real numbers for complex ones: the second workspace.
template <class T>
using Second = std::conditional_t<std::is_floating_point_v<T>, int, decltype(std::abs(T{}))>;

// NOLINTBEGIN(bugprone-macro-parentheses): types
#define INTERFACES(t, T, R, S, o, sy)                                                              \
  extern "C" {                                                                                     \
  void p##t##geqrf_(I, I, T*, I, I, I, T*, T*, I, int*);                                           \
  void p##t##gelqf_(I, I, T*, I, I, I, T*, T*, I, int*);                                           \
  void p##t##o##gqr_(I, I, I, T*, I, I, I, const T*, T*, I, int*);                                 \
  void p##t##o##glq_(I, I, I, T*, I, I, I, const T*, T*, I, int*);                                 \
  void p##t##o##mqr_(L, L, I, I, I, const T*, I, I, I, const T*, T*, I, I, I, T*, I, int*);        \
  void p##t##o##mlq_(L, L, I, I, I, const T*, I, I, I, const T*, T*, I, I, I, T*, I, int*);        \
  void p##t##porfs_(L, I, I, const T*, I, I, I, const T*, I, I, I, const T*, I, I, I, T*, I, I, I, \
                    R*, R*, T*, I, S*, I, int*);                                                   \
  void p##t##gerfs_(L, I, I, const T*, I, I, I, const T*, I, I, I, I, const T*, I, I, I, T*, I, I, \
                    I, R*, R*, T*, I, S*, I, int*);                                                \
  void p##t##pocon_(L, I, const T*, I, I, I, const R*, R*, T*, I, S*, I, int*);                    \
  void p##t##gecon_(L, I, const T*, I, I, I, const R*, R*, T*, I, S*, I, int*);                    \
  void p##t##sy##gst_(I, L, I, T*, I, I, I, const T*, I, I, I, R*, int*);                          \
  void t##geqrf_(I, I, T*, I, T*, T*, I, int*);                                                    \
  void t##gelqf_(I, I, T*, I, T*, T*, I, int*);                                                    \
  void t##o##gqr_(I, I, I, T*, I, const T*, T*, I, int*);                                          \
  void t##o##glq_(I, I, I, T*, I, const T*, T*, I, int*);                                          \
  void t##o##mqr_(L, L, I, I, I, const T*, I, const T*, T*, I, T*, I, int*);                       \
  void t##o##mlq_(L, L, I, I, I, const T*, I, const T*, T*, I, T*, I, int*);                       \
  void t##pocon_(L, I, const T*, I, const R*, R*, T*, S*, int*);                                   \
  void t##gecon_(L, I, const T*, I, const R*, R*, T*, S*, int*);                                   \
  void t##getrs_(L, I, I, const T*, I, const int*, T*, I, int*);                                   \
  void t##sy##gst_(I, L, I, T*, I, const T*, I, int*);                                             \
  }                                                                                                \
  inline void pfactor(bool rows, I m, I n, T* a, I ia, I ja, I da, T* tau, T* work, I size,        \
                      int* info) {                                                                 \
    (rows ? p##t##gelqf_ : p##t##geqrf_)(m, n, a, ia, ja, da, tau, work, size, info);              \
  }                                                                                                \
  inline void pform(bool rows, I m, I n, I k, T* a, I ia, I ja, I da, const T* tau, T* work,       \
                    I size, int* info) {                                                           \
    (rows ? p##t##o##glq_ : p##t##o##gqr_)(m, n, k, a, ia, ja, da, tau, work, size, info);         \
  }                                                                                                \
  inline void pmultiply(bool rows, L side, L trans, I m, I n, I k, const T* a, I ia, I ja, I da,   \
                        const T* tau, T* c, I ic, I jc, I dc, T* work, I size, int* info) {        \
    (rows ? p##t##o##mlq_ : p##t##o##mqr_)(side, trans, m, n, k, a, ia, ja, da, tau, c, ic, jc,    \
                                           dc, work, size, info);                                  \
  }                                                                                                \
  inline void pporfs(L uplo, I n, I sides, const T* a, I ia, I ja, I da, const T* f, I jf, I kf,   \
                     I df, const T* b, I ib, I jb, I db, T* x, I ix, I jx, I dx, R* forward,       \
                     R* backward, T* work, I size, S* second, I second_size, int* info) {          \
    p##t##porfs_(uplo, n, sides, a, ia, ja, da, f, jf, kf, df, b, ib, jb, db, x, ix, jx, dx,       \
                 forward, backward, work, size, second, second_size, info);                        \
  }                                                                                                \
  inline void pgerfs(L trans, I n, I sides, const T* a, I ia, I ja, I da, const T* f, I jf, I kf,  \
                     I df, I pivots, const T* b, I ib, I jb, I db, T* x, I ix, I jx, I dx,         \
                     R* forward, R* backward, T* work, I size, S* second, I second_size,           \
                     int* info) {                                                                  \
    p##t##gerfs_(trans, n, sides, a, ia, ja, da, f, jf, kf, df, pivots, b, ib, jb, db, x, ix, jx,  \
                 dx, forward, backward, work, size, second, second_size, info);                    \
  }                                                                                                \
  inline void pcondition(bool definite, L letter, I n, const T* a, I ia, I ja, I da,               \
                         const R* norm, R* result, T* work, I size, S* second, I second_size,      \
                         int* info) {                                                              \
    (definite ? p##t##pocon_ : p##t##gecon_)(letter, n, a, ia, ja, da, norm, result, work, size,   \
                                             second, second_size, info);                           \
  }                                                                                                \
  inline void psygst(I type, L uplo, I n, T* a, I ia, I ja, I da, const T* b, I ib, I jb, I db,    \
                     R* scale, int* info) {                                                        \
    p##t##sy##gst_(type, uplo, n, a, ia, ja, da, b, ib, jb, db, scale, info);                      \
  }                                                                                                \
  inline void lapack_factor(bool rows, int m, int n, T* a, int la, T* tau, T* work, int size,      \
                            int* info) {                                                           \
    (rows ? t##gelqf_ : t##geqrf_)(&m, &n, a, &la, tau, work, &size, info);                        \
  }                                                                                                \
  inline void lapack_form(bool rows, int m, int n, int k, T* a, int la, const T* tau, T* work,     \
                          int size, int* info) {                                                   \
    (rows ? t##o##glq_ : t##o##gqr_)(&m, &n, &k, a, &la, tau, work, &size, info);                  \
  }                                                                                                \
  inline void lapack_multiply(bool rows, char side, char trans, int m, int n, int k, const T* a,   \
                              int la, const T* tau, T* c, int lc, T* work, int size, int* info) {  \
    (rows ? t##o##mlq_ : t##o##mqr_)(&side, &trans, &m, &n, &k, a, &la, tau, c, &lc, work, &size,  \
                                     info);                                                        \
  }                                                                                                \
  inline void lapack_condition(bool definite, char letter, int n, const T* a, int la, R norm,      \
                               R* result, T* work, S* second, int* info) {                         \
    (definite ? t##pocon_ : t##gecon_)(&letter, &n, a, &la, &norm, result, work, second, info);    \
  }                                                                                                \
  inline void lapack_getrs(char trans, int n, int sides, const T* a, int la, const int* pivots,    \
                           T* b, int lb, int* info) {                                              \
    t##getrs_(&trans, &n, &sides, a, &la, pivots, b, &lb, info);                                   \
  }                                                                                                \
  inline void lapack_sygst(int type, char uplo, int n, T* a, int la, const T* b, int lb,           \
                           int* info) {                                                            \
    t##sy##gst_(&type, &uplo, &n, a, &la, b, &lb, info);                                           \
  }
// NOLINTEND(bugprone-macro-parentheses)

INTERFACES(s, float, float, int, or, sy)
INTERFACES(d, double, double, int, or, sy)
INTERFACES(c, std::complex<float>, float, float, un, he)
INTERFACES(z, std::complex<double>, double, double, un, he)
#undef INTERFACES
