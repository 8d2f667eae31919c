// SPDX-License-Identifier: BSD-3-Clause
// What small products cost through redblue's ScaLAPACK surface against ScaLAPACK alone, in one run:
// thousands of calls of one size, in alternating batches, and of changing submatrices (as blocked
// factorisations make them), where plans are used once.
//   mpirun -n 4 small_calls [BATCHES]
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "linalg/blas/blas.hpp"
#include "redblue/layout.hpp"
#include "redblue/redblue.h"
#include "scalapack/element.hpp"
#include "timing.hpp"

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
}

namespace {

using redblue::bench::median;
using redblue::bench::slowest;

using Pdgemm = redblue::scalapack::Pgemm<double>;

struct Problem {
  int n;
  int descriptor[9];
  std::vector<double> a, b, c;
};

Problem problem(int n, int context) {
  int rows, columns, row, column;
  Cblacs_gridinfo(context, &rows, &columns, &row, &column);
  constexpr int block = 32;
  const redblue::Cyclic down = {block, 0, rows, block};
  const redblue::Cyclic across = {block, 0, columns, block};
  const int leading = std::max(1, static_cast<int>(down.count(n, row)));
  const std::size_t words = static_cast<std::size_t>(leading * across.count(n, column)) + 1;
  return {n,
          {1, context, n, n, block, block, 0, 0, leading},
          std::vector<double>(words, 0.5),
          std::vector<double>(words, 0.5),
          std::vector<double>(words)};
}

// `calls` products of size x size at (1, 1), or `moving` down the diagonal.
template <class Gemm>
double batch(Problem& p, int size, int calls, bool moving, Gemm gemm) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < calls; ++i) gemm(p, size, moving ? 1 + (i * 7) % (p.n - size + 1) : 1);
  return slowest(MPI_Wtime() - start) / calls;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  redblue::blas::use_one_thread();
  const int batches = argc > 1 ? std::atoi(argv[1]) : 9;
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  void* library = nullptr;
  Pdgemm peer = nullptr;
  for (const char* name : {"libscalapack-openmpi.so.2.2", "libscalapack.so"}) {
    library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (library != nullptr) break;
  }
  if (library != nullptr) peer = reinterpret_cast<Pdgemm>(dlsym(library, "pdgemm_"));
  if (peer == nullptr) {
    std::fprintf(stderr, "small_calls: no ScaLAPACK here\n");
    return 2;
  }
  const int rows = redblue::squarest_grid_rows(ranks);
  int context = 0;
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, "Row", rows, ranks / rows);
  const auto redblue_gemm = [](Problem& p, int size, int at) {
    redblue_pdgemm('N', 'N', size, size, size, 1.0, p.a.data(), at, at, p.descriptor, p.b.data(),
                   at, at, p.descriptor, 0.0, p.c.data(), at, at, p.descriptor);
  };
  const auto peer_gemm = [peer](Problem& p, int size, int at) {
    const double one = 1, zero = 0;
    peer("N", "N", &size, &size, &size, &one, p.a.data(), &at, &at, p.descriptor, p.b.data(), &at,
         &at, p.descriptor, &zero, p.c.data(), &at, &at, p.descriptor);
  };
  if (rank == 0) {
    std::printf("pdgemm on a %d x %d grid, microseconds per call (median of %d batches)\n", rows,
                ranks / rows, batches);
    std::printf("%6s %12s %12s %12s %8s\n", "n", "submatrices", "redblue", "ScaLAPACK", "ratio");
  }
  for (const bool moving : {false, true}) {
    for (const int n : {32, 64, 128, 256, 512}) {
      Problem p = problem(moving ? 2 * n : n, context);
      const int calls = std::max(4, 40000 / (n * n / 64 + n));
      std::vector<double> mine, other;
      for (int b = 0; b < batches; ++b) {
        mine.push_back(batch(p, n, calls, moving, redblue_gemm));
        other.push_back(batch(p, n, calls, moving, peer_gemm));
      }
      if (rank == 0) {
        std::printf("%6d %12s %12.1f %12.1f %8.2f\n", n, moving ? "moving" : "one",
                    1e6 * median(mine), 1e6 * median(other), median(mine) / median(other));
      }
    }
  }
  MPI_Finalize();
}
