// SPDX-License-Identifier: BSD-3-Clause
// Exchanges among g ranks in ceil(log2 g) rounds [bruck1997].
//
// Member t of a line starts with block t. In the stage at distance d it has the d blocks from t on
// and gets the next ones from member t + d (all numbers mod g): after the last it has all g.
// Backwards, member t starts with contributions to all blocks and, in the same stages from the last
// to the first, passes those that member t + d is nearer to on to it: in the end the sum of all
// contributions to block t is at member t.
#pragma once

#include <cstdint>
#include <vector>

#include "redblue/units.hpp"

namespace redblue {

// Member t gets blocks t + distance .. t + distance + blocks - 1 from member t + distance;
// backwards, contributions to blocks t .. t + blocks - 1 from member t - distance.
struct DoublingStage {
  std::int64_t distance, blocks;
};

std::vector<DoublingStage> doubling_stages(std::int64_t members);

// The same without a list: how many, and the most blocks of one.
std::int64_t count_doubling_stages(std::int64_t members);
std::int64_t most_blocks_in_a_stage(std::int64_t members);

// The words of `count` blocks from number `first` on (mod their number), one after another in
// storage from begins[b] to begins[b + 1]: at most two ranges, joined where they meet.
std::vector<Range> block_ranges(const std::vector<std::int64_t>& begins, std::int64_t first,
                                std::int64_t count);
std::int64_t block_words(const std::vector<std::int64_t>& begins, std::int64_t first,
                         std::int64_t count);

}  // namespace redblue
