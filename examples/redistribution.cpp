// SPDX-License-Identifier: BSD-3-Clause
// B = A' between two layouts: from blocks dealt out to a grid, to a stripe of rows for each rank.
//   mpirun -n 4 redistribution
#include <mpi.h>

#include <cstdio>
#include <redblue/gemm.hpp>
#include <redblue/op.hpp>
#include <redblue/redistribution.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int down = redblue::squarest_grid_rows(ranks), across = ranks / down;
  const redblue::Rank rank{me};

  // A is 1000 x 600 in blocks of 50 x 50; B is 600 x 1000, with stripe r of its rows on rank r.
  const redblue::Layout cyclic = redblue::block_cyclic(1000, 600, 50, down, across, rank);
  redblue::BlockGrid stripes;
  stripes.column_cuts = {0, 1000};
  for (int r = 0; r < ranks; ++r) {
    stripes.row_cuts.push_back(600 * (r + 1) / ranks);
    stripes.owners.push_back(redblue::Rank{r});
  }
  const auto a =
      redblue::filled_array<double>(cyclic, rank, [](auto i, auto j) { return 1000 * i + j; });
  auto b = redblue::filled_array<double>(stripes, rank, [](auto, auto) { return -1; });

  redblue::Redistribution<double> move(MPI_COMM_WORLD, redblue::Op::transpose, cyclic, stripes);
  move.execute(1.0, a.data(), 0.0, b.data());

  // How many elements are wrong, how many there are, how many words came from other ranks.
  long long counts[3] = {0, 0, static_cast<long long>(move.traffic().words_received.value)};
  redblue::for_each_element(stripes, rank, [&](auto i, auto j, auto place) {
    counts[0] += b[static_cast<std::size_t>(place)] != static_cast<double>(1000 * j + i);
    ++counts[1];
  });
  MPI_Allreduce(MPI_IN_PLACE, counts, 3, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  const bool right = counts[0] == 0 && counts[1] == 600 * 1000 && counts[2] <= 600 * 1000;
  if (me == 0) {
    std::printf("%lld of %lld elements changed ranks; %lld are wrong\n", counts[2], counts[1],
                counts[0]);
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
