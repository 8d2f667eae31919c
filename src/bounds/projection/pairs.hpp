// SPDX-License-Identifier: BSD-3-Clause
// Sums over all pairs of elements of one array: F[i] += f(P[i], P[j]).
//
// An instance has two positions, the row and the place: those of the elements it reads. Along a
// chain the row stands still, and the places follow one another. A segment computes runs of
// consecutive instances of chains, each of which needs a value from outside; runs whose places
// overlap form a block. A block may share elements between its rows and its places only near the
// diagonal, and instances near it are left out.
// Proof: docs/methods/pairs.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bounds/roles.hpp"
#include "symbolic/expr.hpp"

namespace redblue::bounds {

// What decides how many instances a segment holds.
struct PairsShape {
  long layers = 1;  // statements that compute something for the same pairs
  long both = 1;    // arrays read at the row and at the place
  long placed = 0;  // arrays read at the place only
};

// K: a segment with X operands computes at most K X^2 of the instances at least `distance` from the
// diagonal, where the distance is at least far_enough(shape, X).
symbolic::Rational pairs_constant(const PairsShape& shape);
double far_enough(const PairsShape& shape, double x);

// A bound on these instances at any distance, 0 among them.
double pairs_chi(const PairsShape& shape, double x, double distance);

// Relations from instances to the values they read at the row and at the place.
struct BothSides {
  isl::map row, place;
};

// One statement as pairs of positions.
struct Pairs {
  const program::Statement* statement;
  int axis;                     // the loop along its chains
  isl::set counted;             // instances, near ones among them
  std::vector<BothSides> both;  // the first array's elements give the positions
  unsigned along;               // by this coordinate of theirs
  std::vector<isl::map> placed;
  std::vector<isl::set> tagged;  // computed vertices that count as inputs
  std::vector<isl::set> starts;  // inputs that chains begin with

  isl::map positions() const;  // counted instance -> [row, place]
};

// nullopt where the statement is none. `first`: of which array the positions are to be. The
// statement of `roles` must live as long as what is returned.
std::optional<Pairs> pairs_of(const Roles& roles, const isl::set* first = nullptr);

// Whether it is worth to derive a statement's roles for that.
bool may_be_pairs(const program::Statement& statement);

// Puts other's arrays into the order of one's; false where they are not the same.
bool order_as(const Pairs& one, Pairs& other);

// Whether the two, in one order, read the same elements at the same positions and have nothing else
// in common.
bool agree(const Pairs& one, const Pairs& other);

// Whether the two compute something for a pair in common.
bool share_a_pair(const Pairs& one, const Pairs& other);

}  // namespace redblue::bounds
