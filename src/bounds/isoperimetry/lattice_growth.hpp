// SPDX-License-Identifier: BSD-3-Clause
// How fast finite sets of lattice points grow when steps are added to them.
//
// For finite sets E of Z^n and B with 0 in B, and every k,
//     |E + B| >= |E| (1 + w / |E|^(1/n))^(n/k),
// w^n the number of cells c + {0,1}^n in kB, in some basis of the lattice
// (docs/methods/isoperimetry.md, Lemma 4: Pluennecke's inequality [petridis2012] and Brunn and
// Minkowski's). For steps D, D0 = D and 0 and K = D0 - D0, w / k tends to vol(K)^(1/n), vol of the
// convex hull: dilates of K are the sets that are hardest to leave [ruzsa1995].
#pragma once

#include <optional>
#include <vector>

#include "dataflow/step.hpp"

namespace redblue::bounds {

struct LatticeGrowth {
  // `kinds` 1: of k summands of B. 2: of so many of B or of a segment of a line, in equal parts:
  // the growth by the one and by the other together is twice that of a set with w^n = `cells`, the
  // least that w has on the average (docs/methods/staggered.md, Lemma 2).
  struct Sum {
    int summands;  // k
    long cells;
    int dimensions;
    int kinds = 1;
    double across() const;  // w, rounded down
    double side() const;    // kinds w / k, rounded down
  };
  int dimensions = 0;          // n
  std::vector<Sum> both_ways;  // of B = K; those without cells left out
  std::vector<Sum> one_way;    // of B = D0
  bool both_ends = true;       // the border has both ends of each line along n steps (Lemma 5)

  // Most points a set H can have with |H - D0| - |{ x : x + D0 in H }| <= m: rounded up.
  double largest(double m) const;

  // Most instances with values of their own on the way that a segment can compute which brings and
  // leaves m values: m / 2 and the most points of a set whose border is half of m (Lemma 7).
  double largest_with_own_values(double m) const;
};

// In the lattice the steps span; nothing where they span fewer dimensions than they have. Beyond
// five dimensions, or where no kK of moderate size holds a cell, no sums: what is left is the
// border at the ends of lines along n of the steps (Lemma 5). Sets that touch several cosets of the
// lattice grow at least as fast (Lemma 4).
//
// `segment`: where a set E borders on |E + K| - |E| + |E + I| - |E| places, I the 0, v, 2v, .. of
// this segment, both_ways are sums for that.
struct Segment {
  dataflow::Vector v;
  long length = 0;  // I has so many points besides 0
};
std::optional<LatticeGrowth> lattice_growth(const std::vector<dataflow::Vector>& steps,
                                            const std::optional<Segment>& segment = {});

// Where a set E borders on share (|E + all| - |E|) + (1 - share) (|E + some| - |E|) places for
// moves out of the lattice of these steps, both_ways are sums for that, and one_way those of
// `one_way`; for several shares. Nothing beyond five dimensions.
struct MixedGrowth {
  double share;
  LatticeGrowth growth;
};
std::vector<MixedGrowth> growth_by_moves(const std::vector<dataflow::Vector>& steps,
                                         const std::vector<dataflow::Vector>& one_way,
                                         const std::vector<dataflow::Vector>& all,
                                         const std::vector<dataflow::Vector>& some);

}  // namespace redblue::bounds
