// SPDX-License-Identifier: BSD-3-Clause
// tau as ScaLAPACK distributes it: every process of a grid column has those of its columns.
#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "redblue/layout.hpp"

namespace redblue::linalg {

// All tau of a matrix in this layout, on every rank, from a process's own. Collective.
template <class T>
std::vector<T> whole_tau(comm::Communicator& communicator, const BlockCyclic& layout,
                         const T* local);

// The first rank's of the list, which the others lack. Collective.
template <class T>
void tell_tau(comm::Communicator& communicator, Rank first, std::vector<T>& tau);

}  // namespace redblue::linalg
