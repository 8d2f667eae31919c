// SPDX-License-Identifier: BSD-3-Clause
// Who needs and who owns which part of a tensor.
#pragma once

#include <cstdint>
#include <vector>

#include "decomposition/ownership.hpp"
#include "redblue/einsum_model.hpp"

namespace redblue::einsum {

// A box of a tensor needed by exactly the same ranks, by each in one round. Its elements are
// numbered consecutively, the tensor's first index fastest.
struct TensorCell {
  std::vector<Range> ranges;  // of the tensor's indices
  // shares.block.rows: the numbers of its elements among those of all cells (one column); needers,
  // who own consecutive numbers
  Cell shares;
  std::vector<std::int64_t> rounds;  // of each needer
};

// One list of cells per tensor, whose numbers count its elements from 0. Shares are even within a
// cell; off the grid they are then moved to even out the words received.
std::vector<std::vector<TensorCell>> cells(const EinsumShape& shape,
                                           const EinsumDecomposition& decomposition);

// What a rank needs of a tensor in a round: the projection of its box.
std::vector<Range> projection(const EinsumTensor& tensor, const EinsumBox& box);

// Whether the rank works in some round.
bool works(const EinsumDecomposition& decomposition, std::size_t rank);

// The round in which a rank got what it has of a tensor in this one: an earlier one, where its
// boxes need nothing else since then.
std::int64_t held_since(const EinsumTensor& tensor, const EinsumDecomposition& decomposition,
                        std::size_t rank, std::int64_t round);

// In how many rounds a tensor comes or goes.
std::int64_t rounds_of(const EinsumTensor& tensor, const EinsumDecomposition& decomposition);

// Words that a rank which needs `footprint` words of everything at once may use for products of
// some of the operands.
std::int64_t local_workspace(std::size_t operands, std::int64_t footprint);

std::int64_t size_of(const std::vector<Range>& ranges);

}  // namespace redblue::einsum
