// SPDX-License-Identifier: BSD-3-Clause
// Recognised sweeps as C.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sweeps/recognise.hpp"

namespace redblue::sweeps {

// Row-major arrays of the program at its sizes.
using Extents = std::map<std::string, std::vector<std::int64_t>>;

// What the functions' texts have in common.
struct Surroundings {
  std::string element;                // of arrays
  std::vector<std::string> integers;  // "const int N = 512;", and so on
  std::vector<std::string> scalars;   // "const double c = redblue_scalars[0];", likewise
  Extents extents;                    // of all arrays
  MeshIndex origin = {0, 0, 0};
  std::vector<std::string> fields, inputs;
  std::vector<std::string> local;  // fields the region declares itself
  // Arrays only of statements without instances at these sizes, with their numbers of dimensions.
  std::map<std::string, int> unused;
};

// The C type of what every function is told, and how it finds a point in memory.
std::string prelude();

// redblue_sweep_NUMBER: the statement on any box of mesh points.
std::string sweep_text(const program::Program& program, const Recognised& recognised,
                       const Sweep& sweep, int number, const Surroundings& around);

// redblue_sequential: the region as it is.
std::string sequential_text(const program::Program& program, const Surroundings& around);

// Operators and calls of functions outside subscripts.
std::int64_t flops_of(const std::string& statement);

}  // namespace redblue::sweeps
