// SPDX-License-Identifier: BSD-3-Clause
// Arrays that each step of a loop can have for itself, so that threads may share its steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/enumerate.hpp"

namespace redblue::schedule::codegen {

// What the steps of the loop that `upto` (instance -> times) ends with must have arrays of their
// own for, if they are to run in any order: arrays that the region declares, of which no step reads
// what another wrote. Empty: they may run in any order as it is. Nothing: something else holds them
// in order. `order`: pairs of instances that must not run at once, of which these arrays may be the
// reason (one_at_a_time). An array of more than 65,536 elements at `sizes` is not offered, as it
// would stand on each thread's stack.
std::optional<std::vector<std::string>> private_arrays(const program::Program& program,
                                                       const isl::union_map& order,
                                                       const isl::union_map& upto,
                                                       const program::Sizes& sizes);

}  // namespace redblue::schedule::codegen
