// Working on a symmetric matrix C where it lies: each rank updates or multiplies by the elements it
// holds, with the rows of the factors that these elements' rows and columns stand for. Where C is
// large and its factors are not, less moves than for triangle blocks, to which C would have to come
// or from which results would have to go to it.
#pragma once

#include <cstdint>
#include <vector>

#include "layout/arrangement.hpp"
#include "redblue/triangle.hpp"

namespace redblue::linalg {

// Rows i .. i+rows-1 of a slab times rows j .. j+columns-1 of one, turned: elements of C, at
// `place` in their rank's array, row-major where C is. i = j: on and below the diagonal only.
struct Face {
  std::int64_t i = 0, j = 0;
  std::int64_t rows = 0, columns = 0;
  layout::Block place;
};

// Whether every rank holds at most one patch of C, rows of which follow each other in storage: then
// the functions below apply.
bool can_stay(const layout::Arrangement& c);

// What the ranks need of an n x k factor in these of its columns: the rows of C they hold, then
// those that only their columns name, as one block.
layout::Arrangement slabs_in_place(const layout::Arrangement& c, std::int64_t k,
                                   const Range& columns);

// All elements on and below the diagonal that a rank holds; columns are put together until a
// multiplication is large.
std::vector<Face> faces_in_place(const layout::Patch& held);

// Multiplications per column of the factors.
std::int64_t work_of(const std::vector<Face>& faces);

// Words of these factors, n x k, that some rank lacks for them, at most. O(ranks * blocks).
std::int64_t words_in_place(const layout::Arrangement& c,
                            const std::vector<layout::Arrangement>& factors);

// Whether less moves in place than for these triangle blocks, and the work is shared about as well.
bool pays_in_place(const TriangleDecomposition& blocks, const layout::Arrangement& c,
                   const std::vector<layout::Arrangement>& factors);

// What is left of a decomposition in place: the shape.
TriangleDecomposition shape_only(const SyrkShape& shape);

}  // namespace redblue::linalg
