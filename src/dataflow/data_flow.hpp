// SPDX-License-Identifier: BSD-3-Clause
// Who reads whose values, and where these lead.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "program/program.hpp"

namespace redblue::dataflow {

// A read of a computed value: reading instance -> computing instance.
struct Flow {
  const program::Statement* reader;
  std::string writer;
  isl::map values;
};

// A read of an input: reading instance -> element.
struct InputRead {
  const program::Statement* reader;
  std::string array;
  isl::map elements;
};

// Something -> instances of one statement, by statement; or elements of one array, by array.
using Relation = std::map<std::string, isl::map>;

void unite(Relation& relation, const std::string& name, const isl::map& more);
void unite(Relation& relation, const Relation& more);

// A chain through the instances of one statement, one in every slice: each instance but the first
// reads the value of the one before.
struct Chain {
  isl::map slice;  // instance -> the counters that stay the same along the chain
  isl::map after;  // instance -> itself and those behind it
  isl::set last;   // the end in each slice
};

// All unconditional reads of a program's statements, which it refers to.
struct DataFlow {
  std::vector<Flow> flows;
  std::vector<InputRead> inputs;
  std::map<std::string, Chain> chains;  // by statement

  explicit DataFlow(const program::Program& program);

  // Readers of the vertices in `front`, and what follows them along their own chains.
  Relation readers_of(const Relation& front) const;
};

}  // namespace redblue::dataflow
