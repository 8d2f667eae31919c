// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/plan/caller_grid.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace redblue::linalg {

using layout::Arrangement;

std::optional<CallerGrid> caller_grid(const Layout& layout, Rank me) {
  const auto* l = std::get_if<BlockCyclic>(&layout);
  if (l == nullptr) return std::nullopt;
  const std::int64_t block = l->down.block;
  for (const Cyclic* c : {&l->down, &l->across}) {
    if (c->block != block || c->first != block) return std::nullopt;
  }
  if (l->first_row % block != 0 || l->first_column % block != 0) return std::nullopt;
  CallerGrid grid{block, l->down.processes, l->across.processes, {}, 0, l->leading};
  const int first_row = l->down.owner(l->first_row);
  const int first_column = l->across.owner(l->first_column);
  for (int r = 0; r < grid.rows; ++r) {
    for (int c = 0; c < grid.columns; ++c) {
      const int row = (first_row + r) % grid.rows;
      const int column = (first_column + c) % grid.columns;
      const Rank rank =
          l->ranks[static_cast<std::size_t>(row) * static_cast<std::size_t>(grid.columns) +
                   static_cast<std::size_t>(column)];
      grid.ranks.push_back(rank.value);
      if (rank != me) continue;
      grid.offset =
          l->down.count(l->first_row, row) + l->across.count(l->first_column, column) * l->leading;
    }
  }
  return grid;
}

std::optional<GridPlace> place_of(const GridRanks& ranks, int columns, Rank me) {
  const auto found = std::find(ranks.begin(), ranks.end(), me.value);
  if (found == ranks.end()) return std::nullopt;
  const auto place = static_cast<int>(found - ranks.begin());
  return GridPlace{place / columns, place % columns};
}

bool gains_time_in_place(double here, double elsewhere, bool saves_words) {
  constexpr double hardly_longer = 1.25;
  return here < (saves_words ? hardly_longer : 1) * elsewhere;
}

CallerGrid transposed(const CallerGrid& grid) {
  CallerGrid result = grid;
  std::swap(result.rows, result.columns);
  result.ranks = transposed(grid.ranks, 1, grid.rows, grid.columns);
  return result;
}

GridRanks transposed(const GridRanks& ranks, int replicas, int rows, int columns) {
  GridRanks result;
  const auto across = static_cast<std::ptrdiff_t>(columns);
  auto grid = ranks.begin();
  for (int l = 0; l < replicas; ++l, grid += rows * across) {
    for (int c = 0; c < columns; ++c) {
      for (int r = 0; r < rows; ++r) result.push_back(grid[r * across + c]);
    }
  }
  return result;
}

namespace {

// Elements of the part that both have, of patches that do not overlap.
std::int64_t shared_elements(const std::vector<layout::Patch>& a,
                             const std::vector<layout::Patch>& b, layout::Part part) {
  if (part == layout::Part::all) return count_shared(a, b);
  std::int64_t words = 0;
  for (const layout::Patch& p : a) {
    for (const layout::Patch& q : b) {
      words += count(
          layout::Patch{intersection(p.rows, q.rows), intersection(p.columns, q.columns)}, part);
    }
  }
  return words;
}

}  // namespace

Words words_of_way(const Arrangement& from, const Arrangement& to, layout::Part part) {
  std::int64_t most = 0;
  for (std::size_t r = 0; r < from.of_rank.size(); ++r) {
    const std::int64_t stay = shared_elements(from.of_rank[r], to.of_rank[r], part);
    const Rank rank(static_cast<int>(r));
    most = std::max(most, from.words_on(rank, part) + to.words_on(rank, part) - 2 * stay);
  }
  return Words(most);
}

}  // namespace redblue::linalg
