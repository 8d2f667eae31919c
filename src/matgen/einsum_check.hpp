// SPDX-License-Identifier: BSD-3-Clause
// Random tensors, and results of summations against sums written out.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "matgen/check.hpp"
#include "redblue/einsum_plan.hpp"

namespace redblue::matgen {

// Element number `place`, as in an array in C, of random operand `operand` (counted from 0).
template <class T>
T tensor_number(std::size_t operand, std::int64_t place);

// This rank's part of a random operand.
template <class T>
std::vector<T> random_part(const EinsumPlan<T>& plan, std::size_t operand);

// Checks this rank's elements of the result against sums of products of the operands' elements,
// in plain loops: all of them, or as many, evenly spread, as some million products reach. `value`:
// the largest difference relative to (sum's length + operands) eps times the largest product.
// Of several summations all elements, each relative to the sum of its terms' absolute values times
// eps and the roundings on the way there (every sum's length + operands, and those of the sums that
// it reads): no order of these sums exceeds 1, however much of a result cancels. Throws Error where
// that takes more than 300 million products. Collective.
template <class T>
Residual check_einsum(comm::Communicator& communicator, const EinsumPlan<T>& plan, const T* result);

}  // namespace redblue::matgen
