// SPDX-License-Identifier: BSD-3-Clause
// As many values of an index to each rank as all can have, and the others shared out.
#pragma once

#include <vector>

#include "redblue/einsum_model.hpp"

namespace redblue::einsum {

// Those with values for every rank, but no multiple of the ranks, and an index of all tensors (a
// batch) that has fewer.
std::vector<std::size_t> indices_with_whole_values(const EinsumPlanRequest& request);

// Words that ranks receive for their whole values alone.
double words_of_whole_values(const EinsumPlanRequest& request, std::size_t index);

// The values that are shared are cut by a grid, by bisections, or each into parts as large as a
// rank's share and a slab that is left; the slabs, one after another, are shared out among the
// ranks that are left. No rank forms more products than `most_work`.
std::vector<EinsumDecomposition> whole_values(const EinsumPlanRequest& request, std::size_t index,
                                              double most_work);

}  // namespace redblue::einsum
