#include "linalg/lapack.hpp"

#include <algorithm>
#include <complex>

#include "linalg/blas.hpp"

extern "C" {
// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define REDBLUE_LAPACK(letter, type)                                                               \
  void letter##potrf_(const char* uplo, const int* n, type* a, const int* lda, int* info);         \
  void letter##getrf_(const int* m, const int* n, type* a, const int* lda, int* ipiv, int* info);  \
  void letter##trsm_(const char* side, const char* uplo, const char* trans, const char* diag,      \
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
#define REDBLUE_ROUTINES(letter, type)            \
  template <>                                     \
  struct Routines<type> {                         \
    static constexpr auto potrf = letter##potrf_; \
    static constexpr auto getrf = letter##getrf_; \
    static constexpr auto trsm = letter##trsm_;   \
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
std::int64_t cholesky(std::int64_t n, T* a, std::int64_t leading) {
  const int size = blas::narrowed(n);
  const int lda = leading_dimension(leading);
  int info = 0;
  Routines<T>::potrf("L", &size, a, &lda, &info);
  return info;
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
  Routines<T>::getrf(&m, &n, a, &lda, pivots.data(), &info);
  for (int& p : pivots) --p;
  return info;
}

namespace {

// By halves, so that multiplications do most of the work: BLAS itself solves with small triangles
// far below their speed.
template <class T>
void solve_by_halves(const TriangularForm& form, std::int64_t rows, std::int64_t columns,
                     const T* a, std::int64_t leading_a, T* b, std::int64_t leading_b) {
  const std::int64_t half = rows / 2;
  const bool stands = form.op == 'N';
  const bool downwards = (form.triangle == 'L') == stands;
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
  constexpr std::int64_t small = 8;  // triangle
  constexpr std::int64_t few = 32;   // columns
  if (form.side == Side::left && rows > small && columns >= few) {
    solve_by_halves(form, rows, columns, a, leading_a, b, leading_b);
    return;
  }
  const char side = static_cast<char>(form.side);
  const char diagonal = form.unit ? 'U' : 'N';
  const int m = blas::narrowed(rows);
  const int n = blas::narrowed(columns);
  const int lda = leading_dimension(leading_a);
  const int ldb = leading_dimension(leading_b);
  const T one(1);
  Routines<T>::trsm(&side, &form.triangle, &form.op, &diagonal, &m, &n, &one, a, &lda, b, &ldb);
}

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define REDBLUE_INSTANTIATE(T)                                                                   \
  template std::int64_t cholesky(std::int64_t, T*, std::int64_t);                                \
  template std::int64_t lu(std::int64_t, std::int64_t, T*, std::int64_t, std::vector<int>&);     \
  template void solve(const TriangularForm&, std::int64_t, std::int64_t, const T*, std::int64_t, \
                      T*, std::int64_t);
// NOLINTEND(bugprone-macro-parentheses)
REDBLUE_INSTANTIATE(float)
REDBLUE_INSTANTIATE(double)
REDBLUE_INSTANTIATE(std::complex<float>)
REDBLUE_INSTANTIATE(std::complex<double>)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::lapack
