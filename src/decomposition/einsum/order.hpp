// SPDX-License-Identifier: BSD-3-Clause
// In which order a product of several tensors is formed, two at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "decomposition/einsum/footprint.hpp"

namespace redblue::einsum {

using IndexSet = std::uint64_t;  // bit t: index t

// A step multiplies two of what there is: the operands, 0 to n - 1, and the results of earlier
// steps, n, n + 1, ..
struct ProductStep {
  std::size_t left = 0, right = 0;
  IndexSet loops = 0;   // of both
  IndexSet result = 0;  // those that others still need
};

double extent_of(IndexSet set, const Sides& extents);

// Which steps are as good as others, per product of elements: `weight(left, right, result)`.
using StepWeight = double (*)(IndexSet left, IndexSet right, IndexSet result);

// The order with the fewest products of elements, weighted: exact for up to 10 operands, else each
// step the cheapest one. No steps for a single operand.
std::vector<ProductStep> cheapest_order(const std::vector<IndexSet>& operands, IndexSet result,
                                        const Sides& extents, StepWeight weight);

// 1 for what a multiplication of matrices does, more for products element by element.
double local_weight(IndexSet left, IndexSet right, IndexSet result);
double no_weight(IndexSet left, IndexSet right, IndexSet result);

}  // namespace redblue::einsum
