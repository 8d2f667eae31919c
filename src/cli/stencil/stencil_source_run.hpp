// SPDX-License-Identifier: BSD-3-Clause
// A compiled stencil program on all ranks.
#pragma once

#include <cstdint>

#include "cli/stencil/stencil_execution.hpp"
#include "cli/stencil/stencil_shipment.hpp"

namespace redblue::cli {

struct SourceRunOptions {
  StencilOptions plan;
  std::int64_t repeat = 1;
  bool check = true;
  RecordFiles record;
  ProgressCallback progress;  // told after each execution
};

// Executes the program on fields of random numbers and compares the result with that of the loops
// as they are, which rank 0 runs. Collective.
StencilOutcome run_source(const CompiledStencil& stencil, const SourceRunOptions& options);

}  // namespace redblue::cli
