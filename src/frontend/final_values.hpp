// SPDX-License-Identifier: BSD-3-Clause
// What the user says of the arrays' final values: outputs, or scratch.
#pragma once

#include <string>
#include <vector>

#include "program/program.hpp"

namespace redblue::frontend {

// The program whose arrays in `scratch` are dead after it and whose arrays in `outputs` are read
// after it, all that it writes of them; others stay. An array may be an input all the same. Throws
// Error for an array in both, and for a name of no array that the program writes.
program::Program with_final_values(program::Program program,
                                   const std::vector<std::string>& scratch,
                                   const std::vector<std::string>& outputs);

}  // namespace redblue::frontend
