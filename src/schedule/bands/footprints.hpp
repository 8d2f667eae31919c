// SPDX-License-Identifier: BSD-3-Clause
// What the loops of a band touch at given sizes: tiles that move little, and the words that move.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/bands/plain.hpp"

namespace redblue::schedule::codegen {

// Tile sizes that move least through a cache of so many words; empty where everything the band
// touches fits, or nothing is reused by tiles.
std::vector<std::int64_t> tiles_for(const program::Program& program, const LeafBand& band,
                                    const InnerLoop& inner, const program::Sizes& sizes,
                                    std::int64_t cache_words);

// Words that enter a cache per point of the band's loops, run in this order of its members inside
// tiles: those that a step of the outermost loop of which two steps fit touches and the step before
// did not, over its points; where all fits, all once.
double moved_per_instance(const program::Program& program, const LeafBand& band,
                          const std::vector<int>& in_order, const std::vector<std::int64_t>& tiles,
                          const program::Sizes& sizes, std::int64_t cache_words);

}  // namespace redblue::schedule::codegen
