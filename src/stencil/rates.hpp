// SPDX-License-Identifier: BSD-3-Clause
// How fast this rank computes a stencil and reaches its memory: measured when a plan has to choose.
#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "redblue/stencil.hpp"
#include "stencil/model/sweeps.hpp"

namespace redblue::stencil {

// What the updates take in a tile and in a part of the mesh with this many points, and what
// messages take, on the slowest rank while all ranks compute. Collective, some milliseconds. The
// updates are called on numbers of its own.
template <class T>
StencilRates measured_rates(comm::Communicator& communicator, const Sweeps& sweeps,
                            const std::vector<StencilUpdate<T>>& updates, std::int64_t points);

// The machine with its last cache and main memory, where it has none and this rank's `words` words
// would not be in cache: the cache by the operating system's word, the bandwidth measured on all
// ranks at once. Collective.
Machine with_memory(comm::Communicator& communicator, Machine machine, Bytes held);

}  // namespace redblue::stencil
