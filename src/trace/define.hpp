// SPDX-License-Identifier: BSD-3-Clause
// Standing in front of an MPI function under both of its names: C programs call MPI_X, the Fortran
// bindings (mpi_x_, those of the modules too) PMPI_X.
#pragma once

#include "trace/rules.hpp"

// NOLINTBEGIN(bugprone-macro-parentheses): parameters and arguments
#define EACH(...) __VA_ARGS__

// `body` may go on to MPI's own by next(arguments).
#define DEFINE(name, parameters, arguments, body)                                        \
  int name(EACH parameters) {                                                            \
    const MpiCall call(#name);                                                           \
    static const auto next = reinterpret_cast<decltype(&name)>(mpi_function("P" #name)); \
    body                                                                                 \
  }                                                                                      \
  int P##name(EACH parameters) {                                                         \
    return name(EACH arguments);                                                         \
  }
// NOLINTEND(bugprone-macro-parentheses)
