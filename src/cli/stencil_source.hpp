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

  void add_to(CLI::App& command);
  // Throws Error for a file that has no stencil program.
  StencilSource read(const std::vector<std::string>& compiler_flags) const;
};

// Operations of a run in which ranks compute so many points: sweeps count as often as they are.
std::int64_t flops_of(const StencilSource& source, std::int64_t updates);

}  // namespace redblue::cli
