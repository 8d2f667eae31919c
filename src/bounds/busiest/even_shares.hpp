// SPDX-License-Identifier: BSD-3-Clause
// What the busiest of p processors receives, whatever its memory, where they share the work evenly
// (docs/methods/busiest.md).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bounds/bound.hpp"
#include "bounds/busiest/least_footprint.hpp"

namespace redblue::bounds {

// A limit on sets of instances, |H| <= chi(|In(H)|) with chi(X) = constant X^alpha, alpha >= 1, for
// what processors compute in place of segments.
struct SharedWork {
  std::string instances;  // of which statements
  Amount vertices;        // counted by the limit
  Amount at_home;         // inputs, and values that are paid for where they are computed
  symbolic::Expr constant;
  symbolic::Rational alpha;
  std::function<double(double)> chi;  // at the given sizes; chi(x) / x does not fall
  // Whether values are looked through: the limit is the larger of constant X^alpha and X, and the
  // formula is for shares of which the first is the larger (docs/methods/contraction.md).
  bool looked_through = false;
  // More formulas of what a share needs than (share / constant)^(1 / alpha).
  std::vector<LeastFootprint> least = {};
};

// No processor computes more than 1/p of the vertices (Lemma busiest.2).
Busiest even_shares(const SharedWork& work, const Sizes& sizes);

// The text of Busiest::provided: no processor computes more than 1/p of these instances.
std::string provided_even(const std::string& instances, bool inputs_once);

// Where f, which grows, reaches `value`, from below: between 0 and `high`, or twice, four times, ..
// that where it is less there.
double reached_at(const std::function<double(double)>& f, double value, double high = 1);

// 1/p of so many, rounded up.
double even_share(double vertices, const Sizes& sizes);

// The formula for as many processors as the sizes have, two at least, where parameters are large;
// 0 where it has no value.
double busiest_far_out(const symbolic::Expr& words, const Sizes& sizes);

// Leaves what a method found in Sizes::even_shares.
void note_share(const Sizes& sizes, const std::optional<Busiest>& found);

// Gives the first of the bounds the largest that methods left in Sizes::even_shares, at the given
// sizes or far out, where no bound says as much of the busiest. Not where one of the program's
// parameters is called p.
void add_strongest_share(std::vector<Bound>& bounds, const std::vector<std::string>& parameters,
                         const Sizes& sizes);

}  // namespace redblue::bounds
