// LU on a two-dimensional grid with rows left where they are: choice and cost.
#include <algorithm>
#include <bit>

#include "decomposition/cost.hpp"
#include "decomposition/cyclic_classes.hpp"
#include "redblue/error.hpp"
#include "redblue/factor_model.hpp"

namespace redblue {

std::string LuDecomposition::name() const {
  return "grid " + std::to_string(grid_rows) + " x " + std::to_string(grid_columns) +
         ", blocks of " + std::to_string(block);
}

namespace {

// Messages a rank receives in a tournament of `ranks`: one per round of the butterfly, one more
// where their number is no power of two.
std::int64_t tournament_messages(int ranks) {
  const auto butterfly = std::bit_floor(static_cast<unsigned>(ranks));
  return std::bit_width(butterfly) - 1 + (static_cast<int>(butterfly) < ranks ? 1 : 0);
}

}  // namespace

Cost cost_of(const LuDecomposition& d, const Machine& machine) {
  const std::int64_t least = std::min(d.m, d.n);
  const CyclicClasses columns{d.n, d.block, d.grid_columns};
  const CyclicClasses panels{least, d.block, d.grid_columns};
  const auto rows = static_cast<double>(d.grid_rows);
  Cost cost;
  for (int c = 0; c < d.grid_columns; ++c) {
    double words = 0;
    double work = 0;
    std::int64_t messages = 0;
    for (std::int64_t t = 0; t < panels.blocks(); ++t) {
      const std::int64_t width = panels.block_size(t);
      const auto w = static_cast<double>(width);
      const double left = static_cast<double>(d.m - t * d.block - width) / rows;
      const bool panel = panels.of_block(t) == c;
      const std::int64_t end = t * d.block + width;  // of the panel's columns
      const std::int64_t trailing = columns.size(c) - columns.before(c, t + 1) +
                                    (panel ? columns.block_size(t) - (end - t * d.block) : 0);
      const auto across = static_cast<double>(trailing);
      if (panel) {
        const auto rounds = static_cast<double>(tournament_messages(d.grid_rows));
        words += rounds * (w * w + w);
        messages += tournament_messages(d.grid_rows);
      } else {
        words += left * w + w * w + w;
        ++messages;
      }
      if (trailing > 0) {
        words += w * across * (1 - 1 / rows);
        messages += d.grid_rows - 1;
      }
      work += left * w * across + w * w * across / 2 + (panel ? 2 * left * w * w : 0);
    }
    cost.words = std::max(cost.words, Words(static_cast<std::int64_t>(words)));
    cost.messages = std::max(cost.messages, Messages(messages));
    cost.work = std::max(cost.work, static_cast<std::int64_t>(work));
  }
  const std::int64_t down = (d.m + d.grid_rows - 1) / d.grid_rows + d.block;
  const std::int64_t across = (d.n + d.grid_columns - 1) / d.grid_columns + d.block;
  cost.memory = Words(2 * down * across);
  cost.seconds = predicted_seconds(cost, machine);
  return cost;
}

LuDecomposition choose_lu(std::int64_t m, std::int64_t n, int ranks, const FactorOptions& options) {
  if (m < 0 || n < 0) {
    throw Error("lu of " + std::to_string(m) + " x " + std::to_string(n), "a negative size",
                "use 0 or more");
  }
  if (ranks < 1) {
    throw Error("lu on " + std::to_string(ranks) + " ranks", "nobody to compute",
                "use at least 1 rank");
  }
  if (options.block && *options.block < 1) {
    throw Error("blocks of " + std::to_string(*options.block), "no rows in a block",
                "use at least 1");
  }
  std::optional<LuDecomposition> best;
  Cost least;
  for (int rows = 1; rows <= ranks; ++rows) {
    const int columns = ranks / rows;
    // fewer ranks than three in four do not pay where a squarer grid of more is there
    if (4 * rows * columns < 3 * ranks) continue;
    const std::int64_t block =
        options.block.value_or(suitable_block(std::min(m, n), std::max(rows, columns), 64));
    const LuDecomposition d{m, n, ranks, block, rows, columns};
    const Cost cost = cost_of(d, options.machine);
    if (best && !better(cost, least, options.objective)) continue;
    least = cost;
    best = d;
  }
  return *best;
}

}  // namespace redblue
