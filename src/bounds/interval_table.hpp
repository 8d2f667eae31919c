// SPDX-License-Identifier: BSD-3-Clause
// Tables that are filled from themselves, interval by interval, in the game without recomputation:
// Nussinov's recurrence, the order of a product of matrices, triangulations,
//     T[w, y] = the best over x of T[w, x] and T[x, y].
//
// Left and right operands are values of one table, and a value may be both; a segment still needs
// as much as if none were, but on the chains it finishes. Let it use a values, touch c chains (one
// for every [w, y], each brings one value from outside) and finish o of these. For every e > 0 it
// computes at most
//     n <= a/2 sqrt((1 + e) (c + (2/e - 1) o))
// instances (docs/methods/interval_table.md, Lemmas 1 and 2), so with a + c + (2/e - 1) o <= X,
// n <= sqrt(1 + e) (X/3)^(3/2). Each chain is finished once (Lemma 3):
//     Q >= (segments of sqrt(1 + e) (X/3)^(3/2)) - tagged - (2/e - 1) chains.
#pragma once

#include <vector>

#include "bounds/bound.hpp"

namespace redblue::bounds {

// Bounds of tables filled from themselves.
std::vector<Bound> interval_tables(const Facts& facts, const Sizes& sizes);

// The most instances of a segment with a + c + (2/e - 1) o <= x.
double interval_table_chi(double x, double e);

}  // namespace redblue::bounds
