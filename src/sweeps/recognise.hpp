// SPDX-License-Identifier: BSD-3-Clause
// Loop nests that are stencil programs: which statements are sweeps over which boxes, in an order
// that isl proves to be the program's own as far as results go.
#pragma once

#include <string>
#include <vector>

#include "program/enumerate.hpp"
#include "program/program.hpp"
#include "redblue/stencil_model.hpp"

namespace redblue::sweeps {

// What is read of one array around a point: low[j] <= distance <= high[j], for one access.
struct Distance {
  std::string array;
  MeshIndex low = {0, 0, 0}, high = {0, 0, 0};
  bool always = false;  // one distance, of all points
};

// One statement, all instances of one time step. They may run in any order.
struct Sweep {
  program::Statement statement;  // at the sizes
  std::string array;             // that it sets
  std::vector<MeshBox> boxes;    // of elements, disjoint, the same in each step
  std::vector<Distance> reads;   // of arrays that are fields
  isl::map instances;            // [time, element] -> instance
};

// The sweeps of a time step, in order. Where the program has no time loop there is one step.
struct Recognised {
  int dimensions = 1;
  bool time_loop = false;  // the outermost loop of all statements
  std::int64_t first_time = 0, steps = 1;
  std::vector<Sweep> sweeps;
  std::vector<std::string> fields;  // arrays over the mesh
  std::vector<std::string> inputs;  // others: read only, each rank has all of them
};

// Throws Error "FILE:LINE: no stencil: reason" for other programs. Proved at these sizes; that
// distances do not grow with the sizes, for all.
Recognised recognise(const program::Program& program, const program::Sizes& sizes);

// "FILE:LINE: no stencil", what Errors about a statement begin with.
std::string no_stencil(const program::Program& program, const program::Statement& statement);

}  // namespace redblue::sweeps
