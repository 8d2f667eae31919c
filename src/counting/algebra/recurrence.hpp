// SPDX-License-Identifier: BSD-3-Clause
// The values of a loop's variables after i iterations.
#pragma once

#include <vector>

#include "counting/algebra/proof.hpp"

namespace redblue::counting {

// One variable: x <- next, over the symbols of all variables of the loop.
struct Update {
  Symbol symbol;
  Expr start;
  Expr next;
};

// symbol -> formula in i, which holds for all i >= 0. A variable whose updates have no closed form
// here is missing.
using Values = std::map<Expr, Expr, GiNaC::ex_is_less>;
Values closed_forms(const std::vector<Update>& updates, const Symbol& i, const Facts& facts);

}  // namespace redblue::counting
