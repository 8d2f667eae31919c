// SPDX-License-Identifier: BSD-3-Clause
// Lattice hypergraphs: what a set of r-subsets must cut to part the m-subsets of {1..n}.
//
// The (m, r)-lattice hypergraph of n has the m-subsets of {1..n} as vertices and a hyperedge for
// every r-subset: all vertices that contain it [solomonik2016, section 6.1]. A hyperedge with
// vertices of both of two colours is cut.
#pragma once

#include <cstdint>
#include <vector>

namespace redblue::tradeoff {

std::int64_t binomial(std::int64_t n, std::int64_t k);

struct LatticeHypergraph {
  int n = 0, m = 0, r = 0;

  std::int64_t vertices() const { return binomial(n, m); }
  std::int64_t hyperedges() const { return binomial(n, r); }
  std::int64_t vertices_per_hyperedge() const { return binomial(n - r, m - r); }
  std::int64_t hyperedges_per_vertex() const { return binomial(m, r); }

  // The vertices of each hyperedge, both numbered in the lexicographic order of their subsets.
  std::vector<std::vector<int>> members() const;
};

// The subsets of {0 .. n - 1} with k elements, ascending, in lexicographic order.
std::vector<std::vector<int>> subsets(int n, int k);

// How many hyperedges have vertices of both colours.
int cut(const std::vector<std::vector<int>>& hyperedges, const std::vector<bool>& colour);

// The most m-subsets whose r-subsets are all among `projections`: (r! projections)^(m/r) / m!
// [solomonik2016, Theorem 5.3].
double most_subsets(int m, int r, std::int64_t projections);

// The fewest pairs that so many triples have [kruskal1963].
std::int64_t least_pairs(std::int64_t triples);

// Theorem B of docs/methods/tradeoffs.md, lattices of triples of which no processor computes more
// than 1 / balance, balance >= 2: W S >= triples_words (n - missing - 2)^2, where windows of b of
// the chain's n vertices have lattices of b - missing points; a window alone has window_cut b^2.
double window_cut(int missing);
double triples_words(double balance, int missing);

// The fewest hyperedges cut where `red` vertices have one colour and the others another, for (2, 1)
// and (3, 2); docs/methods/tradeoffs.md, lemmas 5 and 6.
double least_cut(const LatticeHypergraph& lattice, std::int64_t red);

}  // namespace redblue::tradeoff
