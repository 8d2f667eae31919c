#include "redblue/layout.hpp"

#include <algorithm>
#include <cmath>

namespace redblue {

std::int64_t Cyclic::count(std::int64_t extent, int process) const {
  if (extent <= first) return process == source ? extent : 0;
  const std::int64_t rest = extent - first;
  // the blocks after the first go to source + 1, source + 2, ...
  const std::int64_t place = (process - source - 1 + 2 * processes) % processes;
  const std::int64_t blocks = rest / block;
  const std::int64_t extra = blocks % processes;
  std::int64_t total = blocks / processes * block + (process == source ? first : 0);
  if (place < extra) total += block;
  if (place == extra) total += rest % block;
  return total;
}

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

}  // namespace redblue
