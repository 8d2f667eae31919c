// SPDX-License-Identifier: BSD-3-Clause
// What the gemm subcommands share.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "cli/linalg/model_options.hpp"
#include "redblue/gemm_model.hpp"

namespace redblue::cli {

// -m -n -k --memory --machine --minimise --exchange of the gemm subcommands, as text until they are
// read.
struct GemmOptionTexts {
  std::string m, n, k, exchange;
  ModelOptionTexts model;

  void add_to(CLI::App& command);
  void add_exchange_to(CLI::App& command);  // where matrices are in the plan's own layout
  GemmPlanRequest request(int ranks) const;
};

}  // namespace redblue::cli
