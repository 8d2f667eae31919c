// SPDX-License-Identifier: BSD-3-Clause
// Where a solve by blocks has T and B: in the caller's layouts, or brought to grids.
#pragma once

#include <cstdint>
#include <optional>

#include "linalg/plan/caller_grid.hpp"
#include "redblue/factor_model.hpp"
#include "redblue/layout.hpp"

namespace redblue::linalg {

struct Pass;
struct SolveSetup;

// Of a pass with T instead of T', and the other way round.
TrsmDecomposition transposed(TrsmDecomposition decomposition);

// The ranks of the grids that a decomposition brings T to: 0, 1, ..
GridRanks ranks_of(const TrsmDecomposition& decomposition);

// How a solve by blocks goes on: with T on the caller's grid, or, none, on grids of its own.
struct Blocks {
  TrsmDecomposition decomposition;  // of the first pass
  std::optional<CallerGrid> grid;
  GridRanks rhs_grid = {};  // where B stays: the ranks that have it, row by row of its grid
};

// Of another pass of the same solve, where B stays; `first`: that of the first pass.
TrsmDecomposition of_pass(TrsmDecomposition first, const Pass& first_pass, const Pass& pass);

// The choice of choose_trsm(), or T where it is if that moves no more (takes no longer). Where
// words are to be few, and T and B lie on one grid in the same blocks, so that op(T) has its rows
// where B has them or the grid is square: B where it is, T's blocks moving, if that moves no more
// words than the other with B's way to the ranks that solve and back.
Blocks choose_blocks(const SolveSetup& setup, int ranks, Rank me);

}  // namespace redblue::linalg
