// SPDX-License-Identifier: BSD-3-Clause
// Row exchanges as ScaLAPACK stores them (IPIV): each process those of its own rows of the matrix.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "redblue/layout.hpp"

namespace redblue::linalg {

// LuPlan's pivots from all processes' exchanges (an allreduce), and this process's exchanges from
// LuPlan's pivots (local). `local` has one exchange for each of this process's rows, counted from 1
// in the whole matrix; the submatrix has min(rows, columns) of them.
std::vector<std::int64_t> whole_pivots(comm::Communicator& communicator, const BlockCyclic& layout,
                                       const int* local);
void local_pivots(Rank me, const BlockCyclic& layout, const std::vector<std::int64_t>& pivots,
                  int* local);

}  // namespace redblue::linalg
