// SPDX-License-Identifier: BSD-3-Clause
// The leading terms of [solomonik2016, Algorithm 2], as plan and run of trsv print them.
#pragma once

#include "cli/output.hpp"
#include "redblue/factor_model.hpp"

namespace redblue::cli {

inline Json leading_json(const TrsvDecomposition& decomposition) {
  const TrsvLeadingTerms leading = leading_terms(decomposition);
  return {{"synchronisations", leading.synchronisations},
          {"flops", leading.operations},
          {"path_words", leading.words}};
}

}  // namespace redblue::cli
