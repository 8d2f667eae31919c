// SPDX-License-Identifier: BSD-3-Clause
// Callers' matrices that a grid of ranks holds in square blocks: where algorithms may leave them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layout/arrangement.hpp"
#include "redblue/layout.hpp"

namespace redblue::linalg {

// The ranks of grids, one for each replica of a matrix: of (replica, row class, column class) at
// [(replica * grid_rows + row) * grid_columns + column].
using GridRanks = std::vector<int>;

// Of one grid of so many columns.
inline Rank rank_at(const GridRanks& ranks, int columns, int row, int column) {
  return Rank{ranks[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                    static_cast<std::size_t>(column)]};
}

struct GridPlace {
  int row = 0;
  int column = 0;
};
// Where a rank is on a grid of so many columns; none: it is not there.
std::optional<GridPlace> place_of(const GridRanks& ranks, int columns, Rank me);

// A caller's block-cyclic matrix of square blocks on a grid, and this rank's part of it in its
// array.
struct CallerGrid {
  std::int64_t block = 1;
  int rows = 1;
  int columns = 1;
  GridRanks ranks;
  std::int64_t offset = 0;
  std::int64_t leading = 1;
};

// The layout as such a grid, if its blocks are square and the matrix starts with a whole one.
std::optional<CallerGrid> caller_grid(const Layout& layout, Rank me);

// Smaller blocks are not worth a message: matrices of them do not stay.
constexpr std::int64_t smallest_block = 8;
// How many times the work elsewhere the busiest rank of a matrix in place may have: in few blocks
// it leaves ranks idle.
constexpr double most_work_in_place = 1.5;
// Whether a matrix in place takes less time, in seconds of the model, or saves words and takes
// hardly longer: messages that share a link take longer than the model says.
bool gains_time_in_place(double here, double elsewhere, bool saves_words);

// The same matrix transposed, and the same ranks in the order of the transposed grid.
CallerGrid transposed(const CallerGrid& grid);
GridRanks transposed(const GridRanks& ranks, int replicas, int rows, int columns);

// Words that the way from one arrangement to another and back, of this part of the matrix, brings
// the busiest rank.
Words words_of_way(const layout::Arrangement& from, const layout::Arrangement& to,
                   layout::Part part = layout::Part::all);

}  // namespace redblue::linalg
