// SPDX-License-Identifier: BSD-3-Clause
// Working on a symmetric n x n matrix C without moving it: each rank updates or multiplies by the
// elements that it stores. It needs the rows of the n x k factors A and B that its elements' rows
// and columns name. Less moves than for triangle blocks where C is large and k is small.
#pragma once

#include <cstdint>
#include <vector>

#include "layout/arrangement.hpp"
#include "redblue/syrk_model.hpp"

namespace redblue::linalg {

// C(I, J) = A(I, :) A(J, :)', I the rows i .. i+rows-1 of a panel of A and J its rows j ..
// j+columns-1; `place`: how the rank stores it. If i = j, only its lower triangle counts.
struct SymmetricBlock {
  std::int64_t i = 0, j = 0;
  std::int64_t rows = 0, columns = 0;
  layout::StoredBlock place;
};

// Whether every rank stores at most one patch of C, its rows without gaps. The functions below are
// for such arrangements.
bool can_stay(const layout::Arrangement& c);

// The panel of an n x k factor that each rank needs, in these columns: the rows that C's rows on
// the rank name, then those that only C's columns there name, as one block.
layout::Arrangement panels_in_place(const layout::Arrangement& c, std::int64_t k,
                                    const Range& columns);

// The blocks of C on and below the diagonal in a rank's patch; neighbouring columns are joined
// until a multiplication is large.
std::vector<SymmetricBlock> blocks_in_place(const layout::Patch& local);

// Multiplications per column of the factors.
std::int64_t work_of(const std::vector<SymmetricBlock>& blocks);

// Words of these n x k factors that the busiest rank receives. O(ranks * blocks).
std::int64_t words_in_place(const layout::Arrangement& c,
                            const std::vector<layout::Arrangement>& factors);

// Whether leaving C in place moves less than these triangle blocks, with about as even work.
bool pays_in_place(const TriangleDecomposition& blocks, const layout::Arrangement& c,
                   const std::vector<layout::Arrangement>& factors);

// A decomposition with the shape alone: in place, nothing else of it counts.
TriangleDecomposition shape_only(const SyrkShape& shape);

}  // namespace redblue::linalg
