// The one place that calls BLAS, through its standard symbols.
#pragma once

#include <cstdint>

namespace redblue::blas {

// C = alpha A B + beta C, column-major; C is m x n, leading dimensions in elements. C is not read
// when beta is 0. Nothing happens when m or n is 0. Throws Error for a dimension above 2^31 - 1.
void gemm(std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const double* a,
          std::int64_t lda, const double* b, std::int64_t ldb, double beta, double* c,
          std::int64_t ldc);

// Makes a threaded BLAS compute with one thread per rank where it offers a switch (OpenBLAS).
void use_one_thread();

}  // namespace redblue::blas
