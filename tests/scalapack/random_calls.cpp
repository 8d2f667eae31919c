// SPDX-License-Identifier: BSD-3-Clause
// Run under mpirun: random calls of ScaLAPACK served by redblue (REDBLUE_MIN_WORK=0), of all types,
// on random grids, blocks and submatrices, compared with BLAS and LAPACK, which every process runs
// on the whole matrices.
//   random_calls FIRST CALLS [SECONDS]
// Calls FIRST, FIRST + 1, .., until there were CALLS of them or the seconds are over. Prints what
// was called, how often, and how often redblue served it; the first wrong call ends it with exit
// status 1.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "redblue/redblue.h"
#include "scalapack/random_calls_interfaces.hpp"
#include "scalapack/random_matrices.hpp"
#include "scalapack/random_orthogonal.hpp"
#include "scalapack/random_systems.hpp"

namespace {

using namespace random_calls;  // NOLINT(google-build-using-namespace): its only user

// One kind of call each.

template <class T>
Outcome<T> gemm(Dice& dice, const Grid& grid, int most) {
  const int m = dice.below(most), n = dice.below(most), k = dice.below(most);
  const char ta = dice.of("NTC"), tb = dice.of("NTC");
  const T alpha = element<T>(dice), beta = element<T>(dice);
  auto a = matrix<T>(dice, grid, any_shape(dice, grid), ta == 'N' ? m : k, ta == 'N' ? k : m);
  auto b = matrix<T>(dice, grid, any_shape(dice, grid), tb == 'N' ? k : n, tb == 'N' ? n : k);
  auto c = matrix<T>(dice, grid, any_shape(dice, grid), m, n);
  distribute(a), distribute(b), distribute(c);
  std::vector<T> expected = c.whole;
  blas_gemm(ta, tb, m, n, k, alpha, a.whole.data(), a.leading(), b.whole.data(), b.leading(), beta,
            expected.data(), c.leading());
  pgemm(&ta, &tb, &m, &n, &k, &alpha, a.local.data(), &a.i, &a.j, a.descriptor, b.local.data(),
        &b.i, &b.j, b.descriptor, &beta, c.local.data(), &c.i, &c.j, c.descriptor);
  return outcome(c, expected, everywhere);
}

template <class T>
Outcome<T> symm(Dice& dice, const Grid& grid, int most) {
  const int m = dice.below(most), n = dice.below(most);
  const char side = dice.of("LR"), uplo = dice.of("LU");
  const T alpha = element<T>(dice), beta = element<T>(dice);
  const int order = side == 'L' ? m : n;
  auto a = matrix<T>(dice, grid, any_shape(dice, grid), order, order);
  auto b = matrix<T>(dice, grid, any_shape(dice, grid), m, n);
  auto c = matrix<T>(dice, grid, any_shape(dice, grid), m, n);
  distribute(a), distribute(b), distribute(c);
  std::vector<T> expected = c.whole;
  blas_symm(side, uplo, m, n, alpha, a.whole.data(), a.leading(), b.whole.data(), b.leading(), beta,
            expected.data(), c.leading());
  psymm(&side, &uplo, &m, &n, &alpha, a.local.data(), &a.i, &a.j, a.descriptor, b.local.data(),
        &b.i, &b.j, b.descriptor, &beta, c.local.data(), &c.i, &c.j, c.descriptor);
  return outcome(c, expected, everywhere);
}

template <class T>
Outcome<T> syrk(Dice& dice, const Grid& grid, int most) {
  const int n = dice.below(most), k = dice.below(most);
  const char uplo = dice.of("LU"), trans = dice.of("NT");
  const T alpha = element<T>(dice), beta = element<T>(dice);
  auto a = matrix<T>(dice, grid, any_shape(dice, grid), trans == 'N' ? n : k, trans == 'N' ? k : n);
  auto c = matrix<T>(dice, grid, any_shape(dice, grid), n, n);
  distribute(a), distribute(c);
  std::vector<T> expected = c.whole;
  blas_syrk(uplo, trans, n, k, alpha, a.whole.data(), a.leading(), beta, expected.data(),
            c.leading());
  psyrk(&uplo, &trans, &n, &k, &alpha, a.local.data(), &a.i, &a.j, a.descriptor, &beta,
        c.local.data(), &c.i, &c.j, c.descriptor);
  return outcome(c, expected, everywhere);
}

template <class T>
Outcome<T> trsm(Dice& dice, const Grid& grid, int most) {
  const int m = dice.below(most), n = dice.below(most);
  const char side = dice.of("LR"), uplo = dice.of("LU"), trans = dice.of("NTC"), diag = 'N';
  const T alpha = element<T>(dice);
  const int order = side == 'L' ? m : n;
  auto a = matrix<T>(dice, grid, any_shape(dice, grid), order, order);
  make_dominant(a);
  auto b = matrix<T>(dice, grid, any_shape(dice, grid), m, n);
  distribute(a), distribute(b);
  std::vector<T> expected = b.whole;
  blas_trsm(side, uplo, trans, diag, m, n, alpha, a.whole.data(), a.leading(), expected.data(),
            b.leading());
  ptrsm(&side, &uplo, &trans, &diag, &m, &n, &alpha, a.local.data(), &a.i, &a.j, a.descriptor,
        b.local.data(), &b.i, &b.j, b.descriptor);
  return outcome(b, expected, everywhere);
}

template <class T>
Outcome<T> trmm(Dice& dice, const Grid& grid, int most) {
  const int m = dice.below(most), n = dice.below(most);
  const char side = dice.of("LR"), uplo = dice.of("LU"), trans = dice.of("NTC"),
             diag = dice.of("NU");
  const T alpha = element<T>(dice);
  const int order = side == 'L' ? m : n;
  auto a = matrix<T>(dice, grid, any_shape(dice, grid), order, order);
  auto b = matrix<T>(dice, grid, any_shape(dice, grid), m, n);
  distribute(a), distribute(b);
  std::vector<T> expected = b.whole;
  blas_trmm(side, uplo, trans, diag, m, n, alpha, a.whole.data(), a.leading(), expected.data(),
            b.leading());
  ptrmm(&side, &uplo, &trans, &diag, &m, &n, &alpha, a.local.data(), &a.i, &a.j, a.descriptor,
        b.local.data(), &b.i, &b.j, b.descriptor);
  return outcome(b, expected, everywhere);
}

// L' L or U U' in place of the triangle. (OpenBLAS 0.3.21's clauum reads beyond its matrix.)
template <class T>
void square(char uplo, int n, int leading, std::vector<T>& a) {
  const auto at = [&](int i, int j) -> T& {
    return a[static_cast<std::size_t>(i) +
             static_cast<std::size_t>(j) * static_cast<std::size_t>(leading)];
  };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      T sum = T(0);
      for (int k = i; k < n; ++k) {
        sum += uplo == 'L' ? conjugate(at(k, i)) * at(k, j) : at(j, k) * conjugate(at(i, k));
      }
      (uplo == 'L' ? at(i, j) : at(j, i)) = sum;
    }
  }
}

// Inverses of triangles and from Cholesky factors, products of a triangle with itself. What is
// expected comes from LAPACK's unblocked trti2: in trtri OpenBLAS 0.3.21 crashes at times (kernels
// for Prescott, single precision, lower triangles of odd orders from 133 on).
template <class T>
Outcome<T> in_place(char what, Dice& dice, const Grid& grid, int most) {
  const int n = dice.below(most);
  const char uplo = dice.of("LU"), diag = 'N';
  auto a = matrix<T>(dice, grid, square_shape(dice, grid), n, n);
  make_dominant(a);
  distribute(a);
  std::vector<T> expected = a.whole;
  int info = 0;
  if (what == 't') {
    lapack_trti2(uplo, diag, n, expected.data(), a.leading(), &info);
    ptrtri(&uplo, &diag, &n, a.local.data(), &a.i, &a.j, a.descriptor, &info);
  } else if (what == 'p') {
    lapack_trti2(uplo, diag, n, expected.data(), a.leading(), &info);
    square(uplo, n, a.leading(), expected);
    ppotri(&uplo, &n, a.local.data(), &a.i, &a.j, a.descriptor, &info);
  } else {
    square(uplo, n, a.leading(), expected);
    plauum(&uplo, &n, a.local.data(), &a.i, &a.j, a.descriptor);
  }
  return outcome(a, expected, in_triangle(uplo));
}
template <class T>
Outcome<T> trtri(Dice& dice, const Grid& grid, int most) {
  return in_place<T>('t', dice, grid, most);
}
template <class T>
Outcome<T> potri(Dice& dice, const Grid& grid, int most) {
  return in_place<T>('p', dice, grid, most);
}
template <class T>
Outcome<T> lauum(Dice& dice, const Grid& grid, int most) {
  return in_place<T>('l', dice, grid, most);
}

template <class T>
Outcome<T> potrf(Dice& dice, const Grid& grid, int most) {
  const int n = dice.below(most);
  const char uplo = dice.of("LU");
  auto a = matrix<T>(dice, grid, square_shape(dice, grid), n, n);
  make_dominant(a);
  distribute(a);
  std::vector<T> expected = a.whole;
  int info = 0;
  lapack_potrf(uplo, n, expected.data(), a.leading(), &info);
  ppotrf(&uplo, &n, a.local.data(), &a.i, &a.j, a.descriptor, &info);
  return outcome(a, expected, in_triangle(uplo));
}

// Rows need no exchange, so that the factors are the same whatever decides among pivots.
template <class T>
Outcome<T> getrf(Dice& dice, const Grid& grid, int most) {
  const int m = dice.below(most), n = dice.below(most);
  auto a = matrix<T>(dice, grid, square_shape(dice, grid), m, n);
  make_dominant(a);
  distribute(a);
  std::vector<T> expected = a.whole;
  std::vector<int> pivots(static_cast<std::size_t>(m + n + 1));
  std::vector<int> local_pivots(static_cast<std::size_t>(a.descriptor[2] + a.descriptor[4] + 1));
  int info = 0;
  lapack_getrf(m, n, expected.data(), a.leading(), pivots.data(), &info);
  pgetrf(&m, &n, a.local.data(), &a.i, &a.j, a.descriptor, local_pivots.data(), &info);
  return outcome(a, expected, everywhere);
}

template <class T>
Outcome<T> potrs(Dice& dice, const Grid& grid, int most) {
  const int n = dice.below(most), sides = dice.below(most);
  const char uplo = dice.of("LU");
  const Shape shape = square_shape(dice, grid);
  auto a = matrix<T>(dice, grid, shape, n, n);
  make_dominant(a);
  Shape of_b = shape;
  of_b.column_block = dice.between(1, 17);
  // ScaLAPACK wants the first rows of both on the same processes
  Matrix<T> b;
  do {
    b = matrix<T>(dice, grid, of_b, n, sides);
  } while (place(b.down, b.i - 1).process != place(a.down, a.i - 1).process);
  int info = 0;
  lapack_potrf(uplo, n, a.whole.data(), a.leading(), &info);
  distribute(a), distribute(b);
  std::vector<T> expected = b.whole;
  lapack_potrs(uplo, n, sides, a.whole.data(), a.leading(), expected.data(), b.leading(), &info);
  ppotrs(&uplo, &n, &sides, a.local.data(), &a.i, &a.j, a.descriptor, b.local.data(), &b.i, &b.j,
         b.descriptor, &info);
  return outcome(b, expected, everywhere);
}

template <class T>
Outcome<T> gemr2d(Dice& dice, const Grid& grid, int most) {
  const int m = dice.below(most), n = dice.below(most);
  auto a = matrix<T>(dice, grid, any_shape(dice, grid), m, n);
  auto b = matrix<T>(dice, grid, any_shape(dice, grid), m, n);
  distribute(a);
  std::vector<T> expected = a.whole;
  pgemr2d(&m, &n, a.local.data(), &a.i, &a.j, a.descriptor, b.local.data(), &b.i, &b.j,
          b.descriptor, &grid.context);
  return outcome(b, expected, everywhere);
}

template <class T>
using Kind = Outcome<T> (*)(Dice&, const Grid&, int);

constexpr std::array names = {
    "gemm",  "symm",  "syrk",  "trsm",  "potrf", "getrf", "potrs", "gemr2d", "trmm",  "trtri",
    "potri", "lauum", "geqrf", "gelqf", "orgqr", "orglq", "ormqr", "ormlq",  "porfs", "gerfs",
    "pocon", "gecon", "sygst", "getrs", "getri", "gels",  "trsv",  "tran",   "syr2k", "hermitian"};

template <class T>
Outcome<T> call(std::size_t kind, Dice& dice, const Grid& grid, int most) {
  constexpr std::array<Kind<T>, names.size()> kinds = {
      gemm<T>,  symm<T>,  syrk<T>,  trsm<T>,  potrf<T>, getrf<T>,    potrs<T>, gemr2d<T>,
      trmm<T>,  trtri<T>, potri<T>, lauum<T>, geqrf<T>, gelqf<T>,    orgqr<T>, orglq<T>,
      ormqr<T>, ormlq<T>, porfs<T>, gerfs<T>, pocon<T>, gecon<T>,    sygst<T>, getrs<T>,
      getri<T>, gels<T>,  trsv<T>,  tran<T>,  syr2k<T>, hermitian<T>};
  return kinds[kind](dice, grid, most);
}

// A grid of the first processes; every process keeps those that were made.
Grid grid_of(int rows, int columns) {
  static std::map<std::array<int, 2>, int> made;
  const auto [entry, is_new] = made.try_emplace({rows, columns}, -1);
  if (is_new) {
    Cblacs_get(-1, 0, &entry->second);
    Cblacs_gridinit(&entry->second, "R", rows, columns);
  }
  Grid grid;
  grid.context = entry->second;
  Cblacs_gridinfo(grid.context, &grid.rows, &grid.columns, &grid.row, &grid.column);
  grid.rows = rows, grid.columns = columns;
  return grid;
}

template <class T>
bool is_right(std::size_t kind, Dice& dice, const Grid& grid, int most, std::uint64_t seed) {
  Outcome<T> result;
  if (grid.row >= 0) result = call<T>(kind, dice, grid, most);
  using R = decltype(std::abs(T{}));
  const double tolerance = 1000.0 * std::numeric_limits<R>::epsilon() * most;
  int wrong = result.outside || !(result.error <= tolerance) ? 1 : 0;
  if (wrong != 0) {
    std::fprintf(stderr, "call %llu, %s of %zu bytes on %d x %d: error %.1e%s\n",
                 static_cast<unsigned long long>(seed), names[kind], sizeof(T), grid.rows,
                 grid.columns, result.error, result.outside ? ", elements outside changed" : "");
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return wrong == 0;
}

bool one_call(std::uint64_t seed, int ranks, std::map<std::string, long>& calls) {
  Dice dice(seed);
  const int rows = dice.between(1, ranks);
  const int columns = dice.between(1, ranks / rows);
  const auto kind = static_cast<std::size_t>(dice.below(static_cast<int>(names.size())));
  const int most = dice.of("ss1") == '1' ? 150 : 40;
  const Grid grid = grid_of(rows, columns);
  ++calls[names[kind]];
  switch (dice.below(4)) {
    case 0:
      return is_right<float>(kind, dice, grid, most, seed);
    case 1:
      return is_right<double>(kind, dice, grid, most, seed);
    case 2:
      return is_right<std::complex<float>>(kind, dice, grid, most, seed);
    default:
      return is_right<std::complex<double>>(kind, dice, grid, most, seed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 3) {
    std::fprintf(stderr, "usage: random_calls FIRST CALLS [SECONDS]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const auto first = std::strtoull(argv[1], nullptr, 10);
  const auto count = std::strtoull(argv[2], nullptr, 10);
  const double seconds = argc > 3 ? std::atof(argv[3]) : std::numeric_limits<double>::infinity();
  int ranks = 1;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::map<std::string, long> calls;
  bool right = true;
  const double start = MPI_Wtime();
  for (std::uint64_t seed = first; right && seed < first + count; ++seed) {
    right = one_call(seed, ranks, calls);
    double passed = MPI_Wtime() - start;
    MPI_Bcast(&passed, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (passed > seconds) break;
  }
  long served = 0;
  long passed_on = 0;
  redblue_served(&served, &passed_on);
  if (rank == 0) {
    for (const auto& [name, n] : calls) std::printf("%s %ld, ", name.c_str(), n);
    std::printf("of these %ld served, %ld passed on\n", served, passed_on);
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
