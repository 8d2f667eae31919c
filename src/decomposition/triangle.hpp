// Triangle blocks: who touches what, forms which pairs, owns which elements.
#pragma once

#include <functional>

#include "decomposition/covering.hpp"
#include "decomposition/ownership.hpp"
#include "redblue/triangle.hpp"

namespace redblue {

// The ranks of one layer.
struct PairSharing {
  std::vector<std::vector<int>> touched;
  std::vector<std::vector<std::pair<int, int>>> pairs;
};

// Gives every pair of points to one of the sets that contain both, evenly; members beyond the
// covering's sets take over pairs in sets of their own, no larger (not where thousands of points
// and members would make that long: there may be fewer sets than members). O(points^2 * sets per
// point).
PairSharing share_pairs(const Covering& covering, int members);

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
