// SPDX-License-Identifier: BSD-3-Clause
// Sums over a loop's iterations: in closed form, or between two closed forms.
#pragma once

#include <optional>

#include "counting/algebra/proof.hpp"

namespace redblue::counting {

// A value known exactly (lower = upper) or between two formulas.
struct Range {
  Expr lower = 0;
  Expr upper = 0;
  bool exact() const { return lower.is_equal(upper); }
};

Range operator+(const Range& a, const Range& b);

// sum of f(i), low <= i < high, for integers low <= high. nullopt: no bounds are known.
std::optional<Range> sum(const Expr& f, const Symbol& i, const Expr& low, const Expr& high,
                         const Facts& facts);

// The part of a sum that has no closed form: one summand of f, expanded.
std::optional<Range> bounded_sum(const Expr& summand, const Symbol& i, const Expr& low,
                                 const Expr& high, const Facts& facts);

// An innermost function of the wanted kind whose argument contains i.
std::optional<Expr> innermost(const Expr& e, const Symbol& i, bool (*wanted)(const Expr&));

// How far floor or ceil of x can be from x: 1 - 1/d for a quotient of integers by d, else 1.
Expr rounding_gap(const Expr& x);

}  // namespace redblue::counting
