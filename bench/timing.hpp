// SPDX-License-Identifier: BSD-3-Clause
// What several benchmarks do with the seconds that they have taken.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <vector>

namespace redblue::bench {

// Of all ranks. Collective.
inline double slowest(double seconds) {
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

inline double median(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

}  // namespace redblue::bench
