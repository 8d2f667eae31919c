// SPDX-License-Identifier: BSD-3-Clause
// C = A B for matrices in ScaLAPACK's block-cyclic layout, on any number of ranks.
//   mpirun -n 4 gemm
#include <mpi.h>

#include <cstdio>
#include <redblue/error.hpp>
#include <redblue/gemm.hpp>
#include <redblue/op.hpp>

static int multiply(int me, int ranks) {
  // Blocks of 64 x 64, dealt out to a grid of ranks row by row; neither A nor B is transposed.
  const std::int64_t m = 700, n = 500, k = 300;
  const int down = redblue::squarest_grid_rows(ranks), across = ranks / down;
  const redblue::Rank rank{me};
  const redblue::GemmLayouts layouts = {
      redblue::Op::none, redblue::block_cyclic(m, k, 64, down, across, rank), redblue::Op::none,
      redblue::block_cyclic(k, n, 64, down, across, rank),
      redblue::block_cyclic(m, n, 64, down, across, rank)};

  // Each rank fills the elements that it stores: A(i, l) = i + l, B(l, j) = l - j.
  const auto a =
      redblue::filled_array<double>(layouts.a, rank, [](auto i, auto l) { return i + l; });
  const auto b =
      redblue::filled_array<double>(layouts.b, rank, [](auto l, auto j) { return l - j; });
  auto c = redblue::filled_array<double>(layouts.c, rank, [](auto, auto) { return 0; });

  redblue::GemmPlan<double> plan(MPI_COMM_WORLD, layouts);  // once for a shape and its layouts
  plan.execute(1.0, a.data(), b.data(), 0.0, c.data());     // as often as one likes

  // C(i, j) = sum of (i + l) (l - j) over l = sum of l^2 + (i - j) l - i j, a whole number.
  int wrong = 0;
  redblue::for_each_element(layouts.c, rank, [&](auto i, auto j, auto place) {
    const auto sum = (k - 1) * k * (2 * k - 1) / 6 + (i - j) * ((k - 1) * k / 2) - i * j * k;
    wrong += c[static_cast<std::size_t>(place)] != static_cast<double>(sum);
  });
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) {
    std::printf("%d ranks, %s: rank 0 received %lld words; %d elements of C are wrong\n", ranks,
                plan.name().c_str(),
                static_cast<long long>(plan.traffic().total().words_received.value), wrong);
  }
  return wrong == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me = 0, ranks = 0, status = 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    status = multiply(me, ranks);
  } catch (const redblue::Error& error) {
    if (me == 0) std::fprintf(stderr, "gemm: %s\n", error.what());
  }
  MPI_Finalize();
  return status;
}
