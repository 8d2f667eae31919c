// SPDX-License-Identifier: BSD-3-Clause
// Slow references for tiny graphs, straight from the definitions.
#pragma once

#include <cstdint>

#include "redblue/pebble.hpp"

namespace redblue::test {

// The optimum of the red-blue or red-blue-white game by shortest paths over all boards (which
// values are red, blue and white). Graphs of at most 10 vertices.
std::int64_t optimum_by_boards(const cdag::Graph& graph, std::int64_t s, bool recomputation);

// The fewest values alive when v has just been computed, over all sets that may be computed by
// then. Graphs of at most 20 vertices.
std::int64_t wavefront_by_sets(const cdag::Graph& graph, cdag::Vertex v);

// The smallest set that meets every path from an input to h, over all sets.
std::int64_t dominator_by_sets(const cdag::Graph& graph, const cdag::Subset& h);

// The smallest balanced separator of a whole graph, over all sets.
std::int64_t separator_by_sets(const cdag::Graph& graph, double q, double x);

}  // namespace redblue::test
