// SPDX-License-Identifier: BSD-3-Clause
// C = A A', one triangle of it (SYRK): half the work of a multiplication, and fewer words.
//   mpirun -n 13 symmetric_update
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <redblue/symmetric.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int down = redblue::squarest_grid_rows(ranks), across = ranks / down;
  const redblue::Rank rank{me};

  // A(i, l) = i - l, in blocks of 32 x 32; of C only the lower triangle is written.
  const std::int64_t n = 480, k = 200;
  redblue::SyrkLayouts layouts;
  layouts.a = redblue::block_cyclic(n, k, 32, down, across, rank);
  layouts.c = redblue::block_cyclic(n, n, 32, down, across, rank);
  const auto a =
      redblue::filled_array<double>(layouts.a, rank, [](auto i, auto l) { return i - l; });
  auto c = redblue::filled_array<double>(layouts.c, rank, [](auto, auto) { return -1; });

  redblue::SyrkPlan<double> plan(MPI_COMM_WORLD, layouts);
  plan.execute(1.0, a.data(), nullptr, 0.0, c.data());

  // C(i, j) = sum of (i - l) (j - l) over l = i j k - (i + j) sum of l + sum of l^2; -1 above.
  int wrong = 0;
  redblue::for_each_element(layouts.c, rank, [&](auto i, auto j, auto place) {
    const auto sum = i * j * k - (i + j) * ((k - 1) * k / 2) + (k - 1) * k * (2 * k - 1) / 6;
    wrong += c[static_cast<std::size_t>(place)] != static_cast<double>(i >= j ? sum : -1);
  });
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

  // The same as a multiplication, which forms both triangles; words of the rank that received most.
  auto both = redblue::filled_array<double>(layouts.c, rank, [](auto, auto) { return 0; });
  redblue::GemmPlan<double> product(
      MPI_COMM_WORLD, {redblue::Op::none, layouts.a, redblue::Op::transpose, layouts.a, layouts.c});
  product.execute(1.0, a.data(), a.data(), 0.0, both.data());
  std::int64_t words[2] = {plan.traffic().total().words_received.value,
                           product.traffic().total().words_received.value};
  MPI_Allreduce(MPI_IN_PLACE, words, 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  if (me == 0) {
    std::printf("%d ranks, %s: %lld words received, worst rank (a multiplication: %lld)\n", ranks,
                plan.name().c_str(), static_cast<long long>(words[0]),
                static_cast<long long>(words[1]));
    std::printf("%d elements of C are wrong\n", wrong);
  }
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
