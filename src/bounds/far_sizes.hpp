// SPDX-License-Identifier: BSD-3-Clause
// Large sizes in different orders, for what depends on which parameter is larger.
#pragma once

#include <string>
#include <vector>

#include "symbolic/expr.hpp"

namespace redblue::bounds {

// Sizes far from each other, multiples of many numbers, so that what depends on divisibility takes
// its simplest form; one valuation for each order of the parameters that is worth a try: the first
// in the alphabet the largest, the smallest, and each of them alone smallest or largest. `small`
// ones stay below all others.
std::vector<symbolic::Valuation> sizes_far_apart(const std::vector<std::string>& parameters,
                                                 const std::vector<std::string>& small = {});

}  // namespace redblue::bounds
