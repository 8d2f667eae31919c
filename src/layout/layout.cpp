// SPDX-License-Identifier: BSD-3-Clause
#include "redblue/layout.hpp"

#include <algorithm>
#include <cmath>

#include "layout/index_set.hpp"

namespace redblue {

BlockCyclic block_cyclic(std::int64_t rows, std::int64_t columns, std::int64_t block, int grid_rows,
                         int grid_columns, Rank me) {
  BlockCyclic layout{
      rows, columns, {block, 0, grid_rows, block}, {block, 0, grid_columns, block}, {}};
  for (int r = 0; r < grid_rows * grid_columns; ++r) layout.ranks.push_back(Rank{r});
  const int my_row = me.value / grid_columns;
  if (my_row < grid_rows) {
    layout.leading = std::max<std::int64_t>(1, layout.down.count(rows, my_row));
  }
  return layout;
}

int squarest_grid_rows(int ranks) {
  int rows = static_cast<int>(std::sqrt(static_cast<double>(ranks)));
  while (ranks % rows != 0) --rows;
  return rows;
}

Words array_words(const Layout& layout, Rank rank) {
  Words words;
  if (const auto* cyclic = std::get_if<BlockCyclic>(&layout)) {
    const auto found = std::find(cyclic->ranks.begin(), cyclic->ranks.end(), rank);
    if (found == cyclic->ranks.end()) return words;
    const auto column =
        static_cast<int>((found - cyclic->ranks.begin()) % cyclic->across.processes);
    return cyclic->leading *
           Words(cyclic->across.count(cyclic->first_column + cyclic->columns, column));
  }
  const auto& grid = std::get<BlockGrid>(layout);
  auto owner = grid.owners.begin();
  for (std::size_t j = 0; j + 1 < grid.column_cuts.size(); ++j) {
    for (std::size_t i = 0; i + 1 < grid.row_cuts.size(); ++i, ++owner) {
      if (*owner != rank) continue;
      words += Words((grid.row_cuts[i + 1] - grid.row_cuts[i]) *
                     (grid.column_cuts[j + 1] - grid.column_cuts[j]));
    }
  }
  return words;
}

namespace {

using BlockCallback = std::function<void(const LocalBlock&)>;

void blocks_of(const BlockCyclic& layout, Rank rank, const BlockCallback& f) {
  for (std::size_t at = 0; at < layout.ranks.size(); ++at) {
    if (layout.ranks[at] != rank) continue;
    const int position = static_cast<int>(at);
    const layout::IndexSet rows = layout::local_indices(
        layout.down, position / layout.across.processes, layout.first_row, layout.rows);
    const layout::IndexSet columns = layout::local_indices(
        layout.across, position % layout.across.processes, layout.first_column, layout.columns);
    for (const layout::Interval& c : columns.intervals()) {
      for (const layout::Interval& r : rows.intervals()) {
        f({{r.begin, r.end},
           {c.begin, c.end},
           r.position + layout.leading * c.position,
           layout.leading});
      }
    }
  }
}

void blocks_of(const BlockGrid& layout, Rank rank, const BlockCallback& f) {
  std::int64_t offset = 0;
  auto owner = layout.owners.begin();
  for (std::size_t j = 0; j + 1 < layout.column_cuts.size(); ++j) {
    const Range columns = {layout.column_cuts[j], layout.column_cuts[j + 1]};
    for (std::size_t i = 0; i + 1 < layout.row_cuts.size(); ++i, ++owner) {
      const Range rows = {layout.row_cuts[i], layout.row_cuts[i + 1]};
      if (*owner != rank || rows.size() == 0 || columns.size() == 0) continue;
      f({rows, columns, offset, rows.size()});
      offset += rows.size() * columns.size();
    }
  }
}

}  // namespace

void for_each_local_block(const Layout& layout, Rank rank, const BlockCallback& f) {
  std::visit([&](const auto& l) { blocks_of(l, rank, f); }, layout);
}

}  // namespace redblue
