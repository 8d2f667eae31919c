// SPDX-License-Identifier: BSD-3-Clause
// How the loops of a band without register blocks should run, by the model.
#pragma once

#include <vector>

#include "schedule/choice/choice.hpp"

namespace redblue::schedule::codegen {

struct LoopChoice {
  LeafBand band;  // skewed where its innermost loop runs along diagonals
  BandChoice choice;
  InnerLoop inner;
};

// The fastest of: the best innermost loop in tiles for the cache; where it steps far, in small
// tiles; each innermost loop in strips whose lines stay in the first cache; diagonals where every
// loop's steps wait. `loops`: the band's (inner_loops). `instances`: of each statement of the
// program; `heaviest`: of the band's statements, the one whose instances are counted.
LoopChoice loop_choice(const program::Program& program, const LeafBand& band,
                       const std::vector<InnerLoop>& loops, const isl::union_map& order,
                       const std::vector<double>& instances, std::size_t heaviest,
                       const program::Sizes& sizes, std::int64_t cache_words);

}  // namespace redblue::schedule::codegen
