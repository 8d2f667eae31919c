// SPDX-License-Identifier: BSD-3-Clause
// The memory levels of this host, as the kernel describes them and the ranks measure them.
#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "redblue/machine.hpp"

namespace redblue::cli {

// Levels of the data caches and main memory. Balances are of the slowest rank while all read at
// once, against a core's `flops_per_second`. Collective.
std::vector<MemoryLevel> measured_levels(comm::Communicator& world, double flops_per_second);

}  // namespace redblue::cli
