// SPDX-License-Identifier: BSD-3-Clause
// The panels of LU, one after the other.
#pragma once

#include <cstdint>

#include "redblue/factor_model.hpp"
#include "redblue/machine.hpp"

namespace redblue {

// Messages a rank receives in a tournament of `ranks`: one per round of the butterfly, one more
// where their number is no power of two.
std::int64_t tournament_messages(int ranks);

// Seconds that no look-ahead hides: every panel is factored and sent, and its pivots' rows come,
// before the next one is up to date. A panel is shared by one column of the grids only. O(steps).
double panel_chain_seconds(const LuDecomposition& decomposition, const Machine& machine);

}  // namespace redblue
