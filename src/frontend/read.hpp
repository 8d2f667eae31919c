// SPDX-License-Identifier: BSD-3-Clause
// The one place that chooses a front end.
#pragma once

#include "program/program.hpp"
#include "redblue/analysis.hpp"

namespace redblue::frontend {

// The program of a request: its einsum where it has one, else its file: Python where that ends in
// .py, else C or C++ (.cpp, .cc, .cxx). Outputs are what the request says of them.
program::Program read(const BoundRequest& request);

}  // namespace redblue::frontend
