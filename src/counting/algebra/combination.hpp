// SPDX-License-Identifier: BSD-3-Clause
// Formulas as sums of facts times numbers that are not negative.
#pragma once

#include <string>
#include <vector>

#include "counting/algebra/proof.hpp"

namespace redblue::counting {

// The least common denominator of the numbers of an otherwise integer-valued sum; 0 if it is none.
Rational common_denominator(const Expr& e);

// Whether a monomial is a product or a power.
bool has_products(const Expr& e);

// Whether `e` is a sum of facts times non-negative numbers, plus a number that makes it >= 0 (> 0):
// monomials count as independent variables. Adds what the facts taken assume.
bool combines(const Expr& e, bool strictly, const std::vector<Fact>& facts,
              std::vector<std::string>& assumed);

}  // namespace redblue::counting
