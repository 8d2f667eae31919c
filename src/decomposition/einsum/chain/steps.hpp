// SPDX-License-Identifier: BSD-3-Clause
// The steps of one or several summations: each of two operands or of all of a summation.
#pragma once

#include <vector>

#include "decomposition/einsum/order.hpp"
#include "redblue/einsum_model.hpp"

namespace redblue::einsum {

// Every summation in one step.
std::vector<EinsumStep> steps_at_once(const EinsumShape& whole);

// Every summation two operands at a time, in the order that costs least.
std::vector<EinsumStep> steps_by(const EinsumShape& whole, const StepCost& cost);

// Words that each of so many ranks is expected to receive in a step: what the best box needs beyond
// a rank's part.
StepCost expected_words(const EinsumShape& whole, int ranks);

// Products of elements.
StepCost products(const EinsumShape& whole);

// Of how many operands the largest summation is.
std::size_t most_operands(const EinsumShape& whole);

}  // namespace redblue::einsum
