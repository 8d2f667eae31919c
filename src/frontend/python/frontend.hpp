// SPDX-License-Identifier: BSD-3-Clause
// Python source -> Program.
#pragma once

#include <map>
#include <string>
#include <utility>

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

// The function as C, which parse() reads: void NAME(parameters in alphabetical order), matrices as
// double **. It computes what Python computes for float64 elements, but for //, %, int() and the
// order of sums over whole arrays.
struct Translation {
  std::string c, function;
  // Parameters that stand for an array's extent: "n" -> {"A", 0}.
  std::map<std::string, std::pair<std::string, int>> extents;
};
// `text`: what stands for the file's content, which is not read then.
Translation translated(const std::string& path, const std::string& function,
                       const std::string& text = {});

}  // namespace redblue::frontend::python
