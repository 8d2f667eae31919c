// SPDX-License-Identifier: BSD-3-Clause
// Ratio bisections: split the ranks p = p1 + p2 and a side of the box p1 : p2, recursively.
#pragma once

#include "decomposition/cut_search.hpp"
#include "redblue/gemm_model.hpp"

namespace redblue {

// Splits the longest side, ranks as even as can be. O(ranks).
Decomposition greedy_bisection(const GemmShape& shape, int ranks);

// The best bisection a branch-and-bound search finds within a fixed number of steps (so the answer
// is the same everywhere). Exact for small counts.
Decomposition searched_bisection(const GemmShape& shape, int ranks, Measure measure);

}  // namespace redblue
