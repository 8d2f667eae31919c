// SPDX-License-Identifier: BSD-3-Clause
// Bands in which the steps of every loop wait for each other, run along their diagonals: loop
// skewing [wolf1991].
#pragma once

#include <optional>
#include <vector>

#include "schedule/bands/plain.hpp"

namespace redblue::schedule::codegen {

// The band with the sum of both members in the place of `other`: what may run in any permutation of
// its loops still may. With the sum further out, an instance and the next along `inner` depend on
// each other only where `inner` alone carries what `other` does not.
LeafBand skewed(const LeafBand& band, int inner, int other);

struct Wavefront {
  InnerLoop inner;
  int other = 0;  // the member that the inner one is added to
};

// The skewing whose innermost loop has independent steps, with the fewest far accesses; nothing
// where there is none. `instances`: of each statement.
std::optional<Wavefront> wavefront(const program::Program& program, const LeafBand& band,
                                   const isl::union_map& order,
                                   const std::vector<double>& instances);

}  // namespace redblue::schedule::codegen
