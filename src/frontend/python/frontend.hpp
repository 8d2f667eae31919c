// SPDX-License-Identifier: BSD-3-Clause
// Python source -> Program.
#pragma once

#include <string>

#include "program/program.hpp"

namespace redblue::frontend::python {

// Reads the loop nest of a function (`function` may be empty where the file has one), or of a
// module without functions. Python's own ast module reads the file (the program python3 must be
// installed); the nest goes through the C front end.
//
// Read: for loops over range(), if, assignments and augmented assignments of elements (A[i, j] or
// A[i][j]) and scalars, arithmetic, math functions; zeros(), ones(), full(), empty() make arrays of
// the nest's own. Names that steer loops are parameters.
//
// Throws Error "FILE:LINE: reason" for anything else.
program::Program parse(const std::string& path, const std::string& function);

}  // namespace redblue::frontend::python
