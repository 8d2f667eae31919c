// How fast finite sets of lattice points grow when steps are added to them.
//
// For a finite set E of Z^n and steps D, with D0 = D and 0, K = D0 - D0: |E + K| - |E| is at least
// about n vol(K)^(1/n) |E|^((n-1)/n), vol of the convex hull: dilates of K are the sets that are
// hardest to leave [ruzsa1995]. What is used here holds for
// every finite E and B with 0 in B, without "about":
//  - if |E + B| <= a |E|, some E' in E has |E' + kB| <= a^k |E'| for every k (Pluennecke's
//    inequality, in this form [petridis2012]);
//  - |E' + kB| >= (|E'|^(1/n) + w)^n where w^n is the number of cells c + {0,1}^n in kB, in some
//    basis of the lattice (Brunn-Minkowski on unions of unit cells).
// So |E + B| >= |E| (1 + w / |E|^(1/n))^(n/k), for every k.
#pragma once

#include <optional>
#include <vector>

#include "bounds/step.hpp"

namespace redblue::bounds {

struct LatticeGrowth {
  struct Sum {
    int summands;  // k
    long cells;
    int dimensions;
    double side() const;  // w / k, rounded down
  };
  int dimensions = 0;          // n
  std::vector<Sum> both_ways;  // of B = K; those without cells left out
  std::vector<Sum> one_way;    // of B = D0

  // Most points a set H can have with |H - D0| - |{ x : x + D0 in H }| <= m: rounded up.
  double largest(double m) const;
};

// In the lattice the steps span; nothing where they span fewer dimensions than they have. Beyond
// five dimensions, or where no kK of moderate size holds a cell, no sums: what is left is the
// border at the ends of lines along n of the steps. Sets that touch several cosets of the lattice
// grow at least as fast, as (n-1)/n < 1.
std::optional<LatticeGrowth> lattice_growth(const std::vector<Vector>& steps);

}  // namespace redblue::bounds
