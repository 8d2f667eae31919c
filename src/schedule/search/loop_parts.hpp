// SPDX-License-Identifier: BSD-3-Clause
// Loops of an order part by part: most orders that a search compares differ in one part.
#pragma once

#include <isl/cpp.h>

#include <map>
#include <string>

#include "schedule/traffic/loop_program.hpp"

namespace redblue::schedule {

// What isl made of parts, by the text of all that it depends on, for one program at given sizes.
using KnownParts = std::map<std::string, LoopProgram>;

// As loop_program does. Parts run one after the other: children of the tree's outermost sequence,
// or steps of its outermost loop that have statements of their own. Loops of those that are known
// are taken from there, others are known from now on.
LoopProgram loop_program(const program::Program& program, const isl::schedule& tree,
                         const program::Sizes& sizes, const Placement& placement,
                         KnownParts& known);

}  // namespace redblue::schedule
