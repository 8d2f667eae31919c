// SPDX-License-Identifier: BSD-3-Clause
// Parallel schedules of explicit graphs, and what their paths cost.
#pragma once

#include <random>
#include <vector>

#include "redblue/cdag.hpp"

namespace redblue::test {

// For every number s of synchronisations, the most vertices computed and the most words sent and
// received on one path with s of them; -1 where there is no such path.
struct PathCosts {
  std::vector<double> computed, words;

  // The largest cost (s + plus)^power over all paths.
  static double product(const std::vector<double>& costs, int plus, int power);
};

// owners[v]: the processors that compute v, at least one for a vertex that is computed.
using Owners = std::vector<std::vector<int>>;

// Supersteps: every processor computes what it can, then all synchronise, and what others lack and
// will need is exchanged. Inputs are everywhere.
PathCosts superstep_schedule(const cdag::Graph& graph, const Owners& owners, int processors);

// Vertices one by one in a random order that keeps operands first; whoever lacks an operand
// synchronises with one processor that has it, which sends, besides, some of what is needed later.
PathCosts pairwise_schedule(const cdag::Graph& graph, const Owners& owners, int processors,
                            std::mt19937& random);

}  // namespace redblue::test
