// SPDX-License-Identifier: BSD-3-Clause
// From the cells of a tensor to arrangements: where each rank owns and where it needs its elements.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "decomposition/einsum/cells.hpp"
#include "decomposition/einsum/chain/pieces.hpp"
#include "layout/arrangement.hpp"
#include "redblue/einsum_plan.hpp"

namespace redblue::tensor {

// A tensor is one column of all its elements, numbered as its cells number them.

// Each rank's parts, cell by cell, one after another in its array.
layout::Arrangement owned_arrangement(const std::vector<einsum::TensorCell>& cells, int ranks);

// Of those, where they stand, the parts to which a round's contributions are added: not those that
// are computed in place.
layout::Arrangement reduced_arrangement(const std::vector<einsum::TensorCell>& cells, int ranks,
                                        std::int64_t round);

// The parts of one rank.
std::vector<EinsumPart> owned_parts(const std::vector<einsum::TensorCell>& cells, Rank rank);

// The same of pieces in a caller's array, whose letters are indices of their own: a part per line.
std::vector<EinsumPart> line_parts(const EinsumShape& shape, const EinsumTensor& tensor,
                                   const std::vector<einsum::Piece>& pieces);

// The box of a tensor that a rank needs in a round, and the cells it consists of.
struct NeededBox {
  std::vector<Range> ranges;
  std::vector<const einsum::TensorCell*> cells;
  // Where the rank owns the whole box, which nobody else needs: its place in the rank's array.
  std::optional<std::int64_t> in_place;
  bool in_order = false;  // comes as a box, not cell by cell
  bool is_there = false;  // since an earlier round
  bool is_rearranged() const { return cells.size() > 1 && !in_order && !is_there; }
  std::int64_t words() const { return cells.empty() ? 0 : einsum::size_of(ranges); }
};

// Of this rank. `parts`: what it owns.
NeededBox needed_box(const EinsumShape& shape, const EinsumDecomposition& decomposition,
                     std::size_t tensor, const std::vector<einsum::TensorCell>& cells, Rank rank,
                     std::int64_t round);

// What each rank needs in a round and has not in place, cell by cell, one after another.
layout::Arrangement needed_arrangement(const std::vector<einsum::TensorCell>& cells, int ranks,
                                       std::int64_t round);

// Between the cells one after another and the box they are of, its first index fastest.
enum class Direction { to_box, to_cells };
template <class T>
void rearrange(const NeededBox& box, Direction direction, const T* from, T* to);

}  // namespace redblue::tensor
