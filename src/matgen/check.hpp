// SPDX-License-Identifier: BSD-3-Clause
// Reproducible test matrices and the checks of results against them, distributed: no rank ever
// holds more than its part and a few vectors.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/number.hpp"
#include "layout/arrangement.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "redblue/gemm.hpp"
#include "redblue/op.hpp"
#include "redblue/syrk_model.hpp"

namespace redblue::matgen {

// Element (row, column) of the random matrix `seed`, in [-1/2, 1/2); the same on every rank.
double random_element(std::uint64_t seed, std::int64_t row, std::int64_t column);

// Seeds of the random matrices A, B and C.
inline constexpr std::uint64_t seed_a = 1;
inline constexpr std::uint64_t seed_b = 2;
inline constexpr std::uint64_t seed_c = 9;

// The same of any type; the imaginary part is a random matrix of its own.
template <class T>
T random_number(std::uint64_t seed, std::int64_t row, std::int64_t column);

// An array of `words` with element(row, column) in these patches; what lies between them is not a
// number.
template <class T, class Element>
std::vector<T> array_of(const std::vector<layout::Patch>& patches, Words words, Element element) {
  using Real = decltype(std::abs(T{}));
  std::vector<T> values(static_cast<std::size_t>(words.value),
                        T(std::numeric_limits<Real>::quiet_NaN()));
  layout::for_each_element(patches, [&](std::int64_t row, std::int64_t column, std::int64_t place) {
    values[static_cast<std::size_t>(place)] = element(row, column);
  });
  return values;
}

// An array of `words` with these patches of the random matrix `seed`; what lies between them is not
// a number.
template <class T>
std::vector<T> random_array(const std::vector<layout::Patch>& patches, Words words,
                            std::uint64_t seed);

// This rank's part of the random matrix `seed`, in the plan's native layout.
template <class T>
std::vector<T> random_part(const GemmPlan<T>& plan, Operand operand, std::uint64_t seed);

struct Residual {
  double value = 0;  // max |(C - A B) x| / (k n eps max|A| max|B| max|x|), x random
  bool ok = true;    // value below 1 and every number finite
};

// Checks C = A B for the random matrices A and B without forming A B: w = C x against A (B x),
// computed from the elements' definition in plain loops. `local` are this rank's patches of C.
// Collective; moves m + k words per rank.
template <class T>
Residual check_product(comm::Communicator& communicator, const GemmShape& shape,
                       const std::vector<layout::Patch>& local, const T* c);

// Checks the lower triangle of C = A A' (' conjugates where T is complex and hermitian) likewise:
// C x, C completed by symmetry, against A (A' x). Moves n + k words per rank.
template <class T>
Residual check_update(comm::Communicator& communicator, const SyrkShape& shape, bool hermitian,
                      const std::vector<layout::Patch>& local, const T* c);

// Checks the lower triangle of C = A B' + B A' (not conjugated), A and B random n x k, likewise.
template <class T>
Residual check_two_factor_update(comm::Communicator& communicator, const SyrkShape& shape,
                                 const std::vector<layout::Patch>& local, const T* c);

// Element of a symmetric random matrix; its lower triangle is random matrix A's.
template <class T>
T symmetric_number(std::int64_t row, std::int64_t column);

// Checks C = A B, A that matrix of order n, B random n x k, likewise.
template <class T>
Residual check_symmetric_product(comm::Communicator& communicator, const SyrkShape& shape,
                                 const std::vector<layout::Patch>& local, const T* c);

// Element of a Hermitian positive definite random matrix of order n.
template <class T>
T definite_number(std::int64_t row, std::int64_t column, std::int64_t n);

// Checks A = L L' for that matrix, L in the lower triangle: A x against L (L' x), relative to
// n^2 eps max|A| max|x|. Moves 3 n words per rank.
template <class T>
Residual check_cholesky(comm::Communicator& communicator, std::int64_t n,
                        const std::vector<layout::Patch>& local, const T* a);

// Element (row, column <= row) of a random lower triangular matrix of order n, ones and less on the
// diagonal, its other elements so small that solutions do not grow.
template <class T>
T triangular_number(std::int64_t row, std::int64_t column, std::int64_t n);

// Checks L X = B for that matrix and the random matrix seed_b (n x m): L (X x) against B x,
// relative to m n eps max|B| max|x|. Moves 2 n words per rank.
template <class T>
Residual check_trsm(comm::Communicator& communicator, std::int64_t n, std::int64_t m,
                    const std::vector<layout::Patch>& local, const T* x);

// A triangular matrix T in these patches of an array.
template <class T>
struct HeldTriangle {
  bool lower;
  Op op;
  bool unit;
  const std::vector<layout::Patch>& patches;
  const T* values;
};

// Checks op(T) x = b: op(T) x against b, relative to n eps (max sum of |op(T)(i, j)| |x(j)| +
// max|b|). x and b, in the array's patches, are one column of n. Moves 3 n words per rank.
template <class T>
Residual check_trsv(comm::Communicator& communicator, std::int64_t n, const HeldTriangle<T>& t,
                    const std::vector<layout::Patch>& local, const T* b, const T* x);

// Checks P A = L U for the random matrix seed_a (m x n): P (A x) against L (U x), relative to
// max(m, n)^2 eps max|A| max|x|. `pivots` as LuPlan has them.
template <class T>
Residual check_lu(comm::Communicator& communicator, std::int64_t m, std::int64_t n,
                  const std::vector<std::int64_t>& pivots, const std::vector<layout::Patch>& local,
                  const T* a);

// Checks A = Q R for the random matrix seed_a (m x n), relative to max(m, n)^2 eps max|A| max|x|,
// and Q' Q = I, relative to max(m, n) eps: A x against Q (R x), and y against Q' (Q y). `tau` as
// QrPlan has them. Moves 3 m words and 2 m for every 32 columns per rank.
template <class T>
Residual check_qr(comm::Communicator& communicator, std::int64_t m, std::int64_t n,
                  const std::vector<T>& tau, const std::vector<layout::Patch>& local, const T* a);

}  // namespace redblue::matgen
