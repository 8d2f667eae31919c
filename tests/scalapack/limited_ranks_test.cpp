// SPDX-License-Identifier: BSD-3-Clause
// Run under mpirun -n 4: one call of ScaLAPACK served by redblue within REDBLUE_MEMORY. Its result
// is compared with ScaLAPACK's own, and the memory that a process grew by during the call with the
// limit.
//   limited_ranks_test ROUTINE N     gemm, syrk, trmm, potrf or getrf of n x n doubles
// Prints "served S, grew by BYTES" of the process that grew most; exit status 1 for a wrong result.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "redblue/layout.hpp"
#include "redblue/redblue.h"

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void pdgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
             const double*, const int*, const int*, const int*, const double*, const int*,
             const int*, const int*, const double*, double*, const int*, const int*, const int*);
void pdsyrk_(const char*, const char*, const int*, const int*, const double*, const double*,
             const int*, const int*, const int*, const double*, double*, const int*, const int*,
             const int*);
void pdtrmm_(const char*, const char*, const char*, const char*, const int*, const int*,
             const double*, const double*, const int*, const int*, const int*, double*, const int*,
             const int*, const int*);
void pdpotrf_(const char*, const int*, double*, const int*, const int*, const int*, int*);
void pdgetrf_(const int*, const int*, double*, const int*, const int*, const int*, int*, int*);
}

namespace {

constexpr int block = 50;

struct Problem {
  std::string routine;
  int n;
  int descriptor[9];
  std::vector<double> a, c;
  std::vector<int> pivots;
};

Problem problem(const std::string& routine, int n) {
  int context = 0, rows = 0, columns = 0, row = 0, column = 0;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "R", 2, 2);
  Cblacs_gridinfo(context, &rows, &columns, &row, &column);
  const redblue::Cyclic half = {block, 0, 2, block};
  const std::int64_t height = half.count(n, row);
  const std::int64_t width = half.count(n, column);
  Problem p{routine, n,  {1, context, n, n, block, block, 0, 0, static_cast<int>(height)},
            {},      {}, {}};
  const auto global = [](std::int64_t local, int process) {
    return (local / block * 2 + process) * block + local % block;
  };
  const bool factors = routine == "potrf" || routine == "getrf";
  for (std::int64_t j = 0; j < width; ++j) {
    for (std::int64_t i = 0; i < height; ++i) {
      const auto x = static_cast<double>(std::min(global(i, row), global(j, column)));
      const auto y = static_cast<double>(std::max(global(i, row), global(j, column)));
      p.a.push_back(std::sin(x + 3 * y) + (x == y && factors ? 2 * n : 0));
    }
  }
  p.pivots.resize(static_cast<std::size_t>(n + block));
  p.c = p.a;
  return p;
}

void call(Problem& p) {
  const int one = 1;
  const double alpha = 1;
  int info = 0;
  if (p.routine == "gemm") {
    pdgemm_("N", "N", &p.n, &p.n, &p.n, &alpha, p.a.data(), &one, &one, p.descriptor, p.a.data(),
            &one, &one, p.descriptor, &alpha, p.c.data(), &one, &one, p.descriptor);
  } else if (p.routine == "syrk") {
    pdsyrk_("L", "N", &p.n, &p.n, &alpha, p.a.data(), &one, &one, p.descriptor, &alpha, p.c.data(),
            &one, &one, p.descriptor);
  } else if (p.routine == "trmm") {
    pdtrmm_("L", "L", "N", "N", &p.n, &p.n, &alpha, p.a.data(), &one, &one, p.descriptor,
            p.c.data(), &one, &one, p.descriptor);
  } else if (p.routine == "potrf") {
    pdpotrf_("L", &p.n, p.c.data(), &one, &one, p.descriptor, &info);
  } else {
    pdgetrf_(&p.n, &p.n, p.c.data(), &one, &one, p.descriptor, p.pivots.data(), &info);
  }
}

// The most memory that this process has held since forget_peak().
double peak_bytes() {
  constexpr double kibi = 1024;
  std::ifstream in("/proc/self/status");
  for (std::string word; in >> word;) {
    double value = 0;
    if (word == "VmHWM:" && in >> value) return value * kibi;
  }
  return 0;
}
void forget_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

double most(double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  Problem p = problem(argv[1], std::atoi(argv[2]));
  redblue_serve(0);
  call(p);
  const std::vector<double> expected = p.c;
  p.c = p.a;
  redblue_serve(1);
  MPI_Barrier(MPI_COMM_WORLD);
  forget_peak();
  const double before = peak_bytes();
  call(p);
  const double grown = most(peak_bytes() - before);
  double error = 0;
  double size = 0;
  for (std::size_t i = 0; i < p.c.size(); ++i) {
    error = std::max(error, std::abs(p.c[i] - expected[i]));
    size = std::max(size, std::abs(expected[i]));
  }
  error = most(error);
  size = most(size);
  long served = 0;
  long passed_on = 0;
  redblue_served(&served, &passed_on);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    std::printf("served %ld, grew by %.0f, relative error %.1e\n", served, grown, error / size);
  }
  MPI_Finalize();
  return error <= 1e-12 * p.n * size ? 0 : 1;
}
