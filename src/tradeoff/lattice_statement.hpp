// SPDX-License-Identifier: BSD-3-Clause
// Statements whose instances inside a dependency interval form a lattice hypergraph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/program.hpp"
#include "tradeoff/chain.hpp"

namespace redblue::tradeoff {

// The instances of `statement` with increasing iterators in a window of b vertices of the chain are
// the vertices of the (dimensions, dimensions - 1)-lattice hypergraph of b - missing; the hyperedge
// of a subset is the element of one array that these iterators name, or the two such elements: all
// instances in the interval that touch it hang together by values that pass through it.
struct LatticeStatement {
  const program::Statement* statement;
  int dimensions = 2;
  int missing = 0;
  std::string order;  // of the counters: "k < j < i"
};

// nullopt where no statement of two or three loops is proved to be one.
std::optional<LatticeStatement> lattice_statement(const program::Program& program,
                                                  const std::vector<Flow>& flows,
                                                  const Chain& chain);

}  // namespace redblue::tradeoff
