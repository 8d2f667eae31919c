// SPDX-License-Identifier: BSD-3-Clause
// The sizes formulas are made for.
//
// Where not all sizes are given, large ones stand in for them. No bound's truth depends on which:
// each is derived whole, and says where its formula holds. They decide
//  - which formula is printed, of those that differ from one range of sizes to the next: the one at
//    Wanted::large, 5040 times growing powers of two;
//  - which bound is called the strongest, and which are left out as they say nothing far out: by
//    Sizes::far, all parameters 2^40 (the small ones 4) and S = 2^10, where that is in the range;
//  - which instances are so few that a derivation leaves them out, or counts them as inputs:
//    Count::far_out, all parameters 2^20 (roles.cpp); their exact number is subtracted;
//  - which sum of steps the formula of a stencil is for: the best at S = 2^10 (isoperimetry.cpp).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bounds/bound.hpp"
#include "program/program.hpp"

namespace redblue::analysis {

// Conditions on the parameters, like "M >= 2*N". Throws Error for what is no affine inequality of
// them with whole numbers, and where no sizes meet all.
isl::set assumed_sizes(const program::Program& program, const std::vector<std::string>& conditions);

// Checks the given sizes (of parameters and S) and fills Sizes::values, wanted and far. `counts`:
// of each statement's instances. Throws Error for unknown names and sizes that are too small or not
// assumed.
bounds::Sizes sizes_for(const program::Program& program, const std::vector<program::Count>& counts,
                        const std::map<std::string, std::int64_t>& given,
                        const std::vector<std::string>& small, const isl::set& assumed);

}  // namespace redblue::analysis
