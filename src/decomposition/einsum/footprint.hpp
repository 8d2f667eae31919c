// SPDX-License-Identifier: BSD-3-Clause
// How few elements of all tensors v products of an einsum have: the best box, and its proof.
#pragma once

#include <vector>

#include "redblue/einsum_model.hpp"

namespace redblue::einsum {

// A box by the lengths of its sides, which need not be whole.
using Sides = std::vector<double>;

// The indices of each tensor that has some, and how many have none.
struct Projections {
  Sides extents;
  std::vector<std::vector<int>> tensors;
  double scalars = 0;
};

Projections projections(const EinsumShape& shape);

// Elements of all tensors that a box projects to.
double footprint(const Projections& p, const Sides& box);

template <class Side>
double volume(const std::vector<Side>& box) {
  double all = 1;
  for (const Side s : box) all *= static_cast<double>(s);
  return all;
}

// The box with a side halved.
Sides halved(Sides box, std::size_t side);

// The sides of 2 and more, first those whose halving leaves the box with the least footprint.
std::vector<int> sides_to_halve(const Projections& p, const Sides& box);

// The box of `volume`, 1 <= volume <= the iteration space's, with the least footprint, about.
// `last`: what an element of the last tensor counts.
Sides best_box(const Projections& p, double volume, double last = 1);

// Exponents s of the tensors and u of the indices with s(tensors with t) + u(t) >= 1 for every
// index t: then any v products have prod_a x_a^s_a >= v / prod_t extent_t^u_t elements x_a of the
// tensors (docs/methods/einsum.md, Lemma einsum.2).
struct Exponents {
  std::vector<double> tensor, index;

  // A proved lower bound on the elements of `volume` products whose indices take at most so many
  // different values.
  double least_footprint(const Projections& p, double volume, const Sides& extents) const;
};

// Those that are best for boxes like this one.
Exponents exponents(const Projections& p, const Sides& box);

}  // namespace redblue::einsum
