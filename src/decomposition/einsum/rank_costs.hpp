// SPDX-License-Identifier: BSD-3-Clause
// What every rank receives and holds in a decomposition.
#pragma once

#include <cstdint>
#include <vector>

#include "decomposition/einsum/cells.hpp"

namespace redblue::einsum {

struct RankCosts {
  std::vector<std::int64_t> words, messages;  // received
  std::vector<std::int64_t> owned;            // of all tensors
  std::vector<std::int64_t> workspace;
};

// `from_elsewhere`: operands that do not lie as the cells say; nothing is counted of them.
RankCosts rank_costs(const EinsumShape& shape, const EinsumDecomposition& decomposition,
                     const std::vector<std::vector<TensorCell>>& cells,
                     const std::vector<bool>& from_elsewhere);

// Of the busiest rank, which forms `work` products.
Cost busiest(const RankCosts& costs, double work, const Machine& machine);

}  // namespace redblue::einsum
