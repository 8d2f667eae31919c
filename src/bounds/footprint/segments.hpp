// SPDX-License-Identifier: BSD-3-Clause
// What follows from a limit on the size of a segment's set (docs/methods/segments.md).
#pragma once

#include <functional>

#include "symbolic/expr.hpp"

namespace redblue::bounds {

// max over X > S of (X - S) (ceil(V / chi(X)) - 1), at least 0. V = `vertices`; chi an upper bound
// on the size of a segment's set. Where `units` fast memories of S words share the vertices, each
// has a last segment of its own: (X - S) (V / chi(X) - units), what all move together (Lemma 1).
double segments_bound(const std::function<double(double)>& chi, double vertices, double s,
                      double units);

// The same without rounding, as a formula that holds for every S: chi(X) = c X^alpha, alpha > 1,
// and `moved` = V (X_0 - S) / chi(X_0) words for all V vertices at the best X_0, in segments of X_0
// - S = S / (alpha - 1) words, rounded up where these are no whole number (Lemma 6).
symbolic::Expr segments_formula(const symbolic::Expr& moved, const symbolic::Rational& alpha,
                                const symbolic::Expr& units);

}  // namespace redblue::bounds
