// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "decomposition/cyclic_classes.hpp"
#include "decomposition/ownership.hpp"
#include "decomposition/qr/steps.hpp"
#include "decomposition/request.hpp"
#include "redblue/qr_model.hpp"

namespace redblue {

namespace {

// Panels as wide as the BLAS likes them, unless there are too few for the grid.
std::int64_t panel_width(std::int64_t columns, int grid_rows, int grid_columns) {
  constexpr std::int64_t narrow = 32;
  if (columns <= narrow) return std::max<std::int64_t>(1, columns);
  if (grid_columns == 1) return columns < 32 * narrow ? narrow : 2 * narrow;
  return suitable_block(columns, std::max(grid_rows, grid_columns), 2 * narrow, 6, 1 << 12);
}

// Triangles cost words and messages where several ranks share a panel: half as wide there.
std::int64_t widest_panel(const BlockCyclic& layout) {
  return layout.down.processes > 1 ? 32 : 64;
}

// The same distribution of the indices from `first` on.
Cyclic from(const Cyclic& c, std::int64_t first) {
  return {c.block, c.owner(first), c.processes, c.block_end(first) - first};
}

// The words of going to a layout of its own and back, where nothing stays.
Cost with_moves(Cost cost, std::int64_t words, const Machine& machine) {
  cost.words += Words(words);
  cost.seconds = predicted_seconds(cost, machine);
  return cost;
}

// All grids of the ranks.
void offer_grids(const QrDecomposition& like, const FactorOptions& options, std::int64_t moved,
                 Choice<QrDecomposition>& choice) {
  for (const int used : worker_counts(like.ranks)) {
    for (int rows = 1; rows <= used; ++rows) {
      const int columns = used / rows;
      if (4 * rows * columns < 3 * used) continue;
      // grids much longer than the matrix leave ranks without work
      if (rows > 1 && (rows > like.m || (columns > 1 && columns > like.n))) continue;
      QrDecomposition d = like;
      d.block = options.block.value_or(panel_width(std::min(d.m, d.n), rows, columns));
      d.down = {d.block, 0, rows, d.block};
      d.across = {d.block, 0, columns, d.block};
      for (int r = 0; r < rows * columns; ++r) d.places.push_back(Rank{r});
      choice.offer(d, with_moves(cost_of(d, options.machine), moved, options.machine));
    }
  }
}

}  // namespace

std::string QrDecomposition::name() const {
  std::string text = "grid " + std::to_string(grid_rows()) + " x " +
                     std::to_string(grid_columns()) + ", panels of " + std::to_string(block);
  return in_place ? text + ", in place" : text;
}

QrDecomposition choose_qr(std::int64_t m, std::int64_t n, int ranks, const FactorOptions& options) {
  check_factorization("qr", m, n, ranks, options.block);
  QrDecomposition d;
  d.m = m;
  d.n = n;
  d.ranks = ranks;
  Choice<QrDecomposition> choice(options.objective, options.memory);
  offer_grids(d, options, 0, choice);
  return choice.take("qr");
}

QrDecomposition qr_in_place(const BlockCyclic& layout, int ranks,
                            std::optional<std::int64_t> block) {
  const std::int64_t wide = widest_panel(layout);
  QrDecomposition d;
  d.m = layout.rows;
  d.n = layout.columns;
  d.ranks = ranks;
  d.in_place = true;
  d.places = layout.ranks;
  d.down = from(layout.down, layout.first_row);
  d.across = from(layout.across, layout.first_column);
  d.block = block.value_or(std::clamp<std::int64_t>(d.across.block, 1, wide));
  return d;
}

BlockCyclic transposed(const BlockCyclic& layout) {
  BlockCyclic t = {layout.columns,      layout.rows,     layout.across, layout.down, {}, 1,
                   layout.first_column, layout.first_row};
  for (int c = 0; c < layout.across.processes; ++c) {
    for (int r = 0; r < layout.down.processes; ++r) {
      t.ranks.push_back(layout.ranks[static_cast<std::size_t>(r * layout.across.processes + c)]);
    }
  }
  return t;
}

QrDecomposition qr_beside(const BlockCyclic& layout, int ranks, std::int64_t vectors) {
  QrDecomposition d;
  d.m = layout.rows;
  d.n = vectors;
  d.ranks = ranks;
  d.places = layout.ranks;
  d.down = from(layout.down, layout.first_row);
  d.block = std::clamp<std::int64_t>(vectors, 1, widest_panel(layout));
  d.across = {d.block, 0, layout.across.processes, d.block};
  return d;
}

QrDecomposition choose_qr(const BlockCyclic& layout, int ranks, const FactorOptions& options) {
  check_factorization("qr", layout.rows, layout.columns, ranks, options.block);
  const QrDecomposition here = qr_in_place(layout, ranks, options.block);
  QrDecomposition d;
  d.m = here.m;
  d.n = here.n;
  d.ranks = ranks;
  Choice<QrDecomposition> choice(options.objective, options.memory);
  const std::int64_t columns = std::min(d.m, d.n);
  constexpr std::int64_t narrow = 16;
  const bool suits = here.across.block >= std::min(narrow, columns);
  if (suits) choice.offer(here, cost_of(here, options.machine));
  // the rows of a grid row dealt out further to its ranks: then only they exchange anything
  QrDecomposition tall = d;
  const int grid_columns = here.across.processes;
  const auto used = here.down.processes * grid_columns;
  tall.block = options.block.value_or(panel_width(columns, used, 1));
  tall.down = here.down;
  tall.down.processes = used;
  tall.across = {tall.block, 0, 1, tall.block};
  for (int turn = 0; turn < grid_columns; ++turn) {
    for (int row = 0; row < here.down.processes; ++row) {
      tall.places.push_back(layout.ranks[static_cast<std::size_t>(row * grid_columns + turn)]);
    }
  }
  const std::int64_t share = d.m * d.n / std::max(1, used);
  if (grid_columns > 1 || !suits) {
    const std::int64_t moved = 2 * fraction_of(share, grid_columns - 1, grid_columns);
    choice.offer(tall, with_moves(cost_of(tall, options.machine), moved, options.machine));
  }
  if (!suits) offer_grids(d, options, 2 * share, choice);
  return choice.take("qr");
}

}  // namespace redblue
