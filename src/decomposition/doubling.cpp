// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/doubling.hpp"

#include <algorithm>
#include <bit>

namespace redblue {

std::vector<DoublingStage> doubling_stages(std::int64_t members) {
  std::vector<DoublingStage> stages;
  for (std::int64_t d = 1; d < members; d *= 2) stages.push_back({d, std::min(d, members - d)});
  return stages;
}

std::int64_t count_doubling_stages(std::int64_t members) {
  return std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(1, members) - 1));
}

std::int64_t most_blocks_in_a_stage(std::int64_t members) {
  if (members < 2) return 0;
  const auto last = static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(members - 1)));  // the largest distance
  return std::max(last / 2, members - last);
}

std::vector<Range> block_ranges(const std::vector<std::int64_t>& begins, std::int64_t first,
                                std::int64_t count) {
  const auto members = static_cast<std::int64_t>(begins.size()) - 1;
  const auto begin = [&begins](std::int64_t b) { return begins[static_cast<std::size_t>(b)]; };
  const std::int64_t from = ((first % members) + members) % members;
  const std::int64_t here = std::min(count, members - from);
  std::vector<Range> ranges;
  for (const Range& r : {Range{begin(from), begin(from + here)}, Range{0, begin(count - here)}}) {
    if (r.size() > 0) ranges.push_back(r);
  }
  return ranges;
}

std::int64_t block_words(const std::vector<std::int64_t>& begins, std::int64_t first,
                         std::int64_t count) {
  std::int64_t words = 0;
  for (const Range& r : block_ranges(begins, first, count)) words += r.size();
  return words;
}

}  // namespace redblue
