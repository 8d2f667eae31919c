// SPDX-License-Identifier: BSD-3-Clause
// One call of ScaLAPACK as a program makes it again and again, alternately with redblue in front
// and without: the median seconds of both on the slowest process, as a line of JSON.
//   mpirun -n 4 never_slower ROUTINE M N K BLOCK GRID_ROWS GRID_COLUMNS REPEAT
// ROUTINE: gemm, symm, syrk, syr2k, trsm, trsv, potrf, getrf, potrs, getrs or tran, of doubles.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "redblue/layout.hpp"
#include "redblue/redblue.h"
#include "timing.hpp"

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
using I = const int*;
using D = const double*;
using S = const char*;
void pdgemm_(S, S, I, I, I, D, D, I, I, I, D, I, I, I, D, double*, I, I, I);
void pdsymm_(S, S, I, I, D, D, I, I, I, D, I, I, I, D, double*, I, I, I);
void pdsyrk_(S, S, I, I, D, D, I, I, I, D, double*, I, I, I);
void pdsyr2k_(S, S, I, I, D, D, I, I, I, D, I, I, I, D, double*, I, I, I);
void pdtrsm_(S, S, S, S, I, I, D, D, I, I, I, double*, I, I, I);
void pdtrsv_(S, S, S, I, D, I, I, I, double*, I, I, I, I);
void pdpotrf_(S, I, double*, I, I, I, int*);
void pdgetrf_(I, I, double*, I, I, I, int*, int*);
void pdpotrs_(S, I, I, D, I, I, I, double*, I, I, I, int*);
void pdgetrs_(S, I, I, D, I, I, I, I, double*, I, I, I, int*);
void pdtran_(I, I, D, D, I, I, I, D, double*, I, I, I);
}

namespace {

using redblue::bench::median;
using redblue::bench::slowest;

const int first = 1;
const double zero = 0;
const double one = 1;

struct Grid {
  int context = 0, rows = 0, columns = 0, row = 0, column = 0;
};

// A block-cyclic matrix: elements in -1 .. 1, those on the diagonal larger by `diagonal`.
struct Matrix {
  std::vector<double> words;
  int descriptor[9];
};

double element(std::int64_t i, std::int64_t j) {
  std::uint64_t x = static_cast<std::uint64_t>(i * 2654435761 + j * 40503 + 12345);
  x ^= x >> 15;
  x *= 0x2c1b3c6dU;
  x ^= x >> 12;
  return static_cast<double>(x % 2000) / 1000 - 1;
}

Matrix matrix(const Grid& grid, int rows, int columns, int block, double diagonal) {
  const redblue::Cyclic down = {block, 0, grid.rows, block};
  const redblue::Cyclic across = {block, 0, grid.columns, block};
  const std::int64_t height = down.count(rows, grid.row);
  const std::int64_t width = across.count(columns, grid.column);
  const int leading = static_cast<int>(std::max<std::int64_t>(1, height));
  Matrix result{{}, {1, grid.context, rows, columns, block, block, 0, 0, leading}};
  result.words.resize(static_cast<std::size_t>(leading * std::max<std::int64_t>(1, width)));
  const auto global = [block](std::int64_t local, int process, int processes) {
    return (local / block * processes + process) * block + local % block;
  };
  for (std::int64_t j = 0; j < width; ++j) {
    for (std::int64_t i = 0; i < height; ++i) {
      const std::int64_t row = global(i, grid.row, grid.rows);
      const std::int64_t column = global(j, grid.column, grid.columns);
      // symmetric, so that Cholesky has what it needs
      result.words[static_cast<std::size_t>(i + j * leading)] =
          element(std::min(row, column), std::max(row, column)) + (row == column ? diagonal : 0);
    }
  }
  return result;
}

struct Case {
  std::string routine;
  int m, n, k, block;
};

// The matrices of a case: A, B and what the call overwrites.
struct Matrices {
  Matrix a, b, kept, c;
  std::vector<int> pivots;
  int info = 0;
};

// Products: C is overwritten without being read.
std::map<std::string, std::function<void(const Case&, Matrices&)>> products() {
  const auto by = [](auto call) { return std::function<void(const Case&, Matrices&)>(call); };
  return {
      {"gemm", by([](const Case& x, Matrices& all) {
         pdgemm_("N", "N", &x.m, &x.n, &x.k, &one, all.a.words.data(), &first, &first,
                 all.a.descriptor, all.b.words.data(), &first, &first, all.b.descriptor, &zero,
                 all.c.words.data(), &first, &first, all.c.descriptor);
       })},
      {"symm", by([](const Case& x, Matrices& all) {
         pdsymm_("L", "L", &x.m, &x.n, &one, all.a.words.data(), &first, &first, all.a.descriptor,
                 all.b.words.data(), &first, &first, all.b.descriptor, &zero, all.c.words.data(),
                 &first, &first, all.c.descriptor);
       })},
      {"syrk", by([](const Case& x, Matrices& all) {
         pdsyrk_("L", "N", &x.n, &x.k, &one, all.a.words.data(), &first, &first, all.a.descriptor,
                 &zero, all.c.words.data(), &first, &first, all.c.descriptor);
       })},
      {"syr2k", by([](const Case& x, Matrices& all) {
         pdsyr2k_("L", "N", &x.n, &x.k, &one, all.a.words.data(), &first, &first, all.a.descriptor,
                  all.b.words.data(), &first, &first, all.b.descriptor, &zero, all.c.words.data(),
                  &first, &first, all.c.descriptor);
       })},
      {"tran", by([](const Case& x, Matrices& all) {
         pdtran_(&x.m, &x.n, &one, all.a.words.data(), &first, &first, all.a.descriptor, &zero,
                 all.c.words.data(), &first, &first, all.c.descriptor);
       })},
      {"trsm", by([](const Case& x, Matrices& all) {
         pdtrsm_("L", "L", "N", "N", &x.m, &x.n, &one, all.a.words.data(), &first, &first,
                 all.a.descriptor, all.c.words.data(), &first, &first, all.c.descriptor);
       })},
      {"trsv", by([](const Case& x, Matrices& all) {
         pdtrsv_("L", "N", "N", &x.m, all.a.words.data(), &first, &first, all.a.descriptor,
                 all.c.words.data(), &first, &first, all.c.descriptor, &first);
       })},
      {"potrf", by([](const Case& x, Matrices& all) {
         pdpotrf_("L", &x.m, all.c.words.data(), &first, &first, all.c.descriptor, &all.info);
       })},
      {"getrf", by([](const Case& x, Matrices& all) {
         pdgetrf_(&x.m, &x.n, all.c.words.data(), &first, &first, all.c.descriptor,
                  all.pivots.data(), &all.info);
       })},
      {"potrs", by([](const Case& x, Matrices& all) {
         pdpotrs_("L", &x.m, &x.n, all.a.words.data(), &first, &first, all.a.descriptor,
                  all.c.words.data(), &first, &first, all.c.descriptor, &all.info);
       })},
      {"getrs", by([](const Case& x, Matrices& all) {
         pdgetrs_("N", &x.m, &x.n, all.a.words.data(), &first, &first, all.a.descriptor,
                  all.pivots.data(), all.c.words.data(), &first, &first, all.c.descriptor,
                  &all.info);
       })},
  };
}

Matrices matrices_of(const Case& x, const Grid& grid) {
  const double dominant = 2.0 * std::max({x.m, x.n, x.k});
  const auto make = [&](int rows, int columns, double diagonal = 0) {
    return matrix(grid, rows, columns, x.block, diagonal);
  };
  Matrices all;
  const std::string& r = x.routine;
  if (r == "gemm") {
    all.a = make(x.m, x.k), all.b = make(x.k, x.n), all.kept = make(x.m, x.n);
  } else if (r == "symm") {
    all.a = make(x.m, x.m), all.b = make(x.m, x.n), all.kept = make(x.m, x.n);
  } else if (r == "syrk" || r == "syr2k") {
    all.a = all.b = make(x.n, x.k), all.kept = make(x.n, x.n);
  } else if (r == "tran") {
    all.a = make(x.n, x.m), all.kept = make(x.m, x.n);
  } else if (r == "potrf") {
    all.kept = make(x.m, x.m, dominant);
  } else if (r == "getrf") {
    all.kept = make(x.m, x.n, dominant);
  } else {
    all.a = make(x.m, x.m, dominant), all.kept = make(x.m, r == "trsv" ? 1 : x.n);
  }
  all.pivots.resize(static_cast<std::size_t>(x.m + x.block));
  if (r == "getrs") {  // every row stays where it is
    const redblue::Cyclic down = {x.block, 0, grid.rows, x.block};
    for (std::int64_t i = 0; i < down.count(x.m, grid.row); ++i) {
      all.pivots[static_cast<std::size_t>(i)] =
          static_cast<int>((i / x.block * grid.rows + grid.row) * x.block + i % x.block + 1);
    }
  }
  all.c = all.kept;
  return all;
}

void measure(const Case& x, const Grid& grid, int repeat) {
  Matrices all = matrices_of(x, grid);
  const auto call = products().at(x.routine);
  std::vector<double> seconds[2];
  for (int i = 0; i < 2 * repeat; ++i) {
    const int serves = i % 2;
    redblue_serve(serves);
    all.c.words = all.kept.words;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    call(x, all);
    seconds[serves].push_back(slowest(MPI_Wtime() - start));
  }
  long served = 0;
  long passed_on = 0;
  redblue_served(&served, &passed_on);
  if (grid.row != 0 || grid.column != 0) return;
  std::printf("{\"scalapack\": %.9f, \"redblue\": %.9f, \"served\": %ld, \"first\": %.9f}\n",
              median(seconds[0]), median(seconds[1]), served, seconds[1].front());
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  constexpr int arguments = 9;
  if (argc != arguments || products().count(argv[1]) == 0) {
    std::fprintf(stderr, "usage: never_slower ROUTINE M N K BLOCK GRID_ROWS GRID_COLUMNS REPEAT\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const auto number = [&](int i) { return std::atoi(argv[i]); };
  Grid grid;
  Cblacs_get(-1, 0, &grid.context);
  Cblacs_gridinit(&grid.context, "R", number(6), number(7));
  Cblacs_gridinfo(grid.context, &grid.rows, &grid.columns, &grid.row, &grid.column);
  measure({argv[1], number(2), number(3), number(4), number(5)}, grid, number(8));
  MPI_Finalize();
  return 0;
}
