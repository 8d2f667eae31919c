#include "linalg/blas.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <vector>

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

int narrowed(std::int64_t size) {
  if (size > std::numeric_limits<int>::max()) {
    throw Error("a local matrix dimension of " + std::to_string(size), "BLAS counts to 2147483647",
                "use more ranks");
  }
  return static_cast<int>(size);
}

}  // namespace

template <class T>
void gemm(std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const Factor<T>& a,
          const Factor<T>& b, T beta, T* c, std::int64_t ldc) {
  if (m == 0 || n == 0) return;
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
