// SPDX-License-Identifier: BSD-3-Clause
// Where tensors are stored between steps, in callers' layouts, and what ranks need of them.
#pragma once

#include <optional>
#include <vector>

#include "decomposition/einsum/cells.hpp"
#include "decomposition/einsum/chain/pieces.hpp"
#include "redblue/einsum_model.hpp"

namespace redblue::einsum {

using Layouts = std::vector<std::optional<EinsumLayout>>;

// Pieces of a tensor have its indices in the order of their letters in the tensor, which is the
// same wherever it is read. Where the indices of the step's tensor stand among those:
Places places_of(const EinsumShape& step, const EinsumTensor& tensor);

// What each rank needs of an operand in a round, stored densely.
std::vector<Piece> needed_pieces(const EinsumShape& step, const EinsumDecomposition& decomposition,
                                 std::size_t operand, std::int64_t round);

// What each rank owns of a step's tensor, given its cells.
std::vector<std::vector<Piece>> cell_pieces(const EinsumShape& step, std::size_t tensor,
                                            const std::vector<TensorCell>& cells, int ranks);

// What each rank has of a tensor in a caller's layout.
std::vector<std::vector<Piece>> layout_pieces(const EinsumTensor& tensor,
                                              const EinsumLayout& layout, int ranks);

// Throws Error where a layout does not fit its tensor or the ranks.
void check_layouts(const EinsumShape& whole, const Layouts& layouts, int ranks);

// A tensor that steps read or write; none where the step's own cells say where it is.
struct Home {
  bool in_layout = false;  // of the whole's tensor number `tensor`
  std::size_t step = 0;    // else: tensor number `tensor` of this step
  std::size_t tensor = 0;
};
std::optional<Home> home_of(const EinsumShape& whole, const std::vector<EinsumStep>& steps,
                            const Layouts& layouts, std::size_t step, std::size_t operand);

// The layout of a tensor of the whole, if it has one.
const EinsumLayout* layout_of(const Layouts& layouts, std::size_t tensor);

// Words and messages that each rank receives from where a tensor is to where it is needed, and the
// words that it has to hold for that.
struct Fetched {
  std::vector<std::int64_t> words, messages, buffers;
};
Fetched fetched(const std::vector<std::vector<Piece>>& owned,
                const std::vector<std::vector<Piece>>& needed);

// Of an operand in all rounds, with the boxes that it comes into.
Fetched fetched(const std::vector<std::vector<Piece>>& owned, const EinsumShape& step,
                const EinsumDecomposition& decomposition, std::size_t operand);

}  // namespace redblue::einsum
