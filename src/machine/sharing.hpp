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

// Seconds in which a rank receives a byte and sends another while all do: as long as the network
// takes, or the processors, which both ends of a message need.
inline double seconds_per_exchanged_byte(const Machine& machine, int ranks) {
  const double network = 1 / machine.bytes_per_second;
  const double copying = machine.copy_bytes_per_second;
  return copying > 0 ? std::max(network, 2 * slowdown_by_sharing(machine, ranks) / copying)
                     : network;
}

// How long a rank takes for `most` operations, as many as any of its machine, which have `all`
// together: processors have equal parts of the ranks, and those that wait for messages keep theirs,
// so that busy ranks are not spread.
inline double taken_in_turn(double most, double all, const Machine& machine) {
  if (machine.ranks_together < 2) return most;
  const double beside = std::max(0., machine.ranks_together / machine.processors - 1);
  return std::max(all / machine.processors,
                  most + (all - most) * std::min(1., beside / (machine.ranks_together - 1)));
}

// What ranks that all compute wait for one exchange, beside its bytes.
inline double seconds_per_exchange(const Machine& machine) {
  return std::max(machine.exchange_seconds, machine.latency_seconds);
}

}  // namespace redblue
