// SPDX-License-Identifier: BSD-3-Clause
// What a statement reads, sorted by what it says about a set of the statement's instances.
#pragma once

#include <string>
#include <vector>

#include "dataflow/step.hpp"
#include "program/count.hpp"
#include "program/program.hpp"

namespace redblue::bounds {

// A read as a source of In-values.
struct ValueRole {
  std::string text;
  isl::map values;         // instance -> value
  isl::set range;          // the values
  std::vector<int> loops;  // that tell values apart
  bool input;              // of the program; else computed, and tagged
  bool shared = false;     // with other statements whose bound this one's is to be added to
  bool linked = false;     // lie on chains of such a statement, and are not tagged
  // Of other instances: -> inputs that they read in its place, telling the same loops apart.
  std::vector<isl::map> more = {};

  isl::set readers() const;              // instances that read a value in this role
  std::vector<isl::set> ranges() const;  // all values, by their statement or array
};

struct ChainRole {
  dataflow::Vector step;  // d; empty where there are several, as in a reduction over several loops
  std::vector<int> kept;  // loops no step changes
  std::vector<isl::map>
      values;       // instance -> each value on the way to the instance one step before
  isl::set domain;  // instances that have one
  // Instances without one that read an input of the program instead, each its own: -> that input.
  std::vector<isl::map> starts = {};
  // Instances without one that read it through other statements' values: -> each value on the way,
  // and the input.
  std::vector<isl::map> ways_to_starts = {};

  isl::set begun() const;                      // instances with a start of either kind
  std::vector<isl::map> from_outside() const;  // -> all that may stand for a chain's value
};

// Far fewer than the given ones, when the sizes are large, and where nothing is left at equal ones,
// unequal.
bool is_few(const isl::set& set, const program::Count& among);

// The roles of a statement's unconditional reads.
struct Roles {
  const program::Program* program;
  const program::Statement* statement;
  program::Count instances;
  std::vector<ValueRole> values;
  std::vector<ChainRole> chains;  // one per step, or kept loops
  bool cut_short = false;         // a read's sources were too intricate to be sorted

  int loops() const { return static_cast<int>(statement->iterators.size()); }

  // Far fewer than there are instances, when the sizes are large.
  bool is_few(const isl::set& set) const { return bounds::is_few(set, instances); }
};

// `all_sources`: a role whose values come from one source for almost all instances takes those of
// the others in, too, where that tells the same loops apart.
Roles roles_of(const program::Program& program, const program::Statement& statement,
               bool all_sources = false);

// Adds chains that pass through the values of up to four other statements, one after the other, to
// the same statement one step along a loop before. Whether there are any.
bool add_longer_chains(Roles& roles);

// Whether two sets are of instances of one statement, or of elements of one array.
bool same_space(const isl::set& a, const isl::set& b);

// Adds a set to sets of different spaces.
void unite(std::vector<isl::set>& all, const isl::set& set);

// Instances that read, in this role, one of the given values.
isl::set meeting(const ValueRole& role, const isl::set& values);

}  // namespace redblue::bounds
