// SPDX-License-Identifier: BSD-3-Clause
// What the steps of a program's outermost loop read of the array that they change, and when.
#pragma once

#include <isl/cpp.h>

#include <optional>
#include <string>
#include <vector>

#include "program/program.hpp"

namespace redblue::schedule {

// A read of the array whose element is the same in several instances of a step.
struct StepRead {
  std::size_t statement = 0, read = 0;
  std::vector<std::size_t> iterators;  // that the element depends on, and the step; in their order
  std::vector<std::string> counters;   // what the source calls them
  std::string element;                 // "D[i][k]"
};

// The instances that read an element as their step finds it, or as the step leaves it.
struct Version {
  StepRead of;
  bool before = true;
  isl::set readers;
  isl::union_map writers;  // reader -> who computed the value, but for inputs
  std::string name = {};   // for an array of copies: "D_ik_before"; no word of the program's
};

// Nothing where statements do not share their outermost loop, change several arrays, or read an
// element that cannot be copied by its subscripts' names; empty where there is nothing to copy.
std::optional<std::vector<Version>> step_versions(const program::Program& program);

}  // namespace redblue::schedule
