// SPDX-License-Identifier: BSD-3-Clause
// Stencil programs from C files: what `plan stencil FILE` and `run stencil FILE` do.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

#include "redblue/stencil_source.hpp"

namespace redblue::cli {

// FILE --set --function, as text until they are read.
struct StencilSourceTexts {
  std::string file, set, function;

  // After all other options of the command.
  void add_to(CLI::App& command);
  // Throws Error for a file that has no stencil program.
  StencilSource read(const std::vector<std::string>& compiler_flags) const;
};

// "jacobi_2d on 512 x 512".
std::string title_of(const StencilSource& source);

// Operations of one update, on average: sweeps count by their points.
double flops_per_update(const StencilSource& source);

}  // namespace redblue::cli
