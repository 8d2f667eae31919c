// SPDX-License-Identifier: BSD-3-Clause
// In which order a product of several tensors is formed, two at a time.
#pragma once

#include <cstdint>
#include <functional>
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

// What a step costs: cost(left, right, result).
using StepCost = std::function<double(IndexSet left, IndexSet right, IndexSet result)>;

// The order whose steps cost least together: exact for up to 10 operands, else each step the
// cheapest one. No steps for a single operand.
std::vector<ProductStep> cheapest_order(const std::vector<IndexSet>& operands, IndexSet result,
                                        const StepCost& cost);

// Products of elements, those that are no multiplication of matrices as more.
StepCost local_cost(const Sides& extents);

IndexSet set_of(const EinsumTensor& tensor);

}  // namespace redblue::einsum
