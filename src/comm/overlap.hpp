// SPDX-License-Identifier: BSD-3-Clause
// What two arrangements of a matrix share: the plan of a transfer between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "layout/arrangement.hpp"

namespace redblue::comm {

// What a patch of the sender and a patch of the receiver share: the product of some row intervals
// and some column intervals. A line is what is contiguous at the sender: part of a column of a
// column-major patch, part of a row of a row-major one. `along` are the intervals in a line,
// `across` says which lines.
struct Overlap {
  std::vector<layout::OverlapInterval> along, across;
  std::int64_t source_offset, source_leading;  // lines are source_leading apart
  std::int64_t target_offset;
  std::int64_t target_along, target_across;  // strides from element to element, line to line
  bool column_major;                         // the sender's lines are parts of columns
  bool conjugated;                           // one end stores conjugates, the other does not
};

// The part of an overlap that one loop nest copies: `length` elements of each of `lines` lines, the
// first of which is number source_line in the source and target_line in the target.
struct OverlapBlock {
  const Overlap* overlap;
  std::span<const layout::OverlapInterval> intervals;  // of a line
  std::int64_t length;
  std::int64_t source_line, target_line, lines;
};

// Short intervals of a line are joined into one block of up to so many elements.
inline constexpr std::int64_t most_joined = 512;

// The overlaps of one rank's patches with another's, of the elements that count.
// O(patches + intervals, times a logarithm).
std::vector<Overlap> find_overlaps(const std::vector<layout::Patch>& from,
                                   const std::vector<layout::Patch>& to, layout::Part part);

// Words of the overlaps that count.
std::int64_t words_of(const std::vector<Overlap>& overlaps, layout::Part part);

// Where the block of intervals `along` x `across` is with respect to the triangle that counts.
enum class Where { outside, on_diagonal, inside };
inline Where where(const Overlap& overlap, const layout::OverlapInterval& along,
                   const layout::OverlapInterval& across, layout::Part part) {
  if (part == layout::Part::all) return Where::inside;
  const bool after = (part == layout::Part::lower) == overlap.column_major;
  const std::int64_t first = along.index;
  const std::int64_t end = along.index + along.length;
  const std::int64_t across_end = across.index + across.length;
  if (after ? first + 1 >= across_end : end <= across.index + 1) return Where::inside;
  return (after ? end > across.index : first < across_end) ? Where::on_diagonal : Where::outside;
}

// Of a block that crosses the diagonal, calls f(block) for what counts, line by line.
template <class F>
void for_each_line_beside_diagonal(const Overlap& overlap, const layout::OverlapInterval& along,
                                   const layout::OverlapInterval& across, layout::Part part, F f) {
  const bool after = (part == layout::Part::lower) == overlap.column_major;
  for (std::int64_t x = 0; x < across.length; ++x) {
    const Range kept = layout::beside_diagonal(along.index, along.length, across.index + x, after);
    if (kept.size() == 0) continue;
    const std::int64_t skipped = kept.begin - along.index;
    const layout::OverlapInterval line = {along.from + skipped, along.to + skipped, kept.size(),
                                          kept.begin};
    f(OverlapBlock{&overlap, std::span(&line, 1), line.length, across.from + x, across.to + x, 1});
  }
}

// Whether interval `next` of a line can be joined to those from `first` on, of `so_far` elements.
inline bool joins(const std::vector<layout::OverlapInterval>& intervals, std::size_t first,
                  std::size_t next, std::int64_t so_far) {
  constexpr std::int64_t small = 8;
  return next == first || (intervals[first].length <= small && intervals[next].length <= small &&
                           so_far + intervals[next].length <= most_joined);
}

// Calls f(block) for all blocks of the overlaps that count, in the order of a message.
template <class F>
void for_each_block(const std::vector<Overlap>& overlaps, layout::Part part, F f) {
  for (const Overlap& o : overlaps) {
    for (const layout::OverlapInterval& s : o.across) {
      for (std::size_t t = 0; t < o.along.size();) {
        const std::size_t first = t;
        std::int64_t length = 0;
        while (t < o.along.size() && joins(o.along, first, t, length) &&
               where(o, o.along[t], s, part) == Where::inside) {
          length += o.along[t++].length;
        }
        if (t > first) {
          const std::span intervals(o.along.data() + first, t - first);
          f(OverlapBlock{&o, intervals, length, s.from, s.to, s.length});
          continue;
        }
        if (where(o, o.along[t], s, part) == Where::on_diagonal) {
          for_each_line_beside_diagonal(o, o.along[t], s, part, f);
        }
        ++t;
      }
    }
  }
}

}  // namespace redblue::comm
