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

// Seconds in which a rank receives a byte and sends another while all do: on the network, and on
// the processor, which both ends of a message need.
inline double seconds_per_exchanged_byte(const Machine& machine, int ranks) {
  const double copying = machine.copy_bytes_per_second;
  return 1 / machine.bytes_per_second +
         (copying > 0 ? 2 * slowdown_by_sharing(machine, ranks) / copying : 0);
}

}  // namespace redblue
