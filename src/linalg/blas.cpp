#include "linalg/blas.hpp"

#include <algorithm>
#include <limits>

#include "redblue/error.hpp"

extern "C" {
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
            const double* beta, double* c, const int* ldc);
void openblas_set_num_threads(int threads) __attribute__((weak));
}

namespace redblue::blas {

namespace {

int narrowed(std::int64_t size) {
  if (size > std::numeric_limits<int>::max()) {
    throw Error("a local matrix dimension of " + std::to_string(size), "BLAS counts to 2147483647",
                "use more ranks");
  }
  return static_cast<int>(size);
}

}  // namespace

void gemm(std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const double* a,
          std::int64_t lda, const double* b, std::int64_t ldb, double beta, double* c,
          std::int64_t ldc) {
  if (m == 0 || n == 0) return;
  const int sizes[] = {narrowed(m), narrowed(n), narrowed(k)};
  const int leading[] = {narrowed(std::max<std::int64_t>(1, lda)),
                         narrowed(std::max<std::int64_t>(1, ldb)),
                         narrowed(std::max<std::int64_t>(1, ldc))};
  dgemm_("N", "N", &sizes[0], &sizes[1], &sizes[2], &alpha, a, &leading[0], b, &leading[1], &beta,
         c, &leading[2]);
}

void use_one_thread() {
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
}

}  // namespace redblue::blas
