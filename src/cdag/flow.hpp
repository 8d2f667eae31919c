// SPDX-License-Identifier: BSD-3-Clause
// Minimum vertex cuts of a graph (max-flow on Boost.Graph).
#pragma once

#include <functional>
#include <vector>

#include "redblue/pebble.hpp"

namespace redblue::cdag {

// A cut between vertices that stand before it and vertices that stand behind it.
struct CutProblem {
  enum class Side : std::uint8_t { free, before, behind, absent };
  std::vector<Side> side;    // of each vertex
  std::vector<bool> counts;  // cutting here costs 1; else nothing
  // What stands before the cut has its operands there too (the cuts of a schedule).
  bool convex = false;
};

struct Cut {
  std::int64_t size = 0;
  Subset vertices;  // the cut: before it, with a reader behind it; those that count
  Subset paths;     // vertices that count on the disjoint paths that prove the size
};

// The fewest counting vertices before the cut with a reader behind it. A vertex `behind` is never
// cut itself.
Cut minimum_cut(const Graph& graph, const CutProblem& problem);

// Marks v's ancestors or descendants, v excluded.
std::vector<bool> ancestors(const Graph& graph, Vertex v);
std::vector<bool> descendants(const Graph& graph, Vertex v);

}  // namespace redblue::cdag
