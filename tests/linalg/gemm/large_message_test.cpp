// SPDX-License-Identifier: BSD-3-Clause
// A message of more than 2^31 bytes: a matrix of floats from rank 0 to rank 1. With any argument
// one of more than 2^30 words, which goes in two blocks. Run on 2 ranks; exit status 77 where the
// machine has too little memory to spare (5 GB, 10 GB).
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <vector>

#include "redblue/op.hpp"
#include "redblue/redistribution.hpp"

namespace {

using namespace redblue;

float element(std::int64_t place) {
  return static_cast<float>(place % 8191);
}

// Two copies and what MPI holds.
bool enough_memory(std::int64_t words, int rank) {
  constexpr double held = 2.3;
  const double needed = held * static_cast<double>(words) * sizeof(float);
  int enough =
      static_cast<double>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)) >=
      needed;
  MPI_Allreduce(MPI_IN_PLACE, &enough, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (enough == 0 && rank == 0) {
    std::printf("skipped: %lld words take %.1f GB\n", static_cast<long long>(words), needed / 1e9);
  }
  return enough != 0;
}

bool moved(std::int64_t rows, std::int64_t columns, int rank) {
  const std::int64_t words = rows * columns;
  std::vector<float> a(rank == 0 ? static_cast<std::size_t>(words) : 0);
  std::vector<float> b(rank == 1 ? static_cast<std::size_t>(words) : 0);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = element(static_cast<std::int64_t>(i));
  const auto on = [&](int owner) { return BlockGrid{{0, rows}, {0, columns}, {Rank{owner}}}; };
  Redistribution<float> plan(MPI_COMM_WORLD, Op::none, on(0), on(1));
  plan.execute(1, a.data(), 0, b.data());
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    wrong += b[i] != element(static_cast<std::int64_t>(i)) ? 1 : 0;
  }
  const bool counted = rank == 0 || (plan.traffic().words_received == Words(words) &&
                                     plan.traffic().messages_received == Messages(1));
  if (wrong != 0) std::printf("rank %d: %lld wrong\n", rank, static_cast<long long>(wrong));
  return wrong == 0 && counted;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int status = 77;
  try {
    const std::int64_t rows = argc > 1 ? 32'800 : 23'200;
    if (enough_memory(rows * rows, rank)) status = moved(rows, rows, rank) ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "rank %d: %s\n", rank, e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
