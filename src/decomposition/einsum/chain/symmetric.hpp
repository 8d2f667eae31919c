// SPDX-License-Identifier: BSD-3-Clause
// A summation that multiplies a matrix by its own transpose.
#pragma once

#include <optional>
#include <vector>

#include "decomposition/ownership.hpp"
#include "redblue/einsum_model.hpp"

namespace redblue::einsum {

// The step's only matrix is n x k: its operands are the same tensor, under letters whose exchange
// exchanges the letters of the result ("A:ik,A:jk->ij", "A:ki,A:kj->ij"), or several letters of a
// kind that are one index each ("A:xia,A:xjb->iajb").
struct SymmetricProduct {
  SyrkShape shape;
  std::size_t rows = 0, others = 0, summed = 0;  // indices of the step: i, j, k
};
std::optional<SymmetricProduct> symmetric_product(const EinsumStep& step);

// A plan of triangle blocks where this is such a product and that moves less than `plan`. The
// owner of an element of the result below the diagonal also has the one above it.
std::optional<SyrkPlanReport> plan_symmetric(const EinsumPlanRequest& request,
                                             const EinsumChainReport& plan);

// A line of a block that a rank owns: rows begin .. end-1 of one column, from `offset` on in its
// array.
struct OwnedLine {
  std::int64_t begin = 0, end = 0;
  std::int64_t column = 0;
  std::int64_t offset = 0;
};
std::vector<OwnedLine> owned_lines(const std::vector<Cell>& cells, Rank rank);

}  // namespace redblue::einsum
