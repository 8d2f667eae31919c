// SPDX-License-Identifier: BSD-3-Clause
// A X = B by an LU factorization in single precision, refined to double precision.
//   mpirun -n 4 lu_refined
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <redblue/solve.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int down = redblue::squarest_grid_rows(ranks), across = ranks / down;
  const redblue::Rank rank{me};

  // A(i, j) = cos(i j) / 2, and n on the diagonal; X is all ones, so that B's row i is the sum of
  // A's row i.
  const std::int64_t n = 500;
  const auto element = [n](std::int64_t i, std::int64_t j) {
    return (i == j ? static_cast<double>(n) : 0.0) + std::cos(static_cast<double>(i * j)) / 2;
  };
  redblue::SystemLayouts layouts;
  layouts.a = redblue::block_cyclic(n, n, 32, down, across, rank);
  layouts.b = redblue::block_cyclic(n, 1, 32, down, across, rank);
  auto a = redblue::filled_array<double>(layouts.a, rank, element);
  auto b = redblue::filled_array<double>(layouts.b, rank, [&](auto i, auto) {
    double sum = 0;
    for (std::int64_t j = 0; j < n; ++j) sum += element(i, j);
    return sum;
  });

  redblue::SystemOptions options;
  options.mixed = true;  // half the words; without it, `refinements` steps in double precision
  redblue::SystemPlan<double> system(MPI_COMM_WORLD, layouts, options);
  const std::int64_t info = system.execute(a.data(), b.data());  // b now holds X

  double error = info == 0 ? 0 : 1;
  redblue::for_each_element(layouts.b, rank, [&](auto, auto, auto place) {
    error = std::max(error, std::abs(b[static_cast<std::size_t>(place)] - 1));
  });
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const bool right = error < 1e-13 && system.in_lower_precision();
  if (me == 0) {
    std::printf("factored in single precision, refined %d times: X is %s\n", system.refinements(),
                right ? "right to 13 digits" : "WRONG");
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
