// SPDX-License-Identifier: BSD-3-Clause
// Run under mpirun: ScaLAPACK's names as a program calls them, with redblue in front; every rank
// compares what it holds with the definition. REDBLUE_MIN_WORK=0 makes redblue serve all sizes.
//   surface_ranks_test [WRONG]
// With WRONG (an argument's name) it makes one wrong call, of pdgemm_ or the routine named,
// instead.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "layout/arrangement.hpp"
#include "matgen/check.hpp"
#include "redblue/redblue.h"

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridmap(int* context, const int* map, int leading, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
using Z = std::complex<double>;
using C = std::complex<float>;
void pdtran_(const int*, const int*, const double*, const double*, const int*, const int*,
             const int*, const double*, double*, const int*, const int*, const int*);
void pstran_(const int*, const int*, const float*, const float*, const int*, const int*, const int*,
             const float*, float*, const int*, const int*, const int*);
void pztranc_(const int*, const int*, const Z*, const Z*, const int*, const int*, const int*,
              const Z*, Z*, const int*, const int*, const int*);
void pctranu_(const int*, const int*, const C*, const C*, const int*, const int*, const int*,
              const C*, C*, const int*, const int*, const int*);
void Cpdgemr2d(int, int, const double*, int, int, const int*, double*, int, int, const int*, int);
void pzgemr2d_(const int*, const int*, const Z*, const int*, const int*, const int*, Z*, const int*,
               const int*, const int*, const int*);
void Cpigemr2d(int, int, const int*, int, int, const int*, int*, int, int, const int*, int);
void pdgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
             const double*, const int*, const int*, const int*, const double*, const int*,
             const int*, const int*, const double*, double*, const int*, const int*, const int*);
void pdsyrk_(const char*, const char*, const int*, const int*, const double*, const double*,
             const int*, const int*, const int*, const double*, double*, const int*, const int*,
             const int*);
void pdpotrf_(const char*, const int*, double*, const int*, const int*, const int*, int*);
void pzgetrf_(const int*, const int*, Z*, const int*, const int*, const int*, int*, int*);
void pdgesv_(const int*, const int*, double*, const int*, const int*, const int*, int*, double*,
             const int*, const int*, const int*, int*);
void pdposv_(const char*, const int*, const int*, double*, const int*, const int*, const int*,
             double*, const int*, const int*, const int*, int*);
void pdtrsv_(const char*, const char*, const char*, const int*, const double*, const int*,
             const int*, const int*, double*, const int*, const int*, const int*, const int*);
void pdtrsm_(const char*, const char*, const char*, const char*, const int*, const int*,
             const double*, const double*, const int*, const int*, const int*, double*, const int*,
             const int*, const int*);
}

namespace redblue {

using namespace linalg;
using comm::conjugated;

namespace {

int failures = 0;
long expected_served = 0;
long expected_passed_on = 0;

void expect(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  ++failures;
}

// A distributed matrix of a process grid as a ScaLAPACK program has it, one seeded random matrix.
template <class T>
struct Matrix {
  std::array<int, 9> descriptor;
  std::vector<layout::Patch> patches;  // of the rows x columns at (i, j), counted from 1
  std::vector<T> values;
};

struct Place {
  int i, j, block_rows, block_columns, row_source, column_source;
};

template <class T>
Matrix<T> matrix(int context, int rows, int columns, const Place& at, std::uint64_t seed) {
  int grid[2] = {-1, -1};
  int place[2] = {-1, -1};
  if (context >= 0) Cblacs_gridinfo(context, &grid[0], &grid[1], &place[0], &place[1]);
  const int all_rows = at.i + rows + 2;
  const int all_columns = at.j + columns + 1;
  Matrix<T> m;
  int leading = 1;
  if (place[0] >= 0) {
    const Cyclic down = {at.block_rows, at.row_source % grid[0], grid[0], at.block_rows};
    const Cyclic across = {at.block_columns, at.column_source % grid[1], grid[1], at.block_columns};
    leading = static_cast<int>(down.count(all_rows, place[0])) + 3;
    m.values.assign(static_cast<std::size_t>(leading * across.count(all_columns, place[1])), T(7));
    m.patches = {{layout::local_indices(down, place[0], at.i - 1, rows),
                  layout::local_indices(across, place[1], at.j - 1, columns), 0, leading}};
    layout::for_each_element(m.patches, [&](std::int64_t r, std::int64_t c, std::int64_t x) {
      m.values[static_cast<std::size_t>(x)] =
          static_cast<T>(1000) * matgen::random_number<T>(seed, r, c);
    });
  }
  // who is outside the grid knows nothing of its shape
  m.descriptor = {1,
                  place[0] >= 0 ? context : -1,
                  all_rows,
                  all_columns,
                  at.block_rows,
                  at.block_columns,
                  grid[0] > 0 ? at.row_source % grid[0] : 0,
                  grid[1] > 0 ? at.column_source % grid[1] : 0,
                  leading};
  return m;
}

// Elements that were compared on this rank, by what was called.
std::map<std::string, double> compared;

// Checks that the matrix now holds wanted(row, column) and nothing else has changed.
template <class T, class Wanted>
void expect_holds(const char* what, const Matrix<T>& before, const Matrix<T>& after,
                  Wanted wanted) {
  bool right = true;
  std::vector<bool> inside(after.values.size());
  layout::for_each_element(after.patches, [&](std::int64_t r, std::int64_t c, std::int64_t place) {
    const auto x = static_cast<std::size_t>(place);
    inside[x] = true;
    ++compared[what];
    const double off = std::abs(Z(after.values[x]) - Z(wanted(r, c)));
    right = right && off <= 1e-2 * 1000 * (sizeof(T) % 8 == 0 ? 1e-9 : 1e-3);
  });
  for (std::size_t x = 0; x < inside.size(); ++x) {
    right = right && (inside[x] || after.values[x] == before.values[x]);
  }
  expect(right, what);
}

// A call that no rank compared anything of has not been tried.
void expect_all_compared(comm::Communicator& world) {
  for (const char* what :
       {"pdtran", "pstran", "pztranc", "pctranu", "pdgemr2d to a line", "pdgemr2d to some",
        "pzgemr2d from some", "redblue_pzgemm", "pdtran on all", "pdtran on some"}) {
    std::vector<double> elements = {compared[what]};
    world.sum(elements);
    expect(elements[0] > 0, std::string("nothing compared of ") + what);
  }
}

template <class T>
T element(std::uint64_t seed, std::int64_t row, std::int64_t column) {
  return static_cast<T>(1000) * matgen::random_number<T>(seed, row, column);
}

template <class T, class Tran>
void check_transposition(int context, Tran tran, bool conjugate, const char* what) {
  const int m = 83;
  const int n = 61;
  const Place at_a = {3, 5, 4, 7, 1, 0};
  const Place at_c = {2, 1, 6, 3, 0, 1};
  const Matrix<T> a = matrix<T>(context, n, m, at_a, 1);
  const Matrix<T> before = matrix<T>(context, m, n, at_c, 2);
  Matrix<T> c = before;
  const T alpha = T(2);
  const T beta = T(-0.5);
  tran(&m, &n, &alpha, a.values.data(), &at_a.i, &at_a.j, a.descriptor.data(), &beta,
       c.values.data(), &at_c.i, &at_c.j, c.descriptor.data());
  ++expected_served;
  expect_holds(what, before, c, [&](std::int64_t r, std::int64_t k) {
    const T x = element<T>(1, k, r);
    return alpha * (conjugate ? conjugated(x) : x) + beta * element<T>(2, r, k);
  });
}

template <class T, class Move>
void check_move(int from, int to, int world, Move move, const char* what) {
  const int m = 120;
  const int n = 45;
  const Place at_a = {1, 4, 5, 2, 0, 1};
  const Place at_b = {7, 2, 3, 8, 1, 0};
  const Matrix<T> a = matrix<T>(from, m, n, at_a, 1);
  const Matrix<T> before = matrix<T>(to, m, n, at_b, 2);
  Matrix<T> b = before;
  move(m, n, a.values.data(), at_a.i, at_a.j, a.descriptor.data(), b.values.data(), at_b.i, at_b.j,
       b.descriptor.data(), world);
  ++expected_served;
  expect_holds(what, before, b, [](std::int64_t r, std::int64_t c) { return element<T>(1, r, c); });
}

void check_product(int context) {
  const int m = 50;
  const int n = 40;
  const int k = 30;
  const Place at = {2, 3, 4, 5, 0, 0};
  const Matrix<Z> a = matrix<Z>(context, k, m, at, 1);
  const Matrix<Z> b = matrix<Z>(context, k, n, at, 3);
  const Matrix<Z> before = matrix<Z>(context, m, n, at, 2);
  Matrix<Z> c = before;
  const Z alpha(1e-6, 0);
  const Z beta(0, 1);
  redblue_pzgemm('C', 'n', m, n, k, &alpha, a.values.data(), at.i, at.j, a.descriptor.data(),
                 b.values.data(), at.i, at.j, b.descriptor.data(), &beta, c.values.data(), at.i,
                 at.j, c.descriptor.data());
  ++expected_served;
  expect_holds("redblue_pzgemm", before, c, [&](std::int64_t r, std::int64_t col) {
    Z sum = beta * element<Z>(2, r, col);
    for (int l = 0; l < k; ++l) {
      sum += alpha * std::conj(element<Z>(1, l, r)) * element<Z>(3, l, col);
    }
    return sum;
  });
}

// A symmetric matrix in both triangles; row and column `broken` make a minor that is not positive.
void check_cholesky_of(int context, comm::Communicator& world, int broken) {
  const int n = 90;
  const Place at = {9, 17, 8, 8, 1, 0};
  Matrix<double> a = matrix<double>(context, n, n, at, 1);
  layout::for_each_element(a.patches, [&](std::int64_t r, std::int64_t c, std::int64_t x) {
    const bool here = r == broken && c == broken;
    a.values[static_cast<std::size_t>(x)] = here ? -1 : matgen::definite_number<double>(r, c, n);
  });
  int info = -9;
  pdpotrf_("L", &n, a.values.data(), &at.i, &at.j, a.descriptor.data(), &info);
  ++expected_served;
  expect(info == broken + 1, "pdpotrf's info");
  if (broken >= 0) return;
  expect(matgen::check_cholesky(world, n, a.patches, a.values.data()).ok, "pdpotrf");
}

void check_lu_of(int context, comm::Communicator& world) {
  const int m = 100;
  const int n = 70;
  const Place at = {17, 9, 8, 8, 0, 1};
  Matrix<Z> a = matrix<Z>(context, m, n, at, 1);
  layout::for_each_element(a.patches, [&](std::int64_t r, std::int64_t c, std::int64_t x) {
    a.values[static_cast<std::size_t>(x)] = matgen::random_number<Z>(matgen::seed_a, r, c);
  });
  std::vector<int> local(static_cast<std::size_t>(m + at.i + at.block_rows));
  int info = -9;
  pzgetrf_(&m, &n, a.values.data(), &at.i, &at.j, a.descriptor.data(), local.data(), &info);
  ++expected_served;
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(n), -1);
  for (const layout::Interval& rows : a.patches.front().rows.intervals()) {
    for (std::int64_t r = rows.begin; r < std::min<std::int64_t>(n, rows.end); ++r) {
      pivots[static_cast<std::size_t>(r)] =
          local[static_cast<std::size_t>(rows.position + r - rows.begin)] - at.i;
    }
  }
  for (std::int64_t& p : pivots) p = world.maximum(p);
  expect(info == 0 && matgen::check_lu(world, m, n, pivots, a.patches, a.values.data()).ok,
         "pzgetrf");
  const int wrong = -1;
  pzgetrf_(&m, &wrong, a.values.data(), &at.i, &at.j, a.descriptor.data(), local.data(), &info);
  ++expected_passed_on;
  expect(info == -2, "pzgetrf's info for a negative size");
}

// ScaLAPACK's drivers come here for the factorization and for the solve.
void check_systems_of(int context, comm::Communicator& world) {
  const int n = 70;
  const int sides = 13;
  const Place at = {17, 9, 8, 8, 0, 1};
  const Place at_b = {9, 5, 8, 4, 1, 0};
  for (const bool definite : {false, true}) {
    const auto element = [definite](std::int64_t i, std::int64_t j) {
      return definite ? matgen::definite_number<double>(i, j, n)
                      : matgen::random_number<double>(matgen::seed_a, i, j);
    };
    Matrix<double> a = matrix<double>(context, n, n, at, 1);
    Matrix<double> b = matrix<double>(context, n, sides, at_b, 2);
    layout::for_each_element(a.patches, [&](std::int64_t r, std::int64_t c, std::int64_t x) {
      a.values[static_cast<std::size_t>(x)] = element(r, c);
    });
    std::vector<int> pivots(static_cast<std::size_t>(n + at.i + at.block_rows));
    int info = -9;
    if (definite) {
      pdposv_("U", &n, &sides, a.values.data(), &at.i, &at.j, a.descriptor.data(), b.values.data(),
              &at_b.i, &at_b.j, b.descriptor.data(), &info);
    } else {
      pdgesv_(&n, &sides, a.values.data(), &at.i, &at.j, a.descriptor.data(), pivots.data(),
              b.values.data(), &at_b.i, &at_b.j, b.descriptor.data(), &info);
    }
    expected_served += 2;
    std::vector<double> x(static_cast<std::size_t>(n * sides));
    layout::for_each_element(b.patches, [&](std::int64_t r, std::int64_t c, std::int64_t place) {
      x[static_cast<std::size_t>(r + c * n)] = b.values[static_cast<std::size_t>(place)];
    });
    world.sum(x);
    double left = 0;
    double size = 0;
    for (std::int64_t c = 0; c < sides; ++c) {
      for (std::int64_t r = 0; r < n; ++r) {
        double rest = 1000 * matgen::random_number<double>(2, r, c);
        for (std::int64_t k = 0; k < n; ++k) {
          rest -= element(r, k) * x[static_cast<std::size_t>(k + c * n)];
        }
        left = std::max(left, std::abs(rest));
        size = std::max(size, std::abs(x[static_cast<std::size_t>(r + c * n)]) * n);
      }
    }
    expect(info == 0 && left <= 1e-13 * (size + 1000), definite ? "pdposv" : "pdgesv");
  }
}

// The last ranks of the world as a column, in descending order.
int column_of_last(int ranks, int count) {
  std::vector<int> map;
  for (int r = 0; r < count; ++r) map.push_back(ranks - 1 - r);
  int context = -1;
  Cblacs_get(0, 0, &context);
  Cblacs_gridmap(&context, map.data(), count, count, 1);
  return context;
}

int grid(int rows, int columns) {
  int context = -1;
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, "Column", rows, columns);
  return context;
}

bool inside(int context) {
  int shape[2];
  int place[2];
  Cblacs_gridinfo(context, &shape[0], &shape[1], &place[0], &place[1]);
  return place[0] >= 0;
}

// Context numbers are used again, by some processes more often than by others.
void check_numbers_used_again(int ranks) {
  for (int turn = 0; turn < 3; ++turn) {
    const int whole = grid(1, ranks);
    check_transposition<double>(whole, pdtran_, false, "pdtran on all");
    Cblacs_gridexit(whole);
    const int some = column_of_last(ranks, (ranks + 1) / 2);
    if (!inside(some)) continue;
    check_transposition<double>(some, pdtran_, false, "pdtran on some");
    Cblacs_gridexit(some);
  }
}

void check_all(int ranks) {
  const int rows = ranks % 3 == 0 ? 3 : ranks % 2 == 0 ? 2 : 1;
  const int whole = grid(rows, ranks / rows);
  const int line = grid(1, ranks);
  const int some = column_of_last(ranks, (ranks + 1) / 2);
  check_transposition<double>(whole, pdtran_, false, "pdtran");
  check_transposition<float>(whole, pstran_, false, "pstran");
  check_transposition<Z>(whole, pztranc_, true, "pztranc");
  check_transposition<C>(whole, pctranu_, false, "pctranu");
  check_move<double>(whole, line, whole, Cpdgemr2d, "pdgemr2d to a line");
  check_move<double>(whole, some, line, Cpdgemr2d, "pdgemr2d to some");
  check_move<Z>(
      some, whole, line,
      [](int m, int n, const Z* a, int ia, int ja, const int* da, Z* b, int ib, int jb,
         const int* db, int world) { pzgemr2d_(&m, &n, a, &ia, &ja, da, b, &ib, &jb, db, &world); },
      "pzgemr2d from some");
  check_product(whole);
  check_numbers_used_again(ranks);
  {
    comm::Communicator world(MPI_COMM_WORLD);
    check_cholesky_of(whole, world, -1);
    check_cholesky_of(whole, world, 40);
    check_lu_of(whole, world);
    check_systems_of(whole, world);
    expect_all_compared(world);
  }
  long served = 0;
  long passed_on = 0;
  redblue_served(&served, &passed_on);
  expect(served == expected_served && passed_on == expected_passed_on,
         "calls redblue did not serve");
  for (const int context : {whole, line, some}) {
    if (inside(context)) Cblacs_gridexit(context);
  }
}

// One wrong argument; ScaLAPACK's convention is a message and the end of the program.
void call_wrongly(const std::string& wrong, int ranks) {
  const int context = grid(1, ranks);
  const int other = grid(ranks, 1);
  const int n = 20;
  const Place at = {1, 1, 4, 4, 0, 0};
  Matrix<double> a = matrix<double>(context, n, n, at, 1);
  Matrix<double> b = matrix<double>(wrong == "context" ? other : context, n, n, at, 1);
  Matrix<double> c = matrix<double>(context, n, n, at, 1);
  if (wrong == "descriptor") a.descriptor[4] = -4;
  const int m = wrong == "m" ? -1 : n;
  const int i = wrong == "submatrix" ? 15 : 1;
  const char op = wrong == "operation" ? 'X' : 'N';
  const double one = 1;
  if (wrong == "syrk") {
    const int negative = -1;
    pdsyrk_("L", "N", &n, &negative, &one, a.values.data(), &at.i, &at.j, a.descriptor.data(), &one,
            c.values.data(), &at.i, &at.j, c.descriptor.data());
  }
  if (wrong == "syrk-null") {
    pdsyrk_("L", "N", &n, &n, &one, nullptr, &at.i, &at.j, a.descriptor.data(), &one,
            c.values.data(), &at.i, &at.j, c.descriptor.data());
  }
  if (wrong == "trsm") {
    pdtrsm_("L", "L", "X", "N", &n, &n, &one, a.values.data(), &at.i, &at.j, a.descriptor.data(),
            c.values.data(), &at.i, &at.j, c.descriptor.data());
  }
  if (wrong == "trsm-null") {
    pdtrsm_("L", "L", "N", "N", &n, &n, &one, nullptr, &at.i, &at.j, a.descriptor.data(),
            c.values.data(), &at.i, &at.j, c.descriptor.data());
  }
  if (wrong == "trsv" || wrong == "trsv-null") {
    const int increment = wrong == "trsv" ? 3 : 1;  // neither 1 nor M_X
    pdtrsv_("L", "N", "N", &n, wrong == "trsv" ? a.values.data() : nullptr, &at.i, &at.j,
            a.descriptor.data(), c.values.data(), &at.i, &at.j, c.descriptor.data(), &increment);
  }
  if (wrong == "potrf-null") {
    int info = 0;
    pdpotrf_("L", &n, nullptr, &at.i, &at.j, a.descriptor.data(), &info);
  }
  pdgemm_(&op, "N", &m, &n, &n, &one, wrong == "null" ? nullptr : a.values.data(), &i, &at.j,
          a.descriptor.data(), b.values.data(), &at.i, &at.j, b.descriptor.data(), &one,
          c.values.data(), &at.i, &at.j, c.descriptor.data());
}

}  // namespace
}  // namespace redblue

int main(int argc, char** argv) {
  const redblue::comm::Session session;
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 1) {
    redblue::call_wrongly(argv[1], ranks);
    return 0;
  }
  redblue::check_all(ranks);
  return redblue::failures == 0 ? 0 : 1;
}
