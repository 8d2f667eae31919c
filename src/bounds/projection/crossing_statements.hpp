// SPDX-License-Identifier: BSD-3-Clause
// Pairs of statements whose chains cross, as plane rotations' do: what is asked of them, and why,
// is in docs/methods/crossing_chains.md.
#pragma once

#include <isl/cpp.h>

#include <string>
#include <vector>

#include "bounds/facts.hpp"
#include "dataflow/step.hpp"
#include "program/program.hpp"

namespace redblue::bounds {

// What one statement hands on, step by step, by itself or through one that reads it, such as a
// copy: place -> its value one step before, or the input that begins the chain. Both statements
// read it.
struct CrossingChain {
  const program::Statement* own;
  const program::Statement* through;  // or none
  isl::map passed;                    // what that one's instances read of the chain's
  dataflow::Vector step;
  isl::map values, inputs;

  isl::set read() const { return values.domain().unite(inputs.domain()); }
  void keep(const isl::set& places) {
    values = values.intersect_domain(places);
    inputs = inputs.intersect_domain(places);
  }
};

// A value that all places on a line share.
struct SharedValue {
  std::string text;
  isl::map values;  // place -> value
  bool input;
};

struct Crossing {
  const program::Statement *first, *second;
  std::vector<CrossingChain> chains;  // the first one's, the second one's
  std::vector<SharedValue> shared;
  int along = 0;    // the loop along which places share values
  isl::set places;  // where all is so
};

// Those of the program whose places are almost all instances of the first statement. Refers to the
// program.
std::vector<Crossing> crossings(const Facts& facts);

}  // namespace redblue::bounds
