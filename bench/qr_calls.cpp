// SPDX-License-Identifier: BSD-3-Clause
// Seconds of pdgeqrf, pdorgqr and pdormqr as a program calls them, with whichever library serves
// them (bench/qr_speed preloads redblue): the slowest rank's, each repetition's on the first.
//   mpirun -n 4 qr_calls M N GRID_ROWS GRID_COLUMNS BLOCK [REPETITIONS]
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "redblue/layout.hpp"
#include "timing.hpp"

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void pdgeqrf_(const int*, const int*, double*, const int*, const int*, const int*, double*, double*,
              const int*, int*);
void pdorgqr_(const int*, const int*, const int*, double*, const int*, const int*, const int*,
              const double*, double*, const int*, int*);
void pdormqr_(const char*, const char*, const int*, const int*, const int*, const double*,
              const int*, const int*, const int*, const double*, double*, const int*, const int*,
              const int*, double*, const int*, int*);
}

namespace {

using redblue::bench::slowest;

double timed(const std::function<void()>& call) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  call();
  return slowest(MPI_Wtime() - start);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 6) return 2;
  const int m = std::atoi(argv[1]);
  const int n = std::atoi(argv[2]);
  const int rows = std::atoi(argv[3]);
  const int columns = std::atoi(argv[4]);
  const int block = std::atoi(argv[5]);
  const int repetitions = argc > 6 ? std::atoi(argv[6]) : 3;
  int context = 0;
  int row = 0;
  int column = 0;
  int grid_rows = 0;
  int grid_columns = 0;
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, "Row", rows, columns);
  Cblacs_gridinfo(context, &grid_rows, &grid_columns, &row, &column);
  const redblue::Cyclic down = {block, 0, rows, block};
  const redblue::Cyclic across = {block, 0, columns, block};
  const int leading = std::max(1, static_cast<int>(down.count(m, row)));
  const auto words = static_cast<std::size_t>(leading * across.count(n, column)) + 1;
  const int descriptor[] = {1, context, m, n, block, block, 0, 0, leading};
  std::srand(static_cast<unsigned>(row * columns + column));
  std::vector<double> random(words);
  for (double& x : random) x = std::rand() / (RAND_MAX + 1.0) - 0.5;
  std::vector<double> tau(static_cast<std::size_t>(n) + 1);
  const int one = 1;
  const int reflectors = std::min(m, n);
  const auto local_columns = static_cast<int>(across.count(n, column));
  std::vector<double> work(static_cast<std::size_t>(block) *
                               static_cast<std::size_t>(leading + local_columns + 3 * block) +
                           1);
  const int size = static_cast<int>(work.size());
  int info = 0;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < repetitions; ++i) {
    std::vector<double> a = random;
    const double factor = timed([&] {
      pdgeqrf_(&m, &n, a.data(), &one, &one, descriptor, tau.data(), work.data(), &size, &info);
    });
    std::vector<double> c = random;
    const double apply = timed([&] {
      pdormqr_("L", "T", &m, &n, &reflectors, a.data(), &one, &one, descriptor, tau.data(),
               c.data(), &one, &one, descriptor, work.data(), &size, &info);
    });
    double form = 0;
    if (m >= n) {
      form = timed([&] {
        pdorgqr_(&m, &n, &n, a.data(), &one, &one, descriptor, tau.data(), work.data(), &size,
                 &info);
      });
    }
    if (rank == 0) std::printf("geqrf %.4f ormqr %.4f orgqr %.4f\n", factor, apply, form);
  }
  MPI_Finalize();
}
