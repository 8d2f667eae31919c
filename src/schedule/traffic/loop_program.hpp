// SPDX-License-Identifier: BSD-3-Clause
// A program in the order of given times, at given sizes, as loops that can be walked without a
// graph: array elements have numbers, innermost loops are strides.
#pragma once

#include <isl/cpp.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schedule/traffic/formula.hpp"
#include "schedule/traffic/placement.hpp"

namespace redblue::schedule {

// One element a statement reads or writes.
struct Touch {
  Formula element;  // its number as a sum of loop counters, where it is one; else:
  std::shared_ptr<const program::Function> subscripts = nullptr;  // of the statement's iterators
  Box box = {};                                                   // of the array
  std::size_t read = 0;  // of a read: its number among the statement's
  // Of an instance; `room` is overwritten. Nothing outside of where the statement touches one.
  std::optional<std::int64_t> number(const std::int64_t* counters,
                                     const std::vector<std::int64_t>& iterators,
                                     std::vector<std::int64_t>& room) const {
    if (subscripts == nullptr) return element.at(counters);
    if (!subscripts->at(iterators, room)) return std::nullopt;
    return box.number(room);
  }
};

struct LoopNode {
  enum class Kind { loop, branch, block, statement } kind = Kind::block;
  std::vector<std::size_t> children;  // body; then, else; in order
  // loop: for (counter = lower; counter <= upper; counter += step)
  std::size_t counter = 0;
  Formula lower, upper;
  std::int64_t step = 1;
  Formula condition;  // of a branch
  // statement: reads in the order of the source, then the write
  std::size_t statement = 0;  // its number in the program
  std::vector<Formula> arguments;
  std::vector<Touch> touches;
  bool strided = false;     // all elements are sums of counters
  bool may_repeat = false;  // two reads may be of the same element
  void iterators(const std::int64_t* counters, std::vector<std::int64_t>& result) const {
    result.clear();
    for (const Formula& a : arguments) result.push_back(a.at(counters));
  }
};

struct LoopProgram {
  std::string name;
  std::vector<LoopNode> nodes;
  std::size_t root = 0;
  std::size_t counters = 0;
  std::int64_t elements = 0;
  std::size_t most_touches = 0;  // of one instance: operands and result
  std::string busiest;           // a statement with so many
  std::vector<bool> output;      // by element: its last value must end in slow memory
  std::vector<Box> arrays;       // their elements, behind one another
};

// `times`: instance -> time, without two instances at one time. Throws Error where the arrays have
// more than most_elements elements.
LoopProgram loop_program(const program::Program& program, const isl::union_map& times,
                         const program::Sizes& sizes);
// For several orders of one program: `placement` is that of `program` at these sizes.
LoopProgram loop_program(const program::Program& program, const isl::union_map& times,
                         const program::Sizes& sizes, const Placement& placement);
// Of a schedule tree: the same order, for which isl takes less time.
LoopProgram loop_program(const program::Program& program, const isl::schedule& tree,
                         const program::Sizes& sizes, const Placement& placement);

// Instance -> time, without two instances at one time; the same as a tree, of which isl makes loops
// in less time, often with a condition inside.
struct InOrder {
  isl::union_map times;
  std::optional<isl::schedule> tree = {};
};

// A program, with the storage it needs, and an order of it.
struct SizedOrder {
  program::Program program;
  InOrder order;
  // In tiles that are alike, with sides smaller by about a factor, and how much smaller they are.
  struct Alike {
    InOrder order;
    double sides = 1;
  };
  // Nothing where tiles are too small, or there are none.
  using Smaller = std::function<std::optional<Alike>(double)>;
  Smaller smaller = {};  // what becomes of values there tells what does here; empty: the same order
  Smaller alike = {};    // what moves there, too; empty: of no order
  LoopProgram at(const program::Sizes& sizes) const;        // of the tree where there is one
  LoopProgram by_times(const program::Sizes& sizes) const;  // of the times
};

}  // namespace redblue::schedule
