// SPDX-License-Identifier: BSD-3-Clause
// What costs of triangle blocks are made of: shares of the replicas, and how many peers ranks have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "decomposition/symmetric/triangle.hpp"

namespace redblue {

// What a replica has of a member's pairs: elements that count, and all that are stored.
struct ReplicaShare {
  std::int64_t counted = 0;
  std::int64_t owned = 0;
};

// Of every replica, as for_each_output() shares. O(pairs of the member + row blocks * replicas).
std::vector<ReplicaShare> replica_shares(const TriangleDecomposition& decomposition,
                                         std::size_t member);

// Which way the elements of cells move: from their owners to all that need them, or contributions
// of all that need them to their owners.
enum class Moved { to_needers, to_owners };

// From how many ranks each of `ranks` receives something: one message each. O(cells * needers^2).
std::vector<std::int64_t> peers_of(const std::vector<Cell>& cells, std::size_t ranks, Moved way);

}  // namespace redblue
