// SPDX-License-Identifier: BSD-3-Clause
// Which elements of a matrix each rank stores, and where: what every layout comes down to.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "layout/index_set.hpp"
#include "redblue/layout.hpp"

namespace redblue::layout {

// rows x columns elements in one rank's array: (row, column) is at offset + position of the row +
// leading * position of the column; if row_major, with row and column exchanged.
struct Patch {
  IndexSet rows, columns;
  std::int64_t offset = 0;
  std::int64_t leading = 1;
  bool row_major = false;
  bool conjugated = false;  // the elements' conjugates are stored

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

// What each rank stores of a rows x columns matrix. Only a rank itself knows its offsets and
// leading dimensions; everything else is the same on all ranks.
struct Arrangement {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::vector<Patch>> of_rank;

  std::int64_t words_on(Rank rank, Part part = Part::all) const;
};

// The layout over a communicator of `ranks` ranks.
Arrangement arrangement(const Layout& layout, int ranks);

// The arrangement of the transposed matrix, with the same storage.
Arrangement transposed(Arrangement arrangement);

// These columns of an arrangement, stored as before; they keep their numbers.
Arrangement restricted(Arrangement arrangement, const Range& columns);

// rows x columns stored column-major without gaps from `offset` on.
Patch dense_patch(const IndexSet& rows, const IndexSet& columns, std::int64_t offset = 0);

// A block stored with a constant leading dimension.
struct StoredBlock {
  std::int64_t offset = 0;
  std::int64_t leading = 1;
  bool row_major = false;
};
// All of `wanted` as one such block of an array with the patches `local`, if it is stored like
// that.
std::optional<StoredBlock> stored_block(const std::vector<Patch>& local, const Patch& wanted);

// The whole matrix as one such block of a single rank's array; nothing where there are more ranks,
// or conjugates are stored.
std::optional<StoredBlock> stored_whole(const Arrangement& of);
// The same, where it is stored by columns, as LAPACK takes it.
std::optional<StoredBlock> stored_by_columns(const Arrangement& of);

// Elements of `wanted` that `local` contains.
std::int64_t count_shared(const std::vector<Patch>& local, const Patch& wanted);
// Of all of them, none of which overlap.
std::int64_t count_shared(const std::vector<Patch>& local, const std::vector<Patch>& wanted);

}  // namespace redblue::layout
