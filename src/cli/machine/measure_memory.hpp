// SPDX-License-Identifier: BSD-3-Clause
// The memory levels of this host, as the kernel describes them and the ranks measure them.
#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "redblue/machine.hpp"

namespace redblue::cli {

// Levels of the data caches and main memory. Balances are of the slowest processor while all
// read at once, against its `flops_per_second`; `machine` says how ranks share processors.
// Collective.
std::vector<MemoryLevel> measured_levels(comm::Communicator& world, const Machine& machine);

}  // namespace redblue::cli
