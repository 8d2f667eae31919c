// SPDX-License-Identifier: BSD-3-Clause
// Which part of a step's update the next step's panel waits for.
#include "decomposition/cholesky/cholesky.hpp"

namespace redblue {

// The next step's block is the first that is left of its row block, so that its panel is the first
// columns of pairs (I, J) where J is that row block, and the first rows where I is.
std::vector<CholeskySteps::Update> CholeskySteps::updates(const std::pair<int, int>& pair,
                                                          std::int64_t step, bool ahead) const {
  const std::int64_t down = rows_.after(pair.first, step);
  const std::int64_t across = rows_.after(pair.second, step);
  if (down == 0 || across == 0) return {};
  const bool is_last = step + 1 == count();
  const std::int64_t width = is_last ? 0 : rows_.block_size(step + 1);
  const bool first_rows = !is_last && pair.first == rows_.of_block(step + 1);
  const bool first_columns = !is_last && pair.second == rows_.of_block(step + 1);
  const bool diagonal = pair.first == pair.second;
  if (!first_rows && !first_columns) {
    if (ahead) return {};
    return {{{0, down}, {0, across}, diagonal}};
  }
  if (diagonal) {
    if (!ahead) return {{{width, down}, {width, across}, true}};
    return {{{0, width}, {0, width}, true}, {{width, down}, {0, width}, false}};
  }
  if (first_rows) return {{ahead ? Range{0, width} : Range{width, down}, {0, across}, false}};
  return {{{0, down}, ahead ? Range{0, width} : Range{width, across}, false}};
}

}  // namespace redblue
