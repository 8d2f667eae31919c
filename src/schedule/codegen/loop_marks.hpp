// SPDX-License-Identifier: BSD-3-Clause
// Marks that stand in front of loops of emitted C: macros, which compilers with OpenMP and without
// take for what they know.
#pragma once

#include <string>

namespace redblue::schedule::codegen {

// Steps in any order: for vectors; for threads, which share elements or rows, tiles that take
// equally long, other tiles; for both.
inline constexpr const char *independent_mark = "REDBLUE_INDEPENDENT",
                            *shared_mark = "REDBLUE_PARALLEL",
                            *shared_equal_mark = "REDBLUE_PARALLEL_EQUAL",
                            *shared_steps_mark = "REDBLUE_PARALLEL_STEPS",
                            *shared_innermost_mark = "REDBLUE_PARALLEL_INDEPENDENT";

// What lets compilers add up in any order, for all of a file.
extern const char* const any_order_of_sums;

// The macros that a text with such marks needs in front of it.
std::string marks_defined(const std::string& text);

}  // namespace redblue::schedule::codegen
