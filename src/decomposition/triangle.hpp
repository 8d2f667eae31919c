// Triangle blocks: who touches what, forms which pairs, owns which elements.
#pragma once

#include <functional>

#include "covering/pair_sharing.hpp"
#include "decomposition/ownership.hpp"
#include "redblue/triangle.hpp"

namespace redblue {

// The cells of A (op(A), n x k).
std::vector<Cell> inputs(const TriangleDecomposition& decomposition);

// Calls `visit` for C's cells, one after the other in the same object. They lie on or below the
// diagonal; those on it are squares of which the lower triangle counts; their shares are of all
// elements, even in those that count.
void for_each_output(const TriangleDecomposition& decomposition,
                     const std::function<void(const Cell&)>& visit);

// Both.
Ownership ownership(const TriangleDecomposition& decomposition);

// Of the first `elements` elements of a cell of C, in column-major order, those that count.
std::int64_t counted(const Cell& cell, std::int64_t elements);

}  // namespace redblue
