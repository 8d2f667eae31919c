// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/einsum/chain/pieces.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace redblue::einsum {

namespace {

// Strides of a dense box, the first index fastest.
std::vector<std::int64_t> dense(const std::vector<Range>& ranges) {
  std::vector<std::int64_t> strides;
  std::int64_t next = 1;
  for (const Range& r : ranges) {
    strides.push_back(next);
    next *= std::max<std::int64_t>(1, r.size());
  }
  return strides;
}

Piece reordered(const Piece& piece, const Places& places) {
  Piece result = piece;
  for (std::size_t t = 0; t < places.size(); ++t) {
    result.ranges[places[t]] = piece.ranges[t];
    result.strides[places[t]] = piece.strides[t];
  }
  return result;
}

// The elements number begin .. end-1 of a box as boxes, found from the slowest index down.
class Run {
 public:
  Run(const std::vector<Range>& box, std::int64_t first_offset, std::int64_t begin,
      std::int64_t end)
      : box_(box), strides_(dense(box)), shift_(first_offset - begin) {
    std::vector<Range> ranges = box;
    cut(box.size(), 0, begin, end, ranges);
  }
  std::vector<Piece> pieces;

 private:
  // Of the part `ranges` whose indices from t on are fixed and whose elements are numbered from
  // `first`.
  void cut(std::size_t t, std::int64_t first, std::int64_t begin, std::int64_t end,
           std::vector<Range>& ranges) {
    if (begin >= end) return;
    const std::int64_t all = t == 0 ? 1 : strides_[t - 1] * box_[t - 1].size();
    if (begin <= first && end >= first + all) {
      pieces.push_back({ranges, strides_, first + shift_, true});
      return;
    }
    const std::int64_t step = strides_[t - 1];
    const std::int64_t low = std::max<std::int64_t>(0, begin - first) / step;
    const std::int64_t high = (std::min(end - first, all) + step - 1) / step;
    // whole slices in the middle are one box
    const std::int64_t whole_low = (std::max<std::int64_t>(0, begin - first) + step - 1) / step;
    const std::int64_t whole_high = std::min(end - first, all) / step;
    const Range before = ranges[t - 1];
    for (std::int64_t x = low; x < high; ++x) {
      const bool is_whole = x >= whole_low && x < whole_high;
      const std::int64_t next = is_whole ? whole_high : x + 1;
      ranges[t - 1] = {before.begin + x, before.begin + next};
      const std::int64_t start = first + x * step;
      if (is_whole) {
        pieces.push_back({ranges, strides_, start + shift_, true});
      } else {
        cut(t - 1, start, std::max(begin, start), std::min(end, start + step), ranges);
      }
      x = next - 1;
    }
    ranges[t - 1] = before;
  }

  const std::vector<Range>& box_;
  std::vector<std::int64_t> strides_;
  std::int64_t shift_;
};

}  // namespace

std::vector<std::vector<Piece>> owned_pieces(const std::vector<TensorCell>& cells, int ranks,
                                             const Places& places) {
  std::vector<std::vector<Piece>> result(static_cast<std::size_t>(ranks));
  std::vector<std::int64_t> next(static_cast<std::size_t>(ranks), 0);
  for (const TensorCell& cell : cells) {
    for (std::size_t t = 0; t < cell.shares.needers.size(); ++t) {
      const auto rank = static_cast<std::size_t>(cell.shares.needers[t]);
      const Run run(cell.ranges, next[rank], cell.shares.begins[t], cell.shares.begins[t + 1]);
      for (const Piece& p : run.pieces) result[rank].push_back(reordered(p, places));
      next[rank] += cell.shares.share(t);
    }
  }
  return result;
}

Piece dense_piece(const std::vector<Range>& ranges, const Places& places) {
  return reordered({ranges, dense(ranges), 0, true}, places);
}

std::int64_t words_shared(const Piece& piece, const Piece& other) {
  if (!piece.needed || !other.needed) return 0;
  std::int64_t words = 1;
  for (std::size_t t = 0; t < piece.ranges.size() && words > 0; ++t) {
    words *= std::max<std::int64_t>(0, std::min(piece.ranges[t].end, other.ranges[t].end) -
                                           std::max(piece.ranges[t].begin, other.ranges[t].begin));
  }
  return words;
}

Piece shared(const Piece& piece, const Piece& other) {
  Piece result = piece;
  result.needed = piece.needed && other.needed;
  for (std::size_t t = 0; t < piece.ranges.size(); ++t) {
    Range& r = result.ranges[t];
    r.begin = std::max(piece.ranges[t].begin, other.ranges[t].begin);
    r.end = std::max(r.begin, std::min(piece.ranges[t].end, other.ranges[t].end));
    result.offset += (r.begin - piece.ranges[t].begin) * piece.strides[t];
  }
  return result;
}

}  // namespace redblue::einsum
