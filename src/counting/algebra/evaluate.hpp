// SPDX-License-Identifier: BSD-3-Clause
// Exact values of formulas.
#pragma once

#include <optional>

#include "symbolic/expr.hpp"

namespace redblue::counting {

using symbolic::Expr;
using symbolic::Rational;

// The value of a formula where its symbols have these values. floor and ceil of what is no rational
// number (logarithms, roots) are decided with 100 digits: algebraic numbers and logarithms of
// integers below 10^20 that are no integer are farther from integers than that shows. The logarithm
// of 0 or less counts as -w, with w larger than every number; the root of a negative number and the
// inverse of 0 count as 0. Formulas hold with these, as such parts cancel or stand beside a factor
// 0. nullopt: a symbol is left, or the value is no number.
std::optional<Rational> value(const Expr& e, const symbolic::Valuation& values);

// The integer not below (not above) the value.
std::optional<Rational> rounded_up(const Expr& e, const symbolic::Valuation& values);
std::optional<Rational> rounded_down(const Expr& e, const symbolic::Valuation& values);

}  // namespace redblue::counting
