// SPDX-License-Identifier: BSD-3-Clause
// An exact linear program over the rationals.
#pragma once

#include <optional>
#include <vector>

#include "symbolic/expr.hpp"

namespace redblue::bounds {

struct LinearProgramSolution {
  symbolic::Rational value;
  std::vector<symbolic::Rational> primal;  // y
  std::vector<symbolic::Rational> dual;    // one per row of a
};

// max sum_t y_t subject to a y <= 1, y >= 0, by the simplex method with Bland's rule.
// nullopt when unbounded. a must be non-negative.
std::optional<LinearProgramSolution> maximise(const std::vector<std::vector<symbolic::Rational>>& a,
                                              int variables);

}  // namespace redblue::bounds
