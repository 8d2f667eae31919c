// SPDX-License-Identifier: BSD-3-Clause
// Ranks that share processors.
#pragma once

#include <algorithm>

#include "redblue/machine.hpp"

namespace redblue {

// How many times longer a rank computes while all `ranks` compute than alone: 1 where each has a
// processor of its own.
inline double slowdown_by_sharing(const Machine& machine, int ranks) {
  if (machine.ranks_together == 0) return 1;
  return std::max(1., std::min(machine.ranks_together, ranks) / machine.processors);
}

}  // namespace redblue
