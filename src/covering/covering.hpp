// SPDX-License-Identifier: BSD-3-Clause
// Coverings of pairs: sets of points such that every two points are together in some set. With row
// blocks for points and ranks for sets, ranks share all pairs of row blocks while each needs few
// rows.
#pragma once

#include <optional>
#include <vector>

namespace redblue::covering {

struct Covering {
  int points = 1;
  std::vector<std::vector<int>> sets;  // ascending points

  // Of the largest set, in all points.
  double fraction() const;
};

// Two points are together in exactly one of the order^2 + order + 1 sets, of order + 1 points each
// ([singer1938]: the translates of a difference set). Nothing unless the order is a power of a
// prime.
std::optional<Covering> projective_plane(int order);

// A projective plane less one set and its points: order^2 points, order^2 + order sets of `order`.
std::optional<Covering> affine_plane(int order);

// The coverings with at most `sets` sets that are known here to have the smallest fraction for
// their number of sets, ascending: [mills1979] up to 13 sets, planes above, of orders up to 61
// (3,783 sets: more ranks work in replicas). The first is one set of one point. O(sets^(3/2)).
std::vector<Covering> coverings(int sets);

}  // namespace redblue::covering
