// Updating a symmetric matrix where it lies: each rank forms the elements it holds, from the rows
// of the factors that these elements' rows and columns stand for. Where C is large and its factors
// are not, less moves than for triangle blocks, whose results have to come back to C.
#pragma once

#include <cstdint>
#include <vector>

#include "layout/arrangement.hpp"

namespace redblue {

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

// Words of these factors, n x k, that some rank receives for them, at most. O(ranks * blocks).
std::int64_t words_in_place(const layout::Arrangement& c,
                            const std::vector<layout::Arrangement>& factors);

}  // namespace redblue
