// SPDX-License-Identifier: BSD-3-Clause
// Between the public formulas and ours.
#pragma once

#include "redblue/formula.hpp"
#include "symbolic/expr.hpp"

namespace redblue::symbolic {

Formula formula(const Expr& e);
const Expr& expr(const Formula& formula);  // throws Error where there is none

}  // namespace redblue::symbolic
