// SPDX-License-Identifier: BSD-3-Clause
// The columns of factors in the order of the ranks that store them. C = A A' is a sum over A's
// columns in any order: where ranks share k, each can so take columns that it has.
#pragma once

#include <optional>
#include <vector>

#include "layout/arrangement.hpp"

namespace redblue::linalg {

// The factors, stored as before, with their columns numbered anew: first those of rank 0, then
// those of rank 1, and so on; ranks that store the same columns have each an even share of these.
// The same numbers in all factors. Nothing where a rank stores more than one patch, ranks have some
// but not all of their columns in common, or the factors' columns lie on different ranks. O(ranks *
// intervals).
std::optional<std::vector<layout::Arrangement>> columns_by_owner(
    const std::vector<layout::Arrangement>& factors);

}  // namespace redblue::linalg
