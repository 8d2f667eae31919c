// SPDX-License-Identifier: BSD-3-Clause
#include "cli/parallel.hpp"

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "comm/communicator.hpp"

namespace redblue::cli {

namespace {

bool launched_in_parallel() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "MPI_LOCALNRANKS"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

}  // namespace

int with_ranks(bool needs_mpi, const std::function<int(bool)>& body) {
  if (!needs_mpi && !launched_in_parallel()) return body(true);
  const comm::Session session;
  comm::Communicator world(MPI_COMM_WORLD);
  const int status = body(world.rank().value == 0);
  std::fflush(nullptr);
  world.barrier();
  return status;
}

World world() {
  const comm::Communicator all(MPI_COMM_WORLD);
  return {all.size(), all.rank().value == 0};
}

double mean(comm::Communicator& ranks, std::int64_t value) {
  std::vector<double> total = {static_cast<double>(value)};
  ranks.sum(total);
  return total.front() / ranks.size();
}

}  // namespace redblue::cli
