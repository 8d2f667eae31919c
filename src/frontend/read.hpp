// SPDX-License-Identifier: BSD-3-Clause
// The one place that chooses a front end.
#pragma once

#include "program/program.hpp"
#include "redblue/analysis.hpp"

namespace redblue::frontend {

// From here on `text`, C or C++ as the name says, stands in this process for the content of the
// file `name`: C also where the name is another language's, with #line directives that say from
// which lines it comes. No file is read for it; it may include own_headers() (frontend/c/ast)
// alone.
void stand_for_file(const std::string& name, const std::string& text);

// The program of a request: its einsum where it has one, else its file: by its ending Python (.py),
// Fortran (.f, .f90 and the like), LLVM IR (.ll, .bc), C++ (.cpp, .cc, .cxx), else C. Outputs are
// what the request says of them.
program::Program read(const BoundRequest& request);

}  // namespace redblue::frontend
