// SPDX-License-Identifier: BSD-3-Clause
// A plan as C whose tiles call BLAS where they are its operations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schedule/search/search.hpp"

namespace redblue::schedule {

struct CallCode {
  std::string code;
  std::vector<std::string> calls;  // "S1: dgemm of 29 x 29 x all (i, j, k)"
};

// The plan's tiles in the plan's order; a loop over sums whose tiles are a few steps is cut like
// the rows, or, where the sums are the same in all tiles, not at all. Nothing where no tile is a
// call. `families`: the storage that the plan needs.
std::optional<CallCode> call_code(const program::Program& program, const Plan& plan,
                                  const std::vector<Family>& families);

}  // namespace redblue::schedule
