// SPDX-License-Identifier: BSD-3-Clause
// Random stencil programs and ways to run them, the same from one seed everywhere.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "redblue/stencil_model.hpp"

namespace redblue::stencil {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed * 7919 + 17) {}
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }

 private:
  std::mt19937_64 engine_;
};

// Dimensions 1 to 3, one to three fields, one to three sweeps with reads of random reach; where the
// mesh is not periodic, interiors of random place.
inline StencilProgram random_program(Random& random) {
  StencilProgram p;
  p.dimensions = static_cast<int>(random.between(1, 3));
  const bool torus = random.one_in(3);
  p.boundary = torus ? StencilBoundary::periodic : StencilBoundary::fixed;
  const std::int64_t least = p.dimensions == 1 ? 20 : p.dimensions == 2 ? 10 : 8;
  const std::int64_t most = p.dimensions == 1 ? 90 : p.dimensions == 2 ? 26 : 13;
  const auto dimensions = static_cast<std::size_t>(p.dimensions);
  for (std::size_t j = 0; j < dimensions; ++j) p.extents[j] = random.between(least, most);
  const bool simple = random.one_in(2);  // new = f(old)
  p.fields = simple ? 1 : static_cast<int>(random.between(1, 3));
  const std::int64_t sweeps = simple ? 1 : random.between(1, 3);
  for (std::int64_t s = 0; s < sweeps; ++s) {
    StencilSweep sweep;
    sweep.field = static_cast<int>(random.between(0, p.fields - 1));
    MeshIndex below = {0, 0, 0};
    MeshIndex above = {0, 0, 0};
    const std::int64_t reads = simple ? 1 : random.between(1, 2);
    for (std::int64_t r = 0; r < reads; ++r) {
      StencilRead read;
      read.field = simple ? 0 : static_cast<int>(random.between(0, p.fields - 1));
      // fields that are set by several sweeps are not read around their points
      const bool around = simple || read.field != sweep.field;
      read.star = random.one_in(2);
      for (std::size_t j = 0; around && j < dimensions; ++j) {
        read.below[j] = random.between(0, 2);
        read.above[j] = random.one_in(2) ? read.below[j] : random.between(0, 2);
        below[j] = std::max(below[j], read.below[j]);
        above[j] = std::max(above[j], read.above[j]);
      }
      sweep.reads.push_back(read);
    }
    for (std::size_t j = 0; j < dimensions; ++j) {
      const std::int64_t n = p.extents[j];
      sweep.interior.begin[j] = torus ? 0 : below[j] + random.between(0, 1);
      sweep.interior.end[j] = torus ? n : n - above[j] - random.between(0, 1);
    }
    // a sweep of a part only, as of a boundary
    if (!torus && random.one_in(5)) sweep.interior.end[0] = sweep.interior.begin[0] + 1;
    p.sweeps.push_back(sweep);
  }
  return p;
}

// A scheme with random depth and side for a random grid of at most `ranks` ranks.
inline StencilDecomposition random_decomposition(Random& random, const StencilProgram& p,
                                                 int ranks) {
  StencilDecomposition d;
  d.ranks = ranks;
  d.scheme = static_cast<StencilScheme>(random.between(0, 3));
  if (p.boundary == StencilBoundary::periodic && d.scheme == StencilScheme::outer_blocked) {
    d.scheme = StencilScheme::pa1;
  }
  d.depth = d.scheme == StencilScheme::pa0 ? 1 : random.between(1, 4);
  std::int64_t left = ranks;
  for (std::size_t j = 0; j < static_cast<std::size_t>(p.dimensions); ++j) {
    const bool last = static_cast<int>(j) + 1 == p.dimensions;
    const std::int64_t parts = std::min(last ? left : random.between(1, left), p.extents[j] / 4);
    d.grid[j] = static_cast<int>(std::max<std::int64_t>(1, parts));
    left /= d.grid[j];
    if (d.scheme == StencilScheme::outer_blocked) d.side[j] = random.between(1, 6);
  }
  return d;
}

}  // namespace redblue::stencil
