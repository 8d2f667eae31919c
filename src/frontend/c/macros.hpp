// SPDX-License-Identifier: BSD-3-Clause
// Macros behind which a region's text hides what a schedule renames.
#pragma once

#include <string>

#include "program/program.hpp"

namespace redblue::frontend::c {

// Why code made from the region's text would not say what the source does: a macro that the text
// uses, defined in the same file, names a counter or an array that is written, which a schedule
// calls otherwise; or it stands for a sum without parentheses beside another operator. Empty: none
// does.
std::string hidden_by_macros(const program::Program& program);

}  // namespace redblue::frontend::c
