// SPDX-License-Identifier: BSD-3-Clause
// How fast this rank computes a stencil and reaches its memory: measured when a plan has to choose.
#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "redblue/stencil.hpp"
#include "stencil/model/sweeps.hpp"

namespace redblue::stencil {

// Seconds per point that the updates take in cache, on the slowest rank. Collective, a few
// milliseconds. The updates are called on a few rows of numbers of its own.
template <class T>
double seconds_per_update(comm::Communicator& communicator, const Sweeps& sweeps,
                          const std::vector<StencilUpdate<T>>& updates);

// The machine with its last cache and main memory, where it has none and this rank's `words` words
// would not be in cache: the cache by the operating system's word, the bandwidth measured on all
// ranks at once. Collective.
Machine with_memory(comm::Communicator& communicator, Machine machine, Bytes held);

}  // namespace redblue::stencil
