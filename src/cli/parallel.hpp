// SPDX-License-Identifier: BSD-3-Clause
// The command as one of several processes: which is the root, and how all stop together.
#pragma once

#include <cstdint>
#include <functional>

namespace redblue::comm {
class Communicator;
}

namespace redblue::cli {

// Runs `body` and returns its status. Where the process is one rank of several, or `needs_mpi`,
// MPI runs around it. body(is_root): `is_root` is true on the one rank that prints messages.
// All ranks leave together, so that no message is cut off.
int with_ranks(bool needs_mpi, const std::function<int(bool is_root)>& body);

// The ranks a parallel command runs on.
struct World {
  int ranks = 1;
  bool is_root = true;  // this is the one that prints
};

World world();

// Of a number that each rank has. Collective.
double mean(comm::Communicator& ranks, std::int64_t value);

}  // namespace redblue::cli
