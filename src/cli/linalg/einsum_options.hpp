// SPDX-License-Identifier: BSD-3-Clause
// What plan, run and compare einsum share.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "cli/linalg/model_options.hpp"
#include "cli/output.hpp"
#include "redblue/einsum_model.hpp"

namespace redblue::cli {

struct EinsumOptionTexts {
  std::string einsum, set;
  ModelOptionTexts model;

  void add_to(CLI::App& command);
  EinsumPlanRequest request(int ranks) const;
};

// {"i": 400, "j": 400}.
Json letters_json(const EinsumShape& shape);

// "i 400, j 400".
std::string letters_text(const EinsumShape& shape);

// name, rounds, round_over and, of grids, the parts along each index.
Json decomposition_json(const EinsumShape& shape, const EinsumDecomposition& decomposition);

}  // namespace redblue::cli
