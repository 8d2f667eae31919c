// SPDX-License-Identifier: BSD-3-Clause
// Updates that compute the same bits in any order: best = fmax(best, e) of one element.
#pragma once

#include <isl/cpp.h>

#include <string>
#include <vector>

#include "program/program.hpp"

namespace redblue::schedule {

// Statements that replace an element by the larger (fmax) or the smaller (fmin) of itself and
// something else. The order of those of one element and one function matters for no value but which
// of two equal zeros, or which NaN, is left, and C leaves that open.
std::vector<program::Update> commuting_updates(const program::Program& program);

// "fmax of best" of the program's commuting updates whose order is another one than the source's.
std::vector<std::string> reordered_updates(const program::Program& program,
                                           const isl::union_map& times);

}  // namespace redblue::schedule
