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
// j+columns-1; `place`: how the rank stores it. Of a `diagonal` one, I = J, only the lower triangle
// counts.
struct SymmetricBlock {
  std::int64_t i = 0, j = 0;
  std::int64_t rows = 0, columns = 0;
  layout::StoredBlock place;
  bool diagonal = false;
};

// Whether every rank stores at most one patch of C, its rows without gaps. The functions below are
// for such arrangements.
bool can_stay(const layout::Arrangement& c);

// The panel of an n x k factor that each rank needs, in these columns: the rows that C's rows on
// the rank name, then those that only C's columns there name, as one block.
layout::Arrangement panels_in_place(const layout::Arrangement& c, std::int64_t k,
                                    const Range& columns);

// The panel's rows that C's columns in a rank's patch name, column by column of its storage. More
// than one range on grids of several columns of ranks: they are to be gathered for multiplications
// to be large.
std::vector<Range> rows_of_columns(const layout::Patch& local);

// The blocks of C on and below the diagonal in a rank's patch: of all columns together what is
// below the last of them, then of both halves of them the rest, and so on. `gathered`: J counts the
// rows of rows_of_columns(); else those of the panel, and only columns whose rows are neighbours
// there are taken together.
std::vector<SymmetricBlock> blocks_in_place(const layout::Patch& local, bool gathered = false);

// Multiplications per column of the factors.
std::int64_t work_of(const std::vector<SymmetricBlock>& blocks);

// Words of these panels of the factors that a rank has not.
std::int64_t words_to_receive(const std::vector<layout::Patch>& panels,
                              const std::vector<layout::Arrangement>& factors, std::size_t rank);

// Words of these n x k factors that the busiest rank receives. O(ranks * blocks).
std::int64_t words_in_place(const layout::Arrangement& c,
                            const std::vector<layout::Arrangement>& factors);

// About what the busiest rank receives of so many factors and C on triangle blocks, whose matrices
// lie anywhere.
double words_with_way(const TriangleDecomposition& blocks, std::size_t factors, std::size_t ranks);

// Whether leaving C in place moves less than these triangle blocks, with about as even work.
bool pays_in_place(const TriangleDecomposition& blocks, const layout::Arrangement& c,
                   const std::vector<layout::Arrangement>& factors);

// A decomposition with the shape alone: in place, nothing else of it counts.
TriangleDecomposition shape_only(const SyrkShape& shape);

}  // namespace redblue::linalg
