// SPDX-License-Identifier: BSD-3-Clause
// Grids over indices that several steps of a chain have.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "redblue/einsum_model.hpp"

namespace redblue::einsum {

// The place of a step's index among the whole's, and of one of the whole's in a step.
std::size_t number_in(const EinsumShape& whole, const EinsumIndex& index);
std::optional<std::size_t> index_in(const EinsumShape& step, const EinsumIndex& of_whole);

// These indices of a step, those of most steps first: ranks that share one value of such an index
// in one step then share it in the others, too.
std::vector<std::size_t> in_order_of_use(const EinsumShape& whole,
                                         const std::vector<EinsumStep>& steps,
                                         const EinsumShape& step, std::vector<std::size_t> indices);

// Calls f(grid) for all grids of `ranks` parts over these extents whose largest block is about
// even.
void for_each_grid(const std::vector<std::int64_t>& extents, int ranks,
                   const std::function<void(const std::vector<int>&)>& f);

// The whole's indices that all results of the steps first .. last-1 have, and step `last` as well;
// none where some step does not read the result of the one before.
std::vector<std::size_t> common_indices(const EinsumShape& whole,
                                        const std::vector<EinsumStep>& steps, std::size_t first,
                                        std::size_t last);

// Grids over these of the whole's indices, as grids of the steps first .. last: the `count` ones
// whose steps receive least in sum.
std::vector<std::vector<std::vector<int>>> common_grids(const EinsumPlanRequest& request,
                                                        const std::vector<EinsumStep>& steps,
                                                        std::size_t first, std::size_t last,
                                                        std::size_t count);

// Bisections that cut nothing but common indices, of steps first to last: a decomposition per step,
// the same cuts for each, so that what lies between them stays where it is.
std::vector<std::vector<EinsumDecomposition>> common_bisections(
    const EinsumPlanRequest& request, const std::vector<EinsumStep>& steps, std::size_t first,
    std::size_t last);

}  // namespace redblue::einsum
