// SPDX-License-Identifier: BSD-3-Clause
// The parameters of the function that a region stands in.
#pragma once

#include <string>
#include <vector>

#include "program/program.hpp"

namespace redblue::measure_detail {

struct Parameter {
  std::string name;
  bool row_pointers = false;  // double **A or double *A[n], not double (*A)[n]
};

// In order.
std::vector<Parameter> parameters_of(const program::Program& program);

// Of a parameter that is a size: "int", where the region does not say.
std::string type_of_size(const program::Program& program, const std::string& name);

// Throws Error where the region does not use it: `what`, "a run", of the program needs to know what
// it is.
const program::Variable& variable(const program::Program& program, const std::string& name,
                                  const std::string& what);

}  // namespace redblue::measure_detail
