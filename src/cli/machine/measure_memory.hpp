// SPDX-License-Identifier: BSD-3-Clause
// The memory levels of this host, as the kernel describes them and the ranks measure them.
#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "redblue/machine.hpp"

namespace redblue::cli {

// Sets the levels of the data caches and main memory, and at which rates ranks read from the last
// cache and from memory: of the slowest rank's processor while all read at once. Collective.
void measure_memory(comm::Communicator& world, Machine& machine);

}  // namespace redblue::cli
