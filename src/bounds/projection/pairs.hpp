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

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bounds/roles.hpp"

namespace redblue::bounds {

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
  // Of a contracted statement: who made the values it looks through, instance -> the one it uses.
  std::map<std::string, isl::map> makers = {};

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

// Whether each value that both look through is for one pair.
bool use_at_one_pair(const Pairs& one, const Pairs& other);

}  // namespace redblue::bounds
