// SPDX-License-Identifier: BSD-3-Clause
// Sharing the pairs of points among the sets of a covering.
#pragma once

#include <utility>

#include "covering/covering.hpp"

namespace redblue::covering {

// What each set contains and which pairs (i, j), i >= j, it owns.
struct PairSharing {
  std::vector<std::vector<int>> sets;
  std::vector<std::vector<std::pair<int, int>>> pairs;
};

// Gives every pair of points to one of the sets that contain both, evenly; members beyond the
// covering's sets take over pairs in sets of their own, no larger (not where thousands of points
// and members would make that long: there may be fewer sets than members). O(points^2 + pairs in
// several sets * sets per point).
PairSharing share_pairs(const Covering& covering, int members);

}  // namespace redblue::covering
