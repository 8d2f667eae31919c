// SPDX-License-Identifier: BSD-3-Clause
// What no bound may exceed: the fewest loads and stores of some orders of a graph.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "redblue/pebble.hpp"

namespace redblue::test {

// With s words of fast memory, as written and greedily within these windows.
inline std::int64_t cheapest_replay(const cdag::Graph& graph, std::int64_t s,
                                    std::initializer_list<std::int64_t> windows) {
  std::int64_t best = cdag::replay(graph, cdag::natural_order(graph), s).moved();
  for (const std::int64_t window : windows)
    best = std::min(best, cdag::replay(graph, cdag::greedy_order(graph, window), s).moved());
  return best;
}

}  // namespace redblue::test
