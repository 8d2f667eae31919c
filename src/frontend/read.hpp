// SPDX-License-Identifier: BSD-3-Clause
// The one place that chooses a front end.
#pragma once

#include "program/program.hpp"
#include "redblue/analysis.hpp"

namespace redblue::frontend {

// The program of a request: its einsum where it has one, else its file: by its ending Python (.py),
// Fortran (.f, .f90 and the like), LLVM IR (.ll, .bc), C++ (.cpp, .cc, .cxx), else C. Outputs are
// what the request says of them.
program::Program read(const BoundRequest& request);

}  // namespace redblue::frontend
