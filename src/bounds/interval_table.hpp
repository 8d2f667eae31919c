// Tables that are filled from themselves, interval by interval, in the game without recomputation:
// Nussinov's recurrence, the order of a product of matrices, triangulations,
//     T[w, y] = the best over x of T[w, x] and T[x, y].
//
// Left and right operands are values of one table, and a value may be both; a segment still needs
// as much as if none were. Let it use a values, touch c chains (one for every [w, y], each brings
// one value from outside) and finish o of these.
//
// Lemma. t nondecreasing, A[u, v] = 0 where u < t(v):
//     sum over w < t(y) of (sum_x A[w, x] A[x, y])^2  <=  1/4 (sum A^2)^2.
// Proof. For B[w, y] on w < t(y) with sum B^2 = 1, P(w) = sum_y B[w, y]^2, T(z) = sum_{w >= z}
// P(w), F(w, x) = min(1, T(t(x)) / T(t(w))): 2 A[w, x] A[x, y] B[w, y] <= A[w, x]^2 F(w, x) B[w,
// y]^2 / P(w)
// + A[x, y]^2 P(w) / F(w, x). What [u, v] gets, as left operand and as right one, is at most
//     F(u, v) + sum_{t(u) <= w < t(v)} P(w) T(t(w)) / T(t(u))  <=  1   (for v >= u; else F(u, v)).
//
// Take t(y) - 1 as the largest w of a chain [w, y'], y' <= y, that the segment leaves unfinished.
// Values that are finished have finished all within them, so u >= t(v) for all operands, and the
// instances on unfinished chains, at most c - o, are at most sqrt(c - o) a / 2. Those on finished
// ones are at most sqrt(o) |A^2| <= sqrt(o) a / sqrt(2), as A is triangular (row w of A^2 holds at
// most its own square sum times those of rows behind it). Together, for every e > 0,
//     n <= a/2 sqrt((1 + e) (c + (2/e - 1) o)),
// so with a + c + (2/e - 1) o <= X, n <= sqrt(1 + e) (X/3)^(3/2). Each chain is finished once:
//     Q >= (segments of sqrt(1 + e) (X/3)^(3/2)) - tagged - (2/e - 1) chains.
#pragma once

#include <vector>

#include "bounds/bound.hpp"

namespace redblue::bounds {

// Bounds of tables filled from themselves.
std::vector<Bound> interval_tables(const program::Program& program, const Sizes& sizes);

// The most instances of a segment with a + c + (2/e - 1) o <= x.
double interval_table_chi(double x, double e);

}  // namespace redblue::bounds
