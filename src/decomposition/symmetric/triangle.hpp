// SPDX-License-Identifier: BSD-3-Clause
// Triangle blocks: who touches what, forms which pairs, owns which elements.
#pragma once

#include <functional>

#include "covering/pair_sharing.hpp"
#include "decomposition/ownership.hpp"
#include "redblue/syrk_model.hpp"

namespace redblue {

// Whether the replicas are planned one by one, so that those of the same width are alike: on many
// ranks, where it would take too long to look at all.
bool replicas_are_alike(const TriangleDecomposition& decomposition);

// The cells of A (op(A), n x k).
std::vector<Cell> inputs(const TriangleDecomposition& decomposition);

// Those of one replica, where replicas are alike; needers are counted from its first rank.
std::vector<Cell> inputs_of_replica(const TriangleDecomposition& decomposition, int replica);

// Shares a member's cells of C out to the replicas one after the other: every replica gets as many
// elements that count, to within one.
class OutputShares {
 public:
  explicit OutputShares(int replicas) : replicas_(replicas) {}
  void share(Cell& cell);
  // The same for `total` elements that all count: each replica gets total / replicas, and the
  // replicas from the result on, total % replicas of them in a circle, one more.
  std::int64_t first_with_more(std::int64_t total);

 private:
  int replicas_;
  std::int64_t next_ = 0;  // who gets one of the next elements left over
};

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
