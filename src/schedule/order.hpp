// SPDX-License-Identifier: BSD-3-Clause
// What must stay in order when the instances of a program are rearranged (on isl).
#pragma once

#include <isl/cpp.h>

#include <optional>

#include "program/program.hpp"

namespace redblue::schedule {

// A map of no instances.
isl::union_map nothing();

// All instances.
isl::union_set instances(const program::Program& program);

// When every instance runs.
isl::union_map times(const program::Program& program);

// Instance -> later instance that touches the same element, where one of them writes it; commuting
// updates of one function are in no order.
isl::union_map conflicts(const program::Program& program);

// The pairs of instances of which the program runs the first one earlier.
isl::union_map in_program_order(const program::Program& program, const isl::union_map& pairs);

// Conflicts, and commuting updates of one element, which may run in any order, but not at once.
isl::union_map one_at_a_time(const program::Program& program);

// Writer -> reader of its value.
isl::union_map flow(const program::Program& program);

// Instances that read one element.
isl::union_map common_reads(const program::Program& program);

// The part of `maps` whose domain is a statement.
std::optional<isl::map> of_statement(const isl::union_map& maps, const std::string& name);

// Whether `later` runs after `earlier` in all of `order` under new times.
bool respects(const isl::union_map& times, const isl::union_map& order);

}  // namespace redblue::schedule
