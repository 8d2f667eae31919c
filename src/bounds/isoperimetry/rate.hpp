// SPDX-License-Identifier: BSD-3-Clause
// What the growth of lattice sets says about every vertex, as a formula.
#pragma once

#include "bounds/isoperimetry/lattice_growth.hpp"
#include "symbolic/expr.hpp"

namespace redblue::bounds {

struct Rate {
  symbolic::Expr per_vertex;  // words, in the leading term
  symbolic::Expr lost;        // the fraction of it to subtract, as sets are finite
};

// Of chi with the best sum at 1,024 words (docs/methods/isoperimetry.md, Lemma 6); or, where
// instances have values of their own on the way, of chi = m / 2 + R^n (Lemma 7).
Rate rate_formula(const LatticeGrowth& growth, int charge, bool own_values);

// That sum; there is one.
LatticeGrowth::Sum formula_sum(const LatticeGrowth& growth, int charge);

}  // namespace redblue::bounds
