// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/blas/blas.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <type_traits>
#include <vector>

#include "comm/number.hpp"
#include "comm/recorder.hpp"
#include "redblue/error.hpp"

extern "C" {
// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define REDBLUE_GEMM(name, type)                                                              \
  void name(const char* transa, const char* transb, const int* m, const int* n, const int* k, \
            const type* alpha, const type* a, const int* lda, const type* b, const int* ldb,  \
            const type* beta, type* c, const int* ldc)
// NOLINTEND(bugprone-macro-parentheses)
REDBLUE_GEMM(sgemm_, float);
REDBLUE_GEMM(dgemm_, double);
REDBLUE_GEMM(cgemm_, std::complex<float>);
REDBLUE_GEMM(zgemm_, std::complex<double>);
#undef REDBLUE_GEMM
// NOLINTBEGIN(bugprone-macro-parentheses)
#define REDBLUE_VECTOR(letter, type)                                                      \
  void letter##gemv_(const char* trans, const int* m, const int* n, const type* alpha,    \
                     const type* a, const int* lda, const type* x, const int* incx,       \
                     const type* beta, type* y, const int* incy);                         \
  void letter##trsv_(const char* uplo, const char* trans, const char* diag, const int* n, \
                     const type* a, const int* lda, type* x, const int* incx);
REDBLUE_VECTOR(s, float)
REDBLUE_VECTOR(d, double)
REDBLUE_VECTOR(c, std::complex<float>)
REDBLUE_VECTOR(z, std::complex<double>)
#undef REDBLUE_VECTOR
#define REDBLUE_RANK_K(name, type, real)                                                        \
  void name(const char* uplo, const char* trans, const int* n, const int* k, const real* alpha, \
            const type* a, const int* lda, const real* beta, type* c, const int* ldc)
#define REDBLUE_RANK_2K(name, type, real)                                                       \
  void name(const char* uplo, const char* trans, const int* n, const int* k, const type* alpha, \
            const type* a, const int* lda, const type* b, const int* ldb, const real* beta,     \
            type* c, const int* ldc)
// NOLINTEND(bugprone-macro-parentheses)
REDBLUE_RANK_K(ssyrk_, float, float);
REDBLUE_RANK_K(dsyrk_, double, double);
REDBLUE_RANK_K(csyrk_, std::complex<float>, std::complex<float>);
REDBLUE_RANK_K(zsyrk_, std::complex<double>, std::complex<double>);
REDBLUE_RANK_K(cherk_, std::complex<float>, float);
REDBLUE_RANK_K(zherk_, std::complex<double>, double);
REDBLUE_RANK_2K(ssyr2k_, float, float);
REDBLUE_RANK_2K(dsyr2k_, double, double);
REDBLUE_RANK_2K(csyr2k_, std::complex<float>, std::complex<float>);
REDBLUE_RANK_2K(zsyr2k_, std::complex<double>, std::complex<double>);
REDBLUE_RANK_2K(cher2k_, std::complex<float>, float);
REDBLUE_RANK_2K(zher2k_, std::complex<double>, double);
#undef REDBLUE_RANK_K
#undef REDBLUE_RANK_2K
void openblas_set_num_threads(int threads) __attribute__((weak));
}

namespace redblue::blas {

namespace {

constexpr auto gemm_of(float) {
  return sgemm_;
}
constexpr auto gemm_of(double) {
  return dgemm_;
}
constexpr auto gemm_of(std::complex<float>) {
  return cgemm_;
}
constexpr auto gemm_of(std::complex<double>) {
  return zgemm_;
}

// The routines of an element type; a real one's hermitian updates are its symmetric ones.
template <class T>
struct Routines;
template <>
struct Routines<float> {
  static constexpr auto syrk = ssyrk_, herk = ssyrk_;
  static constexpr auto syr2k = ssyr2k_, her2k = ssyr2k_;
  static constexpr auto gemv = sgemv_;
  static constexpr auto trsv = strsv_;
};
template <>
struct Routines<double> {
  static constexpr auto syrk = dsyrk_, herk = dsyrk_;
  static constexpr auto syr2k = dsyr2k_, her2k = dsyr2k_;
  static constexpr auto gemv = dgemv_;
  static constexpr auto trsv = dtrsv_;
};
template <>
struct Routines<std::complex<float>> {
  static constexpr auto syrk = csyrk_;
  static constexpr auto herk = cherk_;
  static constexpr auto syr2k = csyr2k_;
  static constexpr auto her2k = cher2k_;
  static constexpr auto gemv = cgemv_;
  static constexpr auto trsv = ctrsv_;
};
template <>
struct Routines<std::complex<double>> {
  static constexpr auto syrk = zsyrk_;
  static constexpr auto herk = zherk_;
  static constexpr auto syr2k = zsyr2k_;
  static constexpr auto her2k = zher2k_;
  static constexpr auto gemv = zgemv_;
  static constexpr auto trsv = ztrsv_;
};

}  // namespace

template <class T>
void record(double real_flops, std::int64_t words) {
  // a complex multiplication and addition are four of each
  constexpr double per_flop = std::is_floating_point_v<T> ? 1 : 4;
  if (comm::Recorder* r = comm::recorder()) {
    r->computed(per_flop * real_flops, static_cast<double>(words) * sizeof(T) / sizeof(double));
  }
}

template void record<float>(double, std::int64_t);
template void record<double>(double, std::int64_t);
template void record<std::complex<float>>(double, std::int64_t);
template void record<std::complex<double>>(double, std::int64_t);

int narrowed(std::int64_t size) {
  if (size > std::numeric_limits<int>::max()) {
    throw Error("a local matrix dimension of " + std::to_string(size), "BLAS counts to 2147483647",
                "use more ranks");
  }
  return static_cast<int>(size);
}

template <class T>
void gemm(std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const Factor<T>& a,
          const Factor<T>& b, T beta, T* c, std::int64_t ldc) {
  if (m == 0 || n == 0) return;
  record<T>(2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k),
            k * (m + n) + 2 * m * n);
  const int sizes[] = {narrowed(m), narrowed(n), narrowed(k)};
  const int leading[] = {narrowed(std::max<std::int64_t>(1, a.leading)),
                         narrowed(std::max<std::int64_t>(1, b.leading)),
                         narrowed(std::max<std::int64_t>(1, ldc))};
  gemm_of(T{})(&a.op, &b.op, &sizes[0], &sizes[1], &sizes[2], &alpha, a.data, &leading[0], b.data,
               &leading[1], &beta, c, &leading[2]);
}

template void gemm(std::int64_t, std::int64_t, std::int64_t, float, const Factor<float>&,
                   const Factor<float>&, float, float*, std::int64_t);
template void gemm(std::int64_t, std::int64_t, std::int64_t, double, const Factor<double>&,
                   const Factor<double>&, double, double*, std::int64_t);
template void gemm(std::int64_t, std::int64_t, std::int64_t, std::complex<float>,
                   const Factor<std::complex<float>>&, const Factor<std::complex<float>>&,
                   std::complex<float>, std::complex<float>*, std::int64_t);
template void gemm(std::int64_t, std::int64_t, std::int64_t, std::complex<double>,
                   const Factor<std::complex<double>>&, const Factor<std::complex<double>>&,
                   std::complex<double>, std::complex<double>*, std::int64_t);

template <class T>
void gemv(std::int64_t m, std::int64_t n, T alpha, const Factor<T>& a, const T* x, T beta, T* y) {
  if (m == 0) return;
  const bool as_stored = a.op == 'N';
  const int rows = narrowed(as_stored ? m : n);
  const int columns = narrowed(as_stored ? n : m);
  const int leading = narrowed(std::max<std::int64_t>(1, a.leading));
  const int one = 1;
  Routines<T>::gemv(&a.op, &rows, &columns, &alpha, a.data, &leading, x, &one, &beta, y, &one);
}

template <class T>
void trsv(char half, const Factor<T>& a, bool unit, std::int64_t n, T* x) {
  if (n == 0) return;
  const int size = narrowed(n);
  const int leading = narrowed(std::max<std::int64_t>(1, a.leading));
  const int one = 1;
  Routines<T>::trsv(&half, &a.op, unit ? "U" : "N", &size, a.data, &leading, x, &one);
}

template <class T>
void rank_k(bool hermitian, char half, std::int64_t n, std::int64_t k, T alpha, const Factor<T>& a,
            T beta, T* c, std::int64_t ldc) {
  if (n == 0) return;
  record<T>(static_cast<double>(n) * static_cast<double>(n + 1) * static_cast<double>(k),
            n * k + n * (n + 1));
  const int sizes[] = {narrowed(n), narrowed(k)};
  const int leading[] = {narrowed(std::max<std::int64_t>(1, a.leading)),
                         narrowed(std::max<std::int64_t>(1, ldc))};
  if (hermitian) {
    const auto real_alpha = std::real(alpha);
    const auto real_beta = std::real(beta);
    Routines<T>::herk(&half, &a.op, &sizes[0], &sizes[1], &real_alpha, a.data, &leading[0],
                      &real_beta, c, &leading[1]);
  } else {
    Routines<T>::syrk(&half, &a.op, &sizes[0], &sizes[1], &alpha, a.data, &leading[0], &beta, c,
                      &leading[1]);
  }
}

template <class T>
void rank_2k(bool hermitian, char half, std::int64_t n, std::int64_t k, T alpha, const Factor<T>& a,
             const Factor<T>& b, T beta, T* c, std::int64_t ldc) {
  if (n == 0) return;
  record<T>(2.0 * static_cast<double>(n) * static_cast<double>(n + 1) * static_cast<double>(k),
            2 * n * k + n * (n + 1));
  const int sizes[] = {narrowed(n), narrowed(k)};
  const int leading[] = {narrowed(std::max<std::int64_t>(1, a.leading)),
                         narrowed(std::max<std::int64_t>(1, b.leading)),
                         narrowed(std::max<std::int64_t>(1, ldc))};
  if (hermitian) {
    const auto real_beta = std::real(beta);
    Routines<T>::her2k(&half, &a.op, &sizes[0], &sizes[1], &alpha, a.data, &leading[0], b.data,
                       &leading[1], &real_beta, c, &leading[2]);
  } else {
    Routines<T>::syr2k(&half, &a.op, &sizes[0], &sizes[1], &alpha, a.data, &leading[0], b.data,
                       &leading[1], &beta, c, &leading[2]);
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define REDBLUE_INSTANTIATE(T)                                                             \
  template void rank_k(bool, char, std::int64_t, std::int64_t, T, const Factor<T>&, T, T*, \
                       std::int64_t);                                                      \
  template void rank_2k(bool, char, std::int64_t, std::int64_t, T, const Factor<T>&,       \
                        const Factor<T>&, T, T*, std::int64_t);                            \
  template void gemv(std::int64_t, std::int64_t, T, const Factor<T>&, const T*, T, T*);    \
  template void trsv(char, const Factor<T>&, bool, std::int64_t, T*);
// NOLINTEND(bugprone-macro-parentheses)
REDBLUE_FOR_ALL_NUMBERS(REDBLUE_INSTANTIATE)
#undef REDBLUE_INSTANTIATE

template <class T>
void warm_up() {
  constexpr std::int64_t n = 64;
  const std::vector<T> x(n * n, T(1));
  std::vector<T> y(n * n);
  gemm<T>(n, n, n, T(1), {x.data(), n}, {x.data(), n}, T(0), y.data(), n);
}

template void warm_up<float>();
template void warm_up<double>();
template void warm_up<std::complex<float>>();
template void warm_up<std::complex<double>>();

void use_one_thread() {
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
}

}  // namespace redblue::blas
