// SPDX-License-Identifier: BSD-3-Clause
// Measuring this machine for a machine file.
#pragma once

#include "redblue/machine.hpp"

namespace redblue::cli {

// Peak rate of the local BLAS on one rank and on all at once, latencies and bandwidth of messages
// between ranks 0 and 1, memory. Needs at least two ranks: where the process runs alone, it starts
// itself again under mpirun with the same arguments and does not return. Collective.
Machine measured_machine(const std::vector<std::string>& arguments);

}  // namespace redblue::cli
