// SPDX-License-Identifier: BSD-3-Clause
// The decompositions of all steps of a chain, chosen together.
#pragma once

#include <vector>

#include "redblue/einsum_model.hpp"

namespace redblue::einsum {

// Gives every step one of a few decompositions: the one it has, good grids, and grids that cut
// nothing but the indices of a tensor between two steps, which then stays where it is. First by
// dynamic programming along the steps, where words of a step's busiest rank add up, then step by
// step as long as the busiest rank of all steps together receives less.
std::vector<EinsumStep> chosen_together(const EinsumPlanRequest& request,
                                        std::vector<EinsumStep> steps);

}  // namespace redblue::einsum
