// SPDX-License-Identifier: BSD-3-Clause
// A X = B for a symmetric positive definite A: factor A = L L', then solve with L and L'.
//   mpirun -n 4 cholesky_solve
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <redblue/factor.hpp>
#include <redblue/solve.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int down = redblue::squarest_grid_rows(ranks), across = ranks / down;
  const redblue::Rank rank{me};

  // A(i, j) = min(i, j) + 1 = the sum of l over 0 .. min(i, j), and n more on the diagonal. X is
  // all ones, so that B's rows are the sums of A's; five right-hand sides are multiples of each
  // other.
  const std::int64_t n = 600, right_hand_sides = 5;
  const redblue::Layout layout_a = redblue::block_cyclic(n, n, 32, down, across, rank);
  const redblue::Layout layout_b =
      redblue::block_cyclic(n, right_hand_sides, 32, down, across, rank);
  auto a = redblue::filled_array<double>(
      layout_a, rank, [n](auto i, auto j) { return std::min(i, j) + 1 + (i == j ? n : 0); });
  auto b = redblue::filled_array<double>(layout_b, rank, [n](auto i, auto j) {
    return (j + 1) * ((i + 1) * (i + 2) / 2 + (n - 1 - i) * (i + 1) + n);
  });

  redblue::CholeskyPlan<double> factor(MPI_COMM_WORLD, redblue::Triangle::lower, layout_a);
  const std::int64_t info = factor.execute(a.data());  // a now holds L in its lower triangle
  redblue::CholeskySolve<double> solve(MPI_COMM_WORLD, redblue::Triangle::lower, layout_a,
                                       layout_b);
  if (info == 0) solve.execute(a.data(), b.data());  // b now holds X

  double error = info == 0 ? 0 : 1;
  redblue::for_each_element(layout_b, rank, [&](auto, auto j, auto place) {
    const double x = b[static_cast<std::size_t>(place)];
    error = std::max(error, std::abs(x - static_cast<double>(j + 1)));
  });
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const bool right = error < 1e-10;
  if (me == 0) {
    std::printf("factored with %s\n", factor.decomposition().name().c_str());
    std::printf("rank 0 received %lld words to factor, %lld to solve\n",
                static_cast<long long>(factor.traffic().total().words_received.value),
                static_cast<long long>(solve.traffic().total().words_received.value));
    std::printf("X is %s\n", right ? "right to 10 digits" : "WRONG");
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
