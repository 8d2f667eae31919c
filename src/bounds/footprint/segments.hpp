// SPDX-License-Identifier: BSD-3-Clause
// What follows from a limit on the size of a segment's set (docs/methods/segments.md).
#pragma once

#include <functional>

#include "symbolic/expr.hpp"

namespace redblue::bounds {

// The loads that V = `vertices` take: at least (X - S) V / chi(X) for every X > S (Lemma 9), and
// more where one memory's first segment, which finds nothing in it, is taken by itself (Lemma 10).
// chi(x) bounds the size of a set with |In| <= x; it grows, and chi(x) / x does not fall. `units`
// fast memories of S words share the vertices; the loads are of all together.
double segments_bound(const std::function<double(double)>& chi, double vertices, double s,
                      double units);

// The transfers that they take where segments are cut by loads and stores: chi(x) bounds the size
// of a set with |In| + |Out| <= x and grows. A segment has x = S + X, the first one, which finds
// nothing, and the last one, which leaves nothing, S less (Lemma 11).
double transfers_bound(const std::function<double(double)>& chi, double vertices, double s,
                       double units);

// The first as a formula that holds for every S: chi(X) = c X^alpha, alpha > 1, and `moved` = V
// (X_0
// - S) / chi(X_0) words for all V vertices at the best X_0, in segments of X_0 - S = S / (alpha -
// 1) words, rounded up where these are no whole number (Lemma 6).
symbolic::Expr segments_formula(const symbolic::Expr& moved, const symbolic::Rational& alpha);

}  // namespace redblue::bounds
