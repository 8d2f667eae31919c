// LU on a two-dimensional grid with rows left where they are: choice and cost.
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "decomposition/cost.hpp"
#include "decomposition/cyclic_classes.hpp"
#include "decomposition/request.hpp"
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

// Of the ranks at one place of the grid. `rows`: of the matrix, which this grid row has; pivots are
// taken out of them in proportion.
Cost cost_at(const LuDecomposition& d, std::int64_t rows, int column) {
  const CyclicClasses columns{d.n, d.block, d.grid_columns};
  const CyclicClasses panels{std::min(d.m, d.n), d.block, d.grid_columns};
  const double share =
      static_cast<double>(rows) / static_cast<double>(std::max<std::int64_t>(1, d.m));
  const std::int64_t rounds = tournament_messages(d.grid_rows);
  double words = 0;
  double work = 0;
  std::int64_t messages = 0;
  for (std::int64_t t = 0; t < panels.blocks(); ++t) {
    const std::int64_t width = panels.block_size(t);
    const auto w = static_cast<double>(width);
    const std::int64_t end = t * d.block + width;  // of the panel's columns
    const double left = static_cast<double>(d.m - end) * share;
    const bool panel = panels.of_block(t) == column;
    const std::int64_t rest = panel ? columns.block_size(t) - width : 0;
    const std::int64_t trailing = columns.after(column, t) + rest;
    const auto across = static_cast<double>(trailing);
    if (panel) {
      words += static_cast<double>(rounds) * (w * w + w);
      messages += rounds;
    } else {
      words += left * w + w * (w + 1) / 2 + w;
      ++messages;
    }
    if (trailing > 0) {
      words += w * across * (1 - share);
      messages += d.grid_rows - 1;
    }
    work += left * w * across + w * w * across / 2 + (panel ? 2 * left * w * w : 0);
  }
  Cost cost;
  cost.words = Words(static_cast<std::int64_t>(words));
  cost.messages = Messages(messages);
  cost.work = static_cast<std::int64_t>(work);
  const std::int64_t upper =
      CyclicClasses{panels.extent, d.block, d.grid_rows}.size(0) * columns.size(column);
  cost.memory = Words(rows * columns.size(column) + upper);
  return cost;
}

}  // namespace

Cost cost_of(const LuDecomposition& d, const Machine& machine) {
  const CyclicClasses rows{d.m, d.block, d.grid_rows};
  Cost cost;
  for (const int r : {0, d.grid_rows - 1}) {  // the most and the fewest rows
    for (int c = 0; c < d.grid_columns; ++c) {
      const Cost here = cost_at(d, rows.size(r), c);
      cost.words = std::max(cost.words, here.words);
      cost.messages = std::max(cost.messages, here.messages);
      cost.work = std::max(cost.work, here.work);
      cost.memory = std::max(cost.memory, here.memory);
    }
  }
  cost.seconds = predicted_seconds(cost, machine);
  return cost;
}

LuDecomposition choose_lu(std::int64_t m, std::int64_t n, int ranks, const FactorOptions& options) {
  if (m < 0 || n < 0) {
    throw Error("lu of " + std::to_string(m) + " x " + std::to_string(n), "a negative size",
                "use 0 or more");
  }
  check_ranks("lu", ranks);
  check_block(options.block);
  // rows of the grid that suit the matrix's shape; on many ranks only grids like it are looked at
  constexpr int few_ranks = 256;
  const double ideal = std::clamp(std::sqrt(static_cast<double>(ranks) * static_cast<double>(m) /
                                            static_cast<double>(std::max<std::int64_t>(1, n))),
                                  1.0, static_cast<double>(ranks));
  std::optional<LuDecomposition> best;
  Cost least;
  for (int rows = 1; rows <= ranks; ++rows) {
    const int columns = ranks / rows;
    // fewer ranks than three in four do not pay where a squarer grid of more is there
    if (4 * rows * columns < 3 * ranks) continue;
    if (ranks > few_ranks && (rows < ideal / 4 || rows > 4 * ideal)) continue;
    // panels and tournaments move about n blocks' words more
    const std::int64_t block =
        options.block.value_or(suitable_block(std::min(m, n), std::max(rows, columns), 64, 12));
    const LuDecomposition d{m, n, ranks, block, rows, columns};
    const Cost cost = cost_of(d, options.machine);
    if (best && !better(cost, least, options.objective)) continue;
    least = cost;
    best = d;
  }
  return *best;
}

}  // namespace redblue
