// SPDX-License-Identifier: BSD-3-Clause
// Instances that reads tie together, line by line: of processors that compute parts of one line,
// all but one receive a word for it (docs/methods/busiest.md, Lemmas 5 and 6).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bounds/bound.hpp"
#include "bounds/facts.hpp"
#include "dataflow/data_flow.hpp"
#include "dataflow/step.hpp"

namespace redblue::bounds {

// A statement's instances fall into runs: the instances of one run lie on one line, and reads lead
// from each of them to each other, by values that no other of these runs has.
struct Tie {
  dataflow::Vector along;        // of the lines: its entries have no common divisor
  std::vector<isl::set> counts;  // as many points as there are runs
  std::set<std::string> values;  // by whose values: statements, and arrays of inputs
  bool inputs = false;           // whether some of these are inputs
};

struct TiedInstances {
  const program::Statement* statement;
  std::vector<Tie> ties;
};

// Those of statements with loops whose ties span all of these.
std::vector<TiedInstances> tied_instances(const program::Program& program,
                                          const dataflow::DataFlow& flow);

// The busiest of p processors that share the instances evenly. Nothing where none receives
// anything, or no formula counts what it takes.
std::optional<Busiest> crossings_of_ties(const TiedInstances& tied, const Sizes& sizes);

// Leaves what all of a program's tell in Sizes::even_shares.
void note_crossings_of_ties(const Facts& facts, const Sizes& sizes);

}  // namespace redblue::bounds
