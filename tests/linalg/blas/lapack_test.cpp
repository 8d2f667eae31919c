// SPDX-License-Identifier: BSD-3-Clause
// Triangular solves by blocks, whose diagonal blocks may be inverted, against BLAS: where a
// triangle is ill-conditioned, solutions may differ, backward errors may not.
#include "linalg/blas/lapack.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <string>
#include <vector>

extern "C" {
// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define REDBLUE_TRSM(letter, type)                                                                 \
  void letter##trsm_(const char* side, const char* uplo, const char* trans, const char* diag,      \
                     const int* m, const int* n, const type* alpha, const type* a, const int* lda, \
                     type* b, const int* ldb);
// NOLINTEND(bugprone-macro-parentheses)
REDBLUE_TRSM(s, float)
REDBLUE_TRSM(d, double)
REDBLUE_TRSM(c, std::complex<float>)
REDBLUE_TRSM(z, std::complex<double>)
#undef REDBLUE_TRSM
}

namespace redblue::lapack {
namespace {

template <class T>
using Real = decltype(std::abs(T{}));
using Complex = std::complex<double>;

constexpr auto trsm(float) {
  return strsm_;
}
constexpr auto trsm(double) {
  return dtrsm_;
}
constexpr auto trsm(std::complex<float>) {
  return ctrsm_;
}
constexpr auto trsm(std::complex<double>) {
  return ztrsm_;
}

template <class T>
void solve_by_blas(const TriangularForm& f, std::int64_t rows, std::int64_t columns, const T* a,
                   std::int64_t leading_a, T* b, std::int64_t leading_b) {
  const char side = static_cast<char>(f.side);
  const char diagonal = f.unit ? 'U' : 'N';
  const int m = static_cast<int>(rows);
  const int n = static_cast<int>(columns);
  const int lda = static_cast<int>(leading_a);
  const int ldb = static_cast<int>(leading_b);
  const T one(1);
  trsm(T{})(&side, &f.triangle, &f.op, &diagonal, &m, &n, &one, a, &lda, b, &ldb);
}

// Diagonals of one size; those from 1 down to a fraction that the type just resolves; Kahan's
// matrix, whose inverse grows though its diagonal says little; -1 beside ones, whose inverse
// doubles from row to row; tiny and huge rows by turns.
enum class Kind { tame, graded, kahan, doubling, rows };
constexpr Kind kinds[] = {Kind::tame, Kind::graded, Kind::kahan, Kind::doubling, Kind::rows};

// Element (i, j) of the matrix as it is stored, in its triangle.
template <class T>
T element(Kind kind, std::int64_t n, std::int64_t i, std::int64_t j, std::mt19937& engine) {
  const auto random = [&engine] {
    return static_cast<Real<T>>(static_cast<double>(engine()) / 4294967296. - 0.5);
  };
  T x(random());
  if constexpr (!std::is_floating_point_v<T>) x += T(0, random());
  const double at = static_cast<double>(i) / static_cast<double>(n);
  const double precision = std::numeric_limits<Real<T>>::epsilon();
  const double sine = 0.9;
  const double cosine = std::sqrt(1 - sine * sine);
  switch (kind) {
    case Kind::graded:
      return (i == j ? x + T(1) : x) * static_cast<Real<T>>(std::pow(10 * precision, at));
    case Kind::kahan:
      return T(static_cast<Real<T>>(std::pow(sine, static_cast<double>(std::min(i, j))) *
                                    (i == j ? 1 : -cosine)));
    case Kind::doubling:
      return T(i == j ? 1 : -1);
    case Kind::rows:
      return (i == j ? x + T(1) : x) * static_cast<Real<T>>(i % 3 == 0   ? 1e-3
                                                            : i % 3 == 1 ? 1
                                                                         : 1e3);
    default:
      return i == j ? x + T(2) : x / static_cast<Real<T>>(std::sqrt(static_cast<double>(n)));
  }
}

template <class T>
struct System {
  TriangularForm form;
  std::int64_t n, rows, columns, leading_a, leading_b;
  std::vector<T> a, b;

  // Of op(A), as double.
  Complex op(std::int64_t i, std::int64_t j) const {
    if (form.op != 'N') std::swap(i, j);
    if (form.triangle == 'L' ? i < j : i > j) return 0;
    if (i == j && form.unit) return 1;
    const Complex x(a[static_cast<std::size_t>(i + j * leading_a)]);
    return form.op == 'C' ? std::conj(x) : x;
  }
};

template <class T>
System<T> system(Kind kind, const TriangularForm& form, std::int64_t n, std::int64_t others,
                 std::mt19937& engine) {
  const bool left = form.side == Side::left;
  System<T> s{form, n, left ? n : others, left ? others : n, n + 3, 0, {}, {}};
  s.leading_b = s.rows + 2;
  // the other triangle, a unit diagonal and what lies between the columns must not be read
  s.a.assign(static_cast<std::size_t>(s.leading_a * n),
             T(std::numeric_limits<Real<T>>::quiet_NaN()));
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) {
      if ((form.triangle == 'L' ? i < j : i > j) || (i == j && form.unit)) continue;
      s.a[static_cast<std::size_t>(i + j * s.leading_a)] = element<T>(kind, n, i, j, engine);
    }
  }
  s.b.assign(static_cast<std::size_t>(s.leading_b * s.columns), T(55));
  for (std::int64_t j = 0; j < s.columns; ++j) {
    for (std::int64_t i = 0; i < s.rows; ++i) {
      s.b[static_cast<std::size_t>(i + j * s.leading_b)] = element<T>(Kind::tame, 4, 0, 1, engine);
    }
  }
  return s;
}

// The same with a right-hand side whose solution is of moderate size, however ill-conditioned the
// triangle: what is lost in its inverse then shows.
template <class T>
System<T> with_moderate_solution(System<T> s) {
  const std::vector<T> x = s.b;
  for (std::int64_t j = 0; j < s.columns; ++j) {
    for (std::int64_t i = 0; i < s.rows; ++i) {
      Complex sum = 0;
      for (std::int64_t k = 0; k < s.n; ++k) {
        const bool left = s.form.side == Side::left;
        sum += left ? s.op(i, k) * Complex(x[static_cast<std::size_t>(k + j * s.leading_b)])
                    : Complex(x[static_cast<std::size_t>(i + k * s.leading_b)]) * s.op(k, j);
      }
      T& b = s.b[static_cast<std::size_t>(i + j * s.leading_b)];
      if constexpr (std::is_floating_point_v<T>) {
        b = static_cast<T>(sum.real());
      } else {
        b = static_cast<T>(sum);
      }
    }
  }
  return s;
}

double size_of(const Complex& x) {
  return std::abs(x.real()) + std::abs(x.imag());
}

// The largest |op(A) X - B| / (|op(A)| |X| + |B|) by element, in double; infinite where X is not
// finite.
template <class T>
double backward_error(const System<T>& s, const std::vector<T>& x) {
  std::vector<Complex> op(static_cast<std::size_t>(s.n * s.n));
  for (std::int64_t j = 0; j < s.n; ++j) {
    for (std::int64_t i = 0; i < s.n; ++i) op[static_cast<std::size_t>(i + j * s.n)] = s.op(i, j);
  }
  const bool left = s.form.side == Side::left;
  double worst = 0;
  for (std::int64_t j = 0; j < s.columns; ++j) {
    for (std::int64_t i = 0; i < s.rows; ++i) {
      const Complex b(s.b[static_cast<std::size_t>(i + j * s.leading_b)]);
      Complex sum = -b;
      double size = size_of(b);
      for (std::int64_t k = 0; k < s.n; ++k) {
        const Complex y(
            x[static_cast<std::size_t>(left ? k + j * s.leading_b : i + k * s.leading_b)]);
        const Complex t = op[static_cast<std::size_t>(left ? i + k * s.n : k + j * s.n)];
        if (t == Complex(0)) continue;
        sum += t * y;
        size += size_of(t) * size_of(y);
      }
      if (!std::isfinite(size)) return std::numeric_limits<double>::infinity();
      if (size > 0) worst = std::max(worst, size_of(sum) / size);
    }
  }
  return worst;
}

template <class T>
class TriangularSolve : public testing::Test {};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(TriangularSolve, Types);

template <class T>
void check(const System<T>& s, const std::string& name, int& inexact) {
  constexpr double precision = std::numeric_limits<Real<T>>::epsilon();
  constexpr double hardly_more = 32;  // what an inverted block may lose
  std::vector<T> x = s.b;
  std::vector<T> by_blas = s.b;
  solve(s.form, s.rows, s.columns, s.a.data(), s.leading_a, x.data(), s.leading_b);
  solve_by_blas(s.form, s.rows, s.columns, s.a.data(), s.leading_a, by_blas.data(), s.leading_b);
  const double blas_error = backward_error(s, by_blas);
  inexact += blas_error > 0 ? 1 : 0;
  EXPECT_LE(backward_error(s, x), hardly_more * precision + 2 * blas_error) << name;
  std::int64_t touched = 0;
  for (std::int64_t j = 0; j < s.columns; ++j) {
    for (std::int64_t i = s.rows; i < s.leading_b; ++i) {
      touched += x[static_cast<std::size_t>(i + j * s.leading_b)] != T(55) ? 1 : 0;
    }
  }
  EXPECT_EQ(touched, 0) << name << ": words between the columns";
}

// Sizes around those of a block (16), of what is solved by blocks (64) and by halves, and around
// the columns BLAS itself keeps (32).
TYPED_TEST(TriangularSolve, IsAsBackwardStableAsBlas) {
  using T = TypeParam;
  std::mt19937 engine(11);
  int inexact = 0;
  for (const Kind kind : kinds) {
    for (const std::int64_t n : {1, 16, 33, 64, 97}) {
      for (const char triangle : {'L', 'U'}) {
        for (const char op : {'N', 'T', 'C'}) {
          const bool unit = engine() % 3 == 0;
          for (const auto& [side, others] :
               {std::pair{Side::left, 31}, {Side::left, 34}, {Side::right, 10}}) {
            const std::string name = std::string("kind ") + std::to_string(static_cast<int>(kind)) +
                                     ", n " + std::to_string(n) + ", " + triangle + op +
                                     (unit ? " unit" : "") +
                                     (side == Side::left ? " left" : " right");
            System<T> s = system<T>(kind, {side, triangle, op, unit}, n, others, engine);
            if (engine() % 2 == 0) {
              check(s, name, inexact);
            } else {
              check(with_moderate_solution(std::move(s)), name + ", moderate", inexact);
            }
          }
        }
      }
    }
  }
  EXPECT_GT(inexact, 300);
}

// More columns than stay in cache at a time.
TYPED_TEST(TriangularSolve, TakesManyColumns) {
  using T = TypeParam;
  std::mt19937 engine(12);
  for (const char op : {'N', 'C'}) {
    const System<T> s = system<T>(Kind::tame, {Side::left, 'U', op, false}, 40, 600, engine);
    std::vector<T> x = s.b;
    solve(s.form, s.rows, s.columns, s.a.data(), s.leading_a, x.data(), s.leading_b);
    EXPECT_LE(backward_error(s, x), 512 * std::numeric_limits<Real<T>>::epsilon());
  }
}

TYPED_TEST(TriangularSolve, NothingToSolveTouchesNothing) {
  TypeParam b(3);
  solve<TypeParam>({}, 0, 5, nullptr, 1, &b, 1);
  solve<TypeParam>({}, 5, 0, nullptr, 5, &b, 5);
  EXPECT_EQ(b, TypeParam(3));
}

template <class T>
class Lu : public testing::Test {};
TYPED_TEST_SUITE(Lu, Types);

// By hand: column 0's largest element is in row 2, and so is, after the exchange, column 1's.
TYPED_TEST(Lu, CountsRowsFromZeroAndNamesTheFirstZeroPivot) {
  using T = TypeParam;
  std::vector<T> a = {T(1), T(2), T(4), T(1), T(1), T(2)};  // 3 x 2
  std::vector<int> pivots;
  EXPECT_EQ(lu(3, 2, a.data(), 3, pivots), 0);
  EXPECT_EQ(pivots, (std::vector<int>{2, 2}));
  EXPECT_EQ(a, (std::vector<T>{T(4), T(0.25), T(0.5), T(2), T(0.5), T(0)}));
  std::vector<T> singular = {T(1), T(1), T(2), T(2)};
  EXPECT_EQ(lu(2, 2, singular.data(), 2, pivots), 2);
  EXPECT_EQ(lu<T>(0, 4, nullptr, 1, pivots), 0);
  EXPECT_TRUE(pivots.empty());
}

TYPED_TEST(Lu, CholeskyNamesTheMinorThatIsNotPositive) {
  using T = TypeParam;
  std::vector<T> a = {T(4), T(2), T(9), T(5)};
  EXPECT_EQ(cholesky('L', 2, a.data(), 2), 0);
  EXPECT_EQ(a, (std::vector<T>{T(2), T(1), T(9), T(2)}));
  std::vector<T> indefinite = {T(1), T(2), T(0), T(1)};
  EXPECT_EQ(cholesky('L', 2, indefinite.data(), 2), 2);
}

}  // namespace
}  // namespace redblue::lapack
