// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/blas/lapack.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

#include "comm/number.hpp"
#include "linalg/blas/blas.hpp"

extern "C" {
// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define REDBLUE_LAPACK(letter, type)                                                               \
  void letter##potrf_(const char* uplo, const int* n, type* a, const int* lda, int* info);         \
  void letter##getrf_(const int* m, const int* n, type* a, const int* lda, int* ipiv, int* info);  \
  void letter##geqrt3_(const int* m, const int* n, type* a, const int* lda, type* t,               \
                       const int* ldt, int* info);                                                 \
  void letter##trsm_(const char* side, const char* uplo, const char* trans, const char* diag,      \
                     const int* m, const int* n, const type* alpha, const type* a, const int* lda, \
                     type* b, const int* ldb);                                                     \
  void letter##trmm_(const char* side, const char* uplo, const char* trans, const char* diag,      \
                     const int* m, const int* n, const type* alpha, const type* a, const int* lda, \
                     type* b, const int* ldb);
// NOLINTEND(bugprone-macro-parentheses)
REDBLUE_LAPACK(s, float)
REDBLUE_LAPACK(d, double)
REDBLUE_LAPACK(c, std::complex<float>)
REDBLUE_LAPACK(z, std::complex<double>)
#undef REDBLUE_LAPACK
}

namespace redblue::lapack {

namespace {

// The routines of an element type.
template <class T>
struct Routines;
#define REDBLUE_ROUTINES(letter, type)              \
  template <>                                       \
  struct Routines<type> {                           \
    static constexpr auto potrf = letter##potrf_;   \
    static constexpr auto getrf = letter##getrf_;   \
    static constexpr auto trsm = letter##trsm_;     \
    static constexpr auto trmm = letter##trmm_;     \
    static constexpr auto geqrt3 = letter##geqrt3_; \
  };
REDBLUE_ROUTINES(s, float)
REDBLUE_ROUTINES(d, double)
REDBLUE_ROUTINES(c, std::complex<float>)
REDBLUE_ROUTINES(z, std::complex<double>)
#undef REDBLUE_ROUTINES

int leading_dimension(std::int64_t leading) {
  return blas::narrowed(std::max<std::int64_t>(1, leading));
}

}  // namespace

template <class T>
std::int64_t cholesky(char triangle, std::int64_t n, T* a, std::int64_t leading) {
  const int size = blas::narrowed(n);
  const int lda = leading_dimension(leading);
  int info = 0;
  const auto order = static_cast<double>(n);
  blas::record<T>(order * order * order / 3, n * (n + 1));
  Routines<T>::potrf(&triangle, &size, a, &lda, &info);
  return info;
}

template <class T>
void householder(std::int64_t rows, std::int64_t columns, T* a, std::int64_t leading, T* t,
                 std::int64_t leading_t) {
  if (columns == 0) return;
  const int m = blas::narrowed(rows);
  const int n = blas::narrowed(columns);
  const int lda = leading_dimension(leading);
  const int ldt = leading_dimension(leading_t);
  int info = 0;
  const auto width = static_cast<double>(columns);
  blas::record<T>(2 * width * width * (static_cast<double>(rows) - width / 3), 2 * rows * columns);
  Routines<T>::geqrt3(&m, &n, a, &lda, t, &ldt, &info);
}

template <class T>
std::int64_t lu(std::int64_t rows, std::int64_t columns, T* a, std::int64_t leading,
                std::vector<int>& pivots) {
  const int m = blas::narrowed(rows);
  const int n = blas::narrowed(columns);
  const int lda = leading_dimension(leading);
  int info = 0;
  pivots.resize(static_cast<std::size_t>(std::min(m, n)));
  if (pivots.empty()) return 0;
  const auto less = static_cast<double>(std::min(rows, columns));
  const auto more = static_cast<double>(std::max(rows, columns));
  blas::record<T>(less * less * (more - less / 3), 2 * rows * columns);
  Routines<T>::getrf(&m, &n, a, &lda, pivots.data(), &info);
  for (int& p : pivots) --p;
  return info;
}

namespace {

constexpr std::int64_t block = 16;

// B = op(A)^-1 B or op(A) B, by BLAS's `routine` of the kind.
template <class T, class Routine>
void call_blas(Routine routine, const TriangularForm& form, std::int64_t rows, std::int64_t columns,
               const T* a, std::int64_t leading_a, T* b, std::int64_t leading_b) {
  const char side = static_cast<char>(form.side);
  const char diagonal = form.unit ? 'U' : 'N';
  const int m = blas::narrowed(rows);
  const int n = blas::narrowed(columns);
  const int lda = leading_dimension(leading_a);
  const int ldb = leading_dimension(leading_b);
  const T one(1);
  const std::int64_t order = form.side == Side::left ? rows : columns;
  blas::record<T>(static_cast<double>(rows * columns) * static_cast<double>(order),
                  order * (order + 1) / 2 + 2 * rows * columns);
  routine(&side, &form.triangle, &form.op, &diagonal, &m, &n, &one, a, &lda, b, &ldb);
}

template <class T>
void solve_by_blas(const TriangularForm& form, std::int64_t rows, std::int64_t columns, const T* a,
                   std::int64_t leading_a, T* b, std::int64_t leading_b) {
  call_blas(Routines<T>::trsm, form, rows, columns, a, leading_a, b, leading_b);
}

// A block of the diagonal and, where multiplying by it loses hardly more than solving, its inverse.
template <class T>
struct DiagonalBlock {
  std::int64_t begin = 0, size = 0;
  bool inverted = false;
  std::array<T, block * block> inverse;  // of op(A)'s block, column-major
};

// Multiplying by the inverse V has at most about |A| |V| times the error of solving [ducroz1992].
template <class T>
DiagonalBlock<T> diagonal_block(const TriangularForm& form, std::int64_t begin, std::int64_t size,
                                const T* a, std::int64_t leading) {
  constexpr double hardly_more = 32;
  DiagonalBlock<T> d;
  d.begin = begin;
  d.size = size;
  d.inverse.fill(T(0));
  for (std::int64_t i = 0; i < size; ++i)
    d.inverse[static_cast<std::size_t>(i * (size + 1))] = T(1);
  const T* corner = a + begin * (leading + 1);
  solve_by_blas(form, size, size, corner, leading, d.inverse.data(), size);
  double largest = form.unit ? 1 : 0;
  for (std::int64_t c = 0; c < size; ++c) {
    const bool lower = form.triangle == 'L';
    const std::int64_t first = lower ? c + (form.unit ? 1 : 0) : 0;
    const std::int64_t last = lower ? size : c + (form.unit ? 0 : 1);
    for (std::int64_t r = first; r < last; ++r) {
      largest = std::max(largest, static_cast<double>(std::abs(corner[r + c * leading])));
    }
  }
  d.inverted = std::all_of(d.inverse.begin(), d.inverse.end(), [largest](const T& v) {
    return static_cast<double>(std::abs(v)) * largest <= hardly_more;  // false for NaN
  });
  return d;
}

// Multiplications do most of the work: BLAS itself solves with small triangles far below their
// speed.
template <class T>
void solve_by_blocks(const TriangularForm& form, std::int64_t rows, std::int64_t columns,
                     const T* a, std::int64_t leading_a, T* b, std::int64_t leading_b) {
  constexpr std::int64_t at_a_time = 256;  // columns; they stay in cache
  const bool stands = form.op == 'N';
  const bool downwards = (form.triangle == 'L') == stands;
  std::vector<DiagonalBlock<T>> blocks;
  for (std::int64_t at = 0; at < rows; at += block) {
    blocks.push_back(diagonal_block(form, at, std::min(block, rows - at), a, leading_a));
  }
  if (!downwards) std::reverse(blocks.begin(), blocks.end());
  std::array<T, block * at_a_time> before;
  for (std::int64_t first = 0; first < columns; first += at_a_time) {
    const std::int64_t width = std::min(at_a_time, columns - first);
    T* const x = b + first * leading_b;
    for (const DiagonalBlock<T>& d : blocks) {
      const std::int64_t done = downwards ? 0 : d.begin + d.size;
      const std::int64_t count = downwards ? d.begin : rows - done;
      const T* beside = stands ? a + d.begin + done * leading_a : a + done + d.begin * leading_a;
      blas::gemm(d.size, width, count, T(-1), {beside, leading_a, form.op}, {x + done, leading_b},
                 T(1), x + d.begin, leading_b);
      if (!d.inverted) {
        solve_by_blas(form, d.size, width, a + d.begin * (leading_a + 1), leading_a, x + d.begin,
                      leading_b);
        continue;
      }
      for (std::int64_t c = 0; c < width; ++c) {
        std::copy_n(x + d.begin + c * leading_b, d.size, before.begin() + c * d.size);
      }
      blas::gemm(d.size, width, d.size, T(1), {d.inverse.data(), d.size}, {before.data(), d.size},
                 T(0), x + d.begin, leading_b);
    }
  }
}

// Larger triangles, so that multiplications are large.
template <class T>
void solve_by_halves(const TriangularForm& form, std::int64_t rows, std::int64_t columns,
                     const T* a, std::int64_t leading_a, T* b, std::int64_t leading_b) {
  const std::int64_t half = rows / 2;
  const bool downwards = (form.triangle == 'L') == (form.op == 'N');
  const T* beside = a + (form.triangle == 'L' ? half : half * leading_a);
  const auto lower_half = [&] {
    solve(form, rows - half, columns, a + half * (leading_a + 1), leading_a, b + half, leading_b);
  };
  if (downwards) {
    solve(form, half, columns, a, leading_a, b, leading_b);
    blas::gemm(rows - half, columns, half, T(-1), {beside, leading_a, form.op}, {b, leading_b},
               T(1), b + half, leading_b);
    lower_half();
  } else {
    lower_half();
    blas::gemm(half, columns, rows - half, T(-1), {beside, leading_a, form.op},
               {b + half, leading_b}, T(1), b, leading_b);
    solve(form, half, columns, a, leading_a, b, leading_b);
  }
}

}  // namespace

template <class T>
void solve(const TriangularForm& form, std::int64_t rows, std::int64_t columns, const T* a,
           std::int64_t leading_a, T* b, std::int64_t leading_b) {
  if (rows == 0 || columns == 0) return;
  constexpr std::int64_t few = 32;           // columns
  constexpr std::int64_t large = 4 * block;  // rows
  if (form.side == Side::right || columns < few) {
    solve_by_blas(form, rows, columns, a, leading_a, b, leading_b);
  } else if (rows > large) {
    solve_by_halves(form, rows, columns, a, leading_a, b, leading_b);
  } else {
    solve_by_blocks(form, rows, columns, a, leading_a, b, leading_b);
  }
}

template <class T>
void multiply(const TriangularForm& form, std::int64_t rows, std::int64_t columns, const T* a,
              std::int64_t leading_a, T* b, std::int64_t leading_b) {
  if (rows == 0 || columns == 0) return;
  call_blas(Routines<T>::trmm, form, rows, columns, a, leading_a, b, leading_b);
}

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define REDBLUE_INSTANTIATE(T)                                                                   \
  template std::int64_t cholesky(char, std::int64_t, T*, std::int64_t);                          \
  template void householder(std::int64_t, std::int64_t, T*, std::int64_t, T*, std::int64_t);     \
  template std::int64_t lu(std::int64_t, std::int64_t, T*, std::int64_t, std::vector<int>&);     \
  template void solve(const TriangularForm&, std::int64_t, std::int64_t, const T*, std::int64_t, \
                      T*, std::int64_t);                                                         \
  template void multiply(const TriangularForm&, std::int64_t, std::int64_t, const T*,            \
                         std::int64_t, T*, std::int64_t);
// NOLINTEND(bugprone-macro-parentheses)
REDBLUE_FOR_ALL_NUMBERS(REDBLUE_INSTANTIATE)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::lapack
