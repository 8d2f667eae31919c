// SPDX-License-Identifier: BSD-3-Clause
// What LU on grids costs, as far as a choice among them asks.
#pragma once

#include <functional>

#include "redblue/factor_model.hpp"

namespace redblue {

// Memory of the busiest rank.
Cost lu_storage(const LuDecomposition& decomposition);

// The whole cost, `farther` words added; less than that, where go_on(a lower bound on the cost)
// says that it is too much already.
Cost lu_cost_while(const LuDecomposition& decomposition, const Machine& machine, Words farther,
                   const std::function<bool(const Cost&)>& go_on);

}  // namespace redblue
