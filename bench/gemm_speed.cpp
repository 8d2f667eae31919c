// SPDX-License-Identifier: BSD-3-Clause
// Speed of gemm in its native layout against what one-rank-per-core BLAS reaches, in one run.
//   mpirun -n 4 gemm_speed [SIZE [PAIRS [CORES]]]
// Alternates: CORES ranks multiply local matrices at the same time (the others sleep), then all
// ranks execute the plan. The first execution is reported apart: a plan must be warm from the
// start.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "linalg/blas/blas.hpp"
#include "redblue/gemm.hpp"
#include "timing.hpp"

namespace {

using redblue::bench::median;
using redblue::bench::slowest;

// A barrier that leaves the processor to others.
void sleeping_barrier() {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) usleep(200);
  }
}

// All cores together multiply n x n x n: each core an n/cores x n x n slice.
double blas_seconds(std::int64_t n, int cores, int rank, const std::vector<double>& x,
                    std::vector<double>& y) {
  sleeping_barrier();
  double elapsed = 0;
  if (rank < cores) {
    const double start = MPI_Wtime();
    redblue::blas::gemm<double>(n / cores, n, n, 1.0, {x.data(), n / cores}, {x.data(), n}, 0.0,
                                y.data(), n / cores);
    elapsed = MPI_Wtime() - start;
  }
  sleeping_barrier();
  return slowest(elapsed);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  redblue::blas::use_one_thread();
  const std::int64_t n = argc > 1 ? std::atol(argv[1]) : 3000;
  const int pairs = argc > 2 ? std::atoi(argv[2]) : 7;
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int online = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  const int cores = std::min(ranks, argc > 3 ? std::atoi(argv[3]) : online);
  const std::size_t words = static_cast<std::size_t>(rank < cores ? n * n : 0);
  const std::vector<double> x(words, 0.5);
  std::vector<double> y(words);
  {
    redblue::GemmPlan<double> plan(MPI_COMM_WORLD, {n, n, n});
    const auto owned = [&plan](redblue::Operand o) {
      return static_cast<std::size_t>(plan.owned(o).value);
    };
    const std::vector<double> a(owned(redblue::Operand::a), 0.5);
    const std::vector<double> b(owned(redblue::Operand::b), 0.5);
    std::vector<double> c(owned(redblue::Operand::c));
    const auto execute = [&] {
      sleeping_barrier();
      const double start = MPI_Wtime();
      plan.execute(1.0, a.data(), b.data(), 0.0, c.data());
      return slowest(MPI_Wtime() - start);
    };
    const double first = execute();
    const double second = execute();
    std::vector<double> fractions;
    const double gflop =
        2e-9 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
    if (rank == 0) {
      std::printf("gemm %ld^3 on %d ranks, %d cores: %s\n", static_cast<long>(n), ranks, cores,
                  plan.decomposition().name().c_str());
      std::printf("first execution %.3f s, second %.3f s: %.2f x\n", first, second, first / second);
      std::printf("%6s %14s %14s %10s\n", "pair", "BLAS GF/s", "redblue GF/s", "fraction");
    }
    for (int p = 0; p < pairs; ++p) {
      const double blas = blas_seconds(n, cores, rank, x, y);
      const double mine = execute();
      fractions.push_back(blas / mine);
      if (rank == 0)
        std::printf("%6d %14.1f %14.1f %10.3f\n", p, gflop / blas, gflop / mine, blas / mine);
    }
    if (rank == 0)
      std::printf("median fraction of one-rank-per-core BLAS: %.3f\n", median(fractions));
  }
  MPI_Finalize();
}
