// SPDX-License-Identifier: BSD-3-Clause
// The one place that calls BLAS, through its standard symbols.
#pragma once

#include <cstdint>

namespace redblue::blas {

// The size as BLAS takes it. Throws Error above 2^31 - 1.
int narrowed(std::int64_t size);

// Tells a recorder, where there is one, of work that is done now: flops as of real numbers, and
// words of T read and written, each once.
template <class T>
void record(double real_flops, std::int64_t words);

// A column-major factor: op(X), X stored with leading dimension `leading` (elements); op is 'N',
// 'T' or 'C'.
template <class T>
struct Factor {
  const T* data;
  std::int64_t leading;
  char op = 'N';
};

// C = alpha op(A) op(B) + beta C, column-major; C is m x n, op(A) m x k. C is not read when beta is
// 0. Nothing happens when m or n is 0. Throws Error for a dimension above 2^31 - 1. T: float,
// double and std::complex of them.
template <class T>
void gemm(std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const Factor<T>& a,
          const Factor<T>& b, T beta, T* c, std::int64_t ldc);

// y = alpha op(A) x + beta y, op(A) m x n.
template <class T>
void gemv(std::int64_t m, std::int64_t n, T alpha, const Factor<T>& a, const T* x, T beta, T* y);

// x = op(A)^-1 x, A the lower ('L') or upper ('U') half of an n x n matrix; `unit`: ones on its
// diagonal, which is not read then.
template <class T>
void trsv(char half, const Factor<T>& a, bool unit, std::int64_t n, T* x);

// The lower ('L') or upper ('U') half of C = alpha A A' + beta C, C n x n, A n x k; ' is the
// transpose, or, of complex numbers and where hermitian, the conjugate transpose (alpha and beta
// are real then).
template <class T>
void rank_k(bool hermitian, char half, std::int64_t n, std::int64_t k, T alpha, const Factor<T>& a,
            T beta, T* c, std::int64_t ldc);

// A half of C = alpha A B' + alpha B A' + beta C (the second alpha conjugated where
// hermitian); A and B have the same op.
template <class T>
void rank_2k(bool hermitian, char half, std::int64_t n, std::int64_t k, T alpha, const Factor<T>& a,
             const Factor<T>& b, T beta, T* c, std::int64_t ldc);

// Runs BLAS once, so that its own set-up is not part of the first multiplication.
template <class T>
void warm_up();

// Makes a threaded BLAS compute with one thread per rank where it offers a switch (OpenBLAS).
void use_one_thread();

}  // namespace redblue::blas
