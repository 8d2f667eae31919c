// SPDX-License-Identifier: BSD-3-Clause
// A summation as several steps, each of two operands or of all.
#pragma once

#include <vector>

#include "decomposition/einsum/pieces.hpp"
#include "redblue/einsum_model.hpp"

namespace redblue::einsum {

// Where the indices of a step's tensor stand among those that the tensor has in the whole
// summation.
Places places_of(const EinsumShape& whole, const EinsumShape& step, const EinsumTensor& tensor);

// What each rank needs of an operand in a round, stored densely, in the order of the whole.
std::vector<Piece> needed_pieces(const EinsumShape& whole, const EinsumStep& step,
                                 std::size_t operand, std::int64_t round);

// The parts of an earlier step's result where they were added up, in the order of the whole.
std::vector<std::vector<Piece>> result_pieces(const EinsumShape& whole, const EinsumStep& step);

}  // namespace redblue::einsum
