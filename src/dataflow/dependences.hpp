// SPDX-License-Identifier: BSD-3-Clause
// Exact flow dependences: which instance computed the value a read finds (on isl).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/program.hpp"

namespace redblue::dataflow {

using program::Source;

// The statement of this name; nullptr where the program has none.
const program::Statement* statement_named(const program::Program& program, const std::string& name);

// All sources of a read, disjoint in the reading instances and covering the access.
std::vector<Source> sources(const program::Program& program, const program::Statement& reader,
                            const program::Access& read);

// Derives the sources of all reads once; `sources` then returns what is known. To be done again
// when the program changes.
void derive_sources(program::Program& program);

// Whether they are derived for every read.
bool has_sources(const program::Program& program);

// A statement after the whole program that reads every output of an array: the sources of its one
// read wrote the values that must end in slow memory. Without reads where there is none.
program::Statement final_reader(const program::Program& program, const std::string& array);

// Instances of a statement whose values must end in slow memory.
struct FinalValues {
  std::string statement;
  isl::set instances;
};

std::vector<FinalValues> final_values(const program::Program& program);

}  // namespace redblue::dataflow
