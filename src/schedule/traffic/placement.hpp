// SPDX-License-Identifier: BSD-3-Clause
// Numbers for the elements of a program's arrays at given sizes, and which of them its statements
// touch.
#pragma once

#include <isl/cpp.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "program/enumerate.hpp"
#include "schedule/traffic/formula.hpp"

namespace redblue::schedule {

// The elements of an array that the program touches lie in a box of numbers.
struct Box {
  std::int64_t first = 0;  // number of its lowest corner
  std::vector<std::int64_t> low, extent;
  std::int64_t number(const std::vector<std::int64_t>& subscripts) const;
  std::int64_t size() const;
};

// What a statement reads or writes: subscripts as sums of its iterators where they are that in its
// whole domain, and in any case as a function of them.
struct Reference {
  Box box;
  std::vector<Formula> sums;
  std::shared_ptr<const program::Function> function;
};

struct Placement {
  std::vector<isl::set> domains;                   // by statement, without parameters
  std::vector<std::vector<Reference>> references;  // by statement: reads in order, then the write
  std::vector<Box> arrays;                         // behind one another
  std::int64_t elements = 0;                       // numbers in use
  std::vector<bool> output;  // by number: the last value must end in slow memory
};

constexpr std::int64_t most_elements = 1'000'000'000;

// Throws Error where the arrays have more than most_elements elements.
Placement placed(const program::Program& program, const program::Sizes& sizes);

// How many numbers there would be, whatever their number.
std::int64_t elements(const program::Program& program, const program::Sizes& sizes);

}  // namespace redblue::schedule
