// SPDX-License-Identifier: BSD-3-Clause
// How many pairs of positions a segment holds: docs/methods/pairs.md, Lemmas 4 to 6.
#pragma once

#include "symbolic/expr.hpp"

namespace redblue::bounds {

struct PairsShape {
  long layers = 1;  // statements that compute something for the same pairs
  long both = 1;    // arrays read at the row and at the place
  long placed = 0;  // arrays read at the place only
  // A value that is looked through is for so many pairs; 0: none is looked through.
  long pairs_a_value = 0;
};

// K: a segment with X operands computes K X^2 instances at most that are D or more off the
// diagonal, or layers * pairs_a_value * X where values are looked through and that is more.
symbolic::Rational pairs_constant(const PairsShape& shape);

// How large D must be for that. (Formulas take X / 2, or pairs_a_value times that: enough for all.)
double far_enough(const PairsShape& shape, double x);

// A bound on these instances for any distance, 0 among them.
double pairs_chi(const PairsShape& shape, double x, double distance);

// At X = 2 S and D = S, S pairs_a_value: what must be at most K X^2 besides, where values are
// looked through.
symbolic::Expr near_at_best(const PairsShape& shape);

}  // namespace redblue::bounds
