// SPDX-License-Identifier: BSD-3-Clause
// A C file with a stencil program, read, and written out as C that updates any part of the mesh.
//
// What is a stencil program: at most one time loop around loop nests that set arrays of one, two or
// three dimensions, boxes of them, from elements of such arrays at constant distances. The points
// of a nest may be updated in any order, and nests one after the other: isl proves it.
// Results are bit for bit those of the program itself, whatever parts of the mesh are updated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "redblue/analysis.hpp"
#include "redblue/stencil_model.hpp"

namespace redblue {

// An array over the mesh, a field of the stencil program, in the same order.
struct SourceField {
  std::string name;
  MeshIndex extents = {1, 1, 1};  // of the array; those of the mesh may be larger
  bool local = false;             // declared in the loops' own block: nobody reads it after them
};

// A read-only array that every rank has all of: coefficients of fewer dimensions, values by time.
struct SourceInput {
  std::string name;
  std::vector<std::int64_t> extents;
};

// One sweep of the program.
struct SourceSweep {
  int line = 0;
  std::string text;        // the statement
  std::int64_t flops = 0;  // of one point: additions, multiplications, divisions, functions
};

struct StencilSource {
  std::string name;  // of the function
  std::string file;
  std::string element;     // of all its arrays: "double" or "float"
  std::int64_t steps = 1;  // iterations of the time loop
  StencilProgram program;  // fixed boundaries
  // The same program with fewer reads, of stars and boxes all of whose points are read: `program`
  // may name more, where reads are on one side or data decide. For stencil_lower_bound.
  StencilProgram needed;
  MeshIndex origin = {0, 0, 0};  // the mesh point of array elements [0][0][0]
  std::vector<SourceField> fields;
  std::vector<SourceInput> inputs;
  std::vector<std::string> scalars;   // read-only, not integer
  std::vector<double> scalar_values;  // as `sizes` has them, else random in [1/2, 3/2)
  std::vector<SourceSweep> sweeps;    // one for each of program.sweeps
  // The file, and behind it one function per sweep, redblue_sweep_0 .., and redblue_sequential, the
  // loops as they are:
  //   void redblue_sweep_K(const redblue_box *part, long long step, const redblue_view *fields,
  //                        const redblue_view *target, void *const *inputs, const double *scalars)
  //   void redblue_sequential(void *const *fields, void *const *inputs, const double *scalars)
  // A redblue_box is a MeshBox, a redblue_view a FieldView; fields of redblue_sequential are arrays
  // of their own extents, row-major; those of local fields are not used.
  std::string code;
};

// Reads `request.file` at `request.sizes`, which has all integer variables of the loops, and may
// have values for scalars. Throws Error "FILE:LINE: no stencil: reason" for a program that is none,
// and those of lower_bounds for what redblue cannot read.
StencilSource stencil_source(const BoundRequest& request);

// The shared library that the C compiler (the environment's CC, else cc) makes of `source.code`
// with -O3 -march=native -ffp-contract=off and `flags`: the file's bytes. Throws Error with the
// compiler's first words where it fails.
std::string compiled(const StencilSource& source, const std::vector<std::string>& flags);

}  // namespace redblue
