// SPDX-License-Identifier: BSD-3-Clause
// The one place that calls LAPACK, through its standard symbols, and what BLAS does with triangles.
// Matrices are column-major; T: float, double and std::complex of them. Throws Error for a
// dimension above 2^31 - 1.
#pragma once

#include <cstdint>
#include <vector>

namespace redblue::lapack {

// A = L L' in the lower triangle ('L'), or A = U' U in the upper one ('U'). Returns 0 or the order
// of the leading minor that is not positive.
template <class T>
std::int64_t cholesky(char triangle, std::int64_t n, T* a, std::int64_t leading);

// P A = L U with partial pivoting; pivots[i] is the row, counted from 0, exchanged with row i.
// Returns 0 or one plus the index of the first zero on U's diagonal.
template <class T>
std::int64_t lu(std::int64_t rows, std::int64_t columns, T* a, std::int64_t leading,
                std::vector<int>& pivots);

// A = Q R of at least as many rows as columns: R in the upper triangle, Householder vectors below
// it, and in the upper triangle of `t`, as large as R, T with Q = I - V T V'.
template <class T>
void householder(std::int64_t rows, std::int64_t columns, T* a, std::int64_t leading, T* t,
                 std::int64_t leading_t);

enum class Side : char { left = 'L', right = 'R' };

struct TriangularForm {
  Side side = Side::left;
  char triangle = 'L';  // or 'U'
  char op = 'N';        // or 'T', 'C'
  bool unit = false;    // ones on the diagonal, not read
};

// B = op(A)^-1 B (left) or B op(A)^-1 (right), B rows x columns.
template <class T>
void solve(const TriangularForm& form, std::int64_t rows, std::int64_t columns, const T* a,
           std::int64_t leading_a, T* b, std::int64_t leading_b);

// B = op(A) B (left) or B op(A) (right), B rows x columns.
template <class T>
void multiply(const TriangularForm& form, std::int64_t rows, std::int64_t columns, const T* a,
              std::int64_t leading_a, T* b, std::int64_t leading_b);

}  // namespace redblue::lapack
