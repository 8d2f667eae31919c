// SPDX-License-Identifier: BSD-3-Clause
// Results of one summation as operands of the next: what a rank has against what it needs.
#pragma once

#include <cstdint>
#include <vector>

#include "decomposition/einsum/cells.hpp"

namespace redblue::einsum {

// A box of a tensor in one rank's array: the element at the ranges' beginnings is at `offset`.
// Steps number indices differently; ranges and strides are in the order of the tensor's letters.
struct Piece {
  std::vector<Range> ranges;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;

  bool needed = true;  // else nothing of it, which a tensor without indices cannot say

  std::int64_t words() const { return needed ? size_of(ranges) : 0; }
};

// For each index of the tensor, in the order of its shape, its place in that order.
using Places = std::vector<std::size_t>;

// What each rank owns, in its array, as boxes: its runs of cells, cut where they wrap.
std::vector<std::vector<Piece>> owned_pieces(const std::vector<TensorCell>& cells, int ranks,
                                             const Places& places);

// A box stored densely, the tensor's first index fastest.
Piece dense_piece(const std::vector<Range>& ranges, const Places& places);

std::int64_t words_shared(const Piece& piece, const Piece& other);

// What two pieces share, as it stands in the first; no words where they do not meet.
Piece shared(const Piece& piece, const Piece& other);

}  // namespace redblue::einsum
