// SPDX-License-Identifier: BSD-3-Clause
// Which decomposition of a Cholesky factorization suits a caller's layout.
#pragma once

#include <optional>

#include "layout/arrangement.hpp"
#include "linalg/plan/caller_grid.hpp"
#include "redblue/factor.hpp"

namespace redblue::linalg {

struct PlacedDecomposition {
  CholeskyDecomposition decomposition;
  GridRanks grid = {};  // where the matrix stays, the ranks by rows of the decomposition's grid
};

// The choice of choose_cholesky(), or the matrix in place, if it lies on a grid of ranks in square
// blocks and that moves no more words than the other with the way there and back, and the busiest
// rank has not much more work; with hardly fewer words, in no more messages; in small blocks, if a
// third of the words is saved. Where time is the objective: if that takes less, or saves words like
// that and takes hardly longer. `placed`: the matrix, its lower triangle being meant or, if
// `upper`, its upper one; `grid`: the same as a grid, if it is one. Throws Error as
// choose_cholesky(). O(ranks * columns * row
// intervals of a patch + steps * ranks * grid rows).
PlacedDecomposition choose_cholesky_for(const layout::Arrangement& placed, Triangle triangle,
                                        const std::optional<CallerGrid>& grid, int ranks,
                                        const FactorOptions& options);

}  // namespace redblue::linalg
