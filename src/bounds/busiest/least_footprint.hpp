// SPDX-License-Identifier: BSD-3-Clause
// The least that a processor's share of a statement's instances needs, as formulas
// (docs/methods/busiest.md, Lemma 4).
#pragma once

#include <vector>

#include "bounds/bound.hpp"

namespace redblue::bounds {

// sum_j c_j |phi_j(H)| >= words for every set H of so many instances, where the conditions hold.
struct LeastFootprint {
  symbolic::Expr words;
  std::vector<AtLeast> conditions;
};

// Of 1/p of the instances: one for each choice of projections that are as small as they can
// be, share / fibre points, the fibre being the most instances that share a point. `exponents`:
// those of the solved Intensity; |H| <= factor * product |phi_j(H)|^s_j. Nothing where some loop's
// values have no count.
std::vector<LeastFootprint> least_of_share(const program::Statement& statement,
                                           const std::vector<Term>& terms,
                                           const std::vector<symbolic::Rational>& exponents,
                                           const Amount& instances, const Sizes& sizes,
                                           const symbolic::Expr& factor = 1);

// What 1/p of so many instances need, where they are at most factor constant X^alpha for X words,
// less at_home / p words that need not be received: by that, which always holds, or by the one of
// `more` that leaves most at large sizes, if its conditions hold there.
LeastFootprint received_by_share(const Amount& instances, const symbolic::Expr& constant,
                                 const symbolic::Rational& alpha,
                                 const std::vector<LeastFootprint>& more,
                                 const symbolic::Expr& at_home, const Sizes& sizes,
                                 const symbolic::Expr& factor = 1);

// The most that these say at the given sizes, of those whose conditions hold there.
double least_at(const std::vector<LeastFootprint>& all, const Sizes& sizes);

}  // namespace redblue::bounds
