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
  std::string einsum, set, order = "automatic", layout;
  ModelOptionTexts model;

  void add_to(CLI::App& command);
  EinsumPlanRequest request(int ranks) const;
  EinsumOrder chosen_order() const;
};

// Of every tensor its layout as text, or null.
Json layouts_json(const EinsumPlanRequest& request);

// {"i": 400, "j": 400}.
Json letters_json(const EinsumShape& shape);

// "i 400, j 400".
std::string letters_text(const EinsumShape& shape);

// Of every contraction of a chain: what is contracted, how it is shared, what it costs.
Json steps_json(const EinsumShape& whole, const EinsumChainReport& report);

// "T1" for the result of the first step, else the operand's letters.
std::string operand_name(const EinsumShape& whole, std::size_t number);

// "einsum ij,jk->ik (i 4, j 4, k 4) on 4 ranks: grid ..".
std::string title(const EinsumPlanRequest& request, const EinsumChainReport& report);

// Of the only step, or "3 contractions".
std::string name_of(const EinsumChainReport& report);

// name, rounds, round_over and, of grids, the parts along each index.
Json decomposition_json(const EinsumShape& shape, const EinsumDecomposition& decomposition);

}  // namespace redblue::cli
