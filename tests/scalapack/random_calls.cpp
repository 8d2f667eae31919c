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

#include "redblue/layout.hpp"
#include "redblue/redblue.h"
#include "scalapack/random_calls_interfaces.hpp"

namespace {

using redblue::Cyclic;

// What every process draws alike.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  int between(int a, int b) { return a + below(b - a + 1); }
  char of(const std::string& letters) {
    return letters[static_cast<std::size_t>(below(static_cast<int>(letters.size())))];
  }
  double element() { return 2 * static_cast<double>(engine_() % 1000003) / 1000003 - 1; }

 private:
  std::mt19937_64 engine_;
};

struct Grid {
  int context = 0, rows = 0, columns = 0, row = 0, column = 0;
};

template <class T>
T element(Dice& dice) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(dice.element());
  } else {
    using R = typename T::value_type;
    const R real = static_cast<R>(dice.element());
    return {real, static_cast<R>(dice.element())};
  }
}

// The submatrix of a distributed matrix that a call is about, and the whole of it on every process.
template <class T>
struct Matrix {
  int rows = 0, columns = 0;  // of the submatrix
  int i = 1, j = 1;
  int descriptor[9] = {};
  Cyclic down, across;
  Grid grid;
  std::vector<T> whole;  // the submatrix, column-major
  std::vector<T> local;  // with the elements around it, which must stay as they are

  int leading() const { return std::max(1, rows); }
  T& at(int r, int c) {
    return whole[static_cast<std::size_t>(r) +
                 static_cast<std::size_t>(c) * static_cast<std::size_t>(leading())];
  }
};

// Where a global index lies: process and place there.
struct Place {
  int process;
  std::int64_t local;
};
Place place(const Cyclic& d, std::int64_t index) {
  const std::int64_t block = index / d.block;
  const auto process = static_cast<int>((block + d.source) % d.processes);
  return {process, block / d.processes * d.block + index % d.block};
}

template <class T, class Function>
void for_each_own(Matrix<T>& m, Function function) {
  for (int c = 0; c < m.columns; ++c) {
    const Place across = place(m.across, m.j - 1 + c);
    if (across.process != m.grid.column) continue;
    for (int r = 0; r < m.rows; ++r) {
      const Place down = place(m.down, m.i - 1 + r);
      if (down.process != m.grid.row) continue;
      function(r, c,
               m.local[static_cast<std::size_t>(down.local + across.local * m.descriptor[8])]);
    }
  }
}

template <class T>
constexpr T around = T(77);

// How a matrix's blocks lie. Factorizations want square blocks and submatrices that begin with one.
struct Shape {
  int row_block, column_block, row_source, column_source;
  bool aligned;
};

Shape any_shape(Dice& dice, const Grid& grid) {
  return {dice.between(1, 17), dice.between(1, 17), dice.below(grid.rows), dice.below(grid.columns),
          false};
}

Shape square_shape(Dice& dice, const Grid& grid) {
  const int block = dice.between(1, 17);
  return {block, block, dice.below(grid.rows), dice.below(grid.columns), true};
}

template <class T>
Matrix<T> matrix(Dice& dice, const Grid& grid, const Shape& shape, int rows, int columns) {
  Matrix<T> m;
  m.rows = rows;
  m.columns = columns;
  m.grid = grid;
  m.down = {shape.row_block, shape.row_source, grid.rows, shape.row_block};
  m.across = {shape.column_block, shape.column_source, grid.columns, shape.column_block};
  m.i = 1 + (shape.aligned ? shape.row_block * dice.below(3) : dice.below(20));
  m.j = 1 + (shape.aligned ? shape.column_block * dice.below(3) : dice.below(20));
  const int all_rows = m.i - 1 + rows + dice.below(5);
  const int all_columns = m.j - 1 + columns + dice.below(5);
  const auto height = static_cast<int>(m.down.count(all_rows, grid.row));
  const int leading = std::max(1, height) + dice.below(3);
  const int d[] = {1,
                   grid.context,
                   all_rows,
                   all_columns,
                   shape.row_block,
                   shape.column_block,
                   shape.row_source,
                   shape.column_source,
                   leading};
  std::copy(std::begin(d), std::end(d), m.descriptor);
  m.whole.resize(static_cast<std::size_t>(m.leading()) *
                 static_cast<std::size_t>(std::max(1, columns)));
  for (T& x : m.whole) x = element<T>(dice);
  m.local.assign(static_cast<std::size_t>(leading) *
                     static_cast<std::size_t>(m.across.count(all_columns, grid.column) + 1),
                 around<T>);
  return m;
}

template <class T>
void distribute(Matrix<T>& m) {
  for_each_own(m, [&](int r, int c, T& x) { x = m.at(r, c); });
}

// Both sides of the diagonal alike, and the diagonal large: what Cholesky and solves are fed with.
template <class T>
void make_dominant(Matrix<T>& m) {
  for (int c = 0; c < m.columns; ++c) {
    for (int r = 0; r < std::min(c, m.rows); ++r) {
      if (c < m.rows) m.at(c, r) = conjugate(m.at(r, c));
    }
    if (c < m.rows)
      m.at(c, c) =
          static_cast<T>(static_cast<decltype(std::abs(T{}))>(2 * std::max(m.rows, m.columns)));
  }
}

// The largest difference of this process's elements from `expected`, where counts(r, c).
template <class T, class Counts>
double difference(Matrix<T>& m, const std::vector<T>& expected, Counts counts) {
  double most = 0;
  for_each_own(m, [&](int r, int c, const T& x) {
    if (!counts(r, c)) return;
    const T e = expected[static_cast<std::size_t>(r) +
                         static_cast<std::size_t>(c) * static_cast<std::size_t>(m.leading())];
    const double d = std::abs(x - e);
    most = std::max(most, std::isnan(d) ? std::numeric_limits<double>::infinity() : d);
  });
  return most;
}

// Elements outside of the submatrix that have changed.
template <class T>
bool touched_around(Matrix<T> m) {
  for_each_own(m, [](int, int, T& x) { x = around<T>; });
  return std::any_of(m.local.begin(), m.local.end(), [](const T& x) { return x != around<T>; });
}

template <class T>
double size_of(const std::vector<T>& v) {
  double most = 1;
  for (const T& x : v) most = std::max(most, static_cast<double>(std::abs(x)));
  return most;
}

template <class T>
struct Outcome {
  double error = 0;      // relative
  bool outside = false;  // wrote where it must not
};

template <class T, class Counts>
Outcome<T> outcome(Matrix<T>& m, const std::vector<T>& expected, Counts counts) {
  return {difference(m, expected, counts) / size_of(expected), touched_around(m)};
}

constexpr auto everywhere = [](int, int) { return true; };
auto in_triangle(char uplo) {
  return [uplo](int r, int c) { return uplo == 'L' ? r >= c : r <= c; };
}

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

constexpr std::array names = {"gemm", "symm", "syrk", "trsm", "potrf", "getrf", "potrs", "gemr2d"};

template <class T>
Outcome<T> call(std::size_t kind, Dice& dice, const Grid& grid, int most) {
  constexpr std::array<Kind<T>, names.size()> kinds = {gemm<T>,  symm<T>,  syrk<T>,  trsm<T>,
                                                       potrf<T>, getrf<T>, potrs<T>, gemr2d<T>};
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
