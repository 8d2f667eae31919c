// Who holds which elements of a matrix and where: what every layout comes down to.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "layout/index_set.hpp"
#include "redblue/layout.hpp"

namespace redblue::layout {

// rows x columns elements in one rank's array: (row, column) stands at offset + position of the row
// + leading * position of the column, or, row_major, with the two exchanged.
struct Patch {
  IndexSet rows, columns;
  std::int64_t offset = 0;
  std::int64_t leading = 1;
  bool row_major = false;
  bool conjugated = false;  // what is stored are the elements' conjugates

  std::int64_t size() const { return rows.size() * columns.size(); }
};

// Which elements of a matrix are meant: all, or those on and below (above) the diagonal.
enum class Part { all, lower, upper };

// Of the elements at `first` .. first+length-1 of a row or column that crosses the diagonal at
// `diagonal`, those at or after it (`after`) or at or before it.
inline Range beside_diagonal(std::int64_t first, std::int64_t length, std::int64_t diagonal,
                             bool after) {
  if (after) return {std::clamp(diagonal, first, first + length), first + length};
  return {first, std::clamp(diagonal + 1, first, first + length)};
}

// From the start of a rank's array to the end of the patch's last element.
std::int64_t extent(const Patch& patch);

// Elements of the patch in the part. O(columns' intervals + columns * rows' intervals) for
// triangles.
std::int64_t count(const Patch& patch, Part part);

// Calls f(row, column, place in the rank's array) for every element.
template <class F>
void for_each_element(const std::vector<Patch>& patches, F f) {
  for (const Patch& p : patches) {
    for (const Interval& c : p.columns.intervals()) {
      for (std::int64_t column = c.begin; column < c.end; ++column) {
        const std::int64_t at = c.position + column - c.begin;
        for (const Interval& r : p.rows.intervals()) {
          for (std::int64_t row = r.begin; row < r.end; ++row) {
            const std::int64_t down = r.position + row - r.begin;
            f(row, column,
              p.offset + (p.row_major ? at + p.leading * down : down + p.leading * at));
          }
        }
      }
    }
  }
}

// What each rank holds of a rows x columns matrix. Offsets and leading dimensions are meant for the
// rank itself only; everything else is the same on all ranks.
struct Arrangement {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::vector<Patch>> of_rank;

  std::int64_t held(Rank rank, Part part = Part::all) const;
};

// The layout over a communicator of `ranks` ranks.
Arrangement arrangement(const Layout& layout, int ranks);

// The arrangement of the transposed matrix, with the same storage.
Arrangement transposed(Arrangement arrangement);

// Of an arrangement only these columns, where they stood; they keep their numbers.
Arrangement restricted(Arrangement arrangement, const Range& columns);

// rows x columns stored column-major without gaps from `offset` on.
Patch dense_patch(const IndexSet& rows, const IndexSet& columns, std::int64_t offset = 0);

// Where all of `wanted` stands as one block with constant leading dimension in `held`, if it does.
struct Block {
  std::int64_t offset = 0;
  std::int64_t leading = 1;
  bool row_major = false;
};
std::optional<Block> block_in(const std::vector<Patch>& held, const Patch& wanted);

// Elements of `wanted` that `held` contains.
std::int64_t count_shared(const std::vector<Patch>& held, const Patch& wanted);

}  // namespace redblue::layout
