// SPDX-License-Identifier: BSD-3-Clause
// Names of loop variables in emitted C.
#pragma once

#include <string>

#include "program/program.hpp"

namespace redblue::schedule::codegen {

// What a loop at this depth steps through, after the first statement that says so: "i" and, for
// its tiles, "i_tile".
std::string loop_name(const program::Program& program, const isl::union_map& times, int depth);

}  // namespace redblue::schedule::codegen
