// Row exchanges as ScaLAPACK keeps them: each process those of its rows of the matrix.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "redblue/layout.hpp"

namespace redblue::linalg {

// LuPlan's pivots from every process's, and the other way round; `local` has this process's,
// counted from 1 in the whole matrix. The submatrix has as many exchanges as rows or columns,
// whichever are fewer. The first is collective and moves each pivot to all.
std::vector<std::int64_t> whole_pivots(comm::Communicator& communicator, const BlockCyclic& layout,
                                       const int* local);
void local_pivots(Rank me, const BlockCyclic& layout, const std::vector<std::int64_t>& pivots,
                  int* local);

}  // namespace redblue::linalg
