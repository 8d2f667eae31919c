// SPDX-License-Identifier: BSD-3-Clause
// What plan stencil and run stencil share.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

#include "cli/output.hpp"
#include "redblue/stencil_model.hpp"

namespace redblue::cli {

// -d -n --radius --star --box --periodic of the built-in stencils, as text until they are read.
struct StencilMeshTexts {
  std::string dimensions = "2", extent, radius = "1";
  bool star = false, box = false, periodic = false;

  void add_to(CLI::App& command);
  bool given() const { return !extent.empty(); }
  StencilProgram program() const;
  std::string title() const;  // "star of radius 1 on 512 x 512, periodic"
};

// --scheme --depth --side --memory --machine, as text until they are read.
struct StencilWayTexts {
  std::string scheme, depth, side, memory, machine;

  void add_to(CLI::App& command);
  // Everything but the program, the steps and the ranks.
  StencilPlanRequest request() const;
};

// "512 x 512".
std::string extents_text(const StencilProgram& program);

// Of words to their bound, where there is one; else null.
Json ratio_to_bound(std::int64_t words, double bound);

// scheme, depth, side and grid as JSON members of `json`.
void add_decomposition(Json& json, const StencilProgram& program, const StencilDecomposition& d);

}  // namespace redblue::cli
