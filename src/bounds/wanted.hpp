// The sizes formulas are made for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bounds/bound.hpp"
#include "program/program.hpp"

namespace redblue::bounds {

// Conditions on the parameters, like "M >= 2*N". Throws Error for what is no affine inequality of
// them with whole numbers, and where no sizes meet all.
isl::set assumed_sizes(const program::Program& program, const std::vector<std::string>& conditions);

// Checks the given sizes (of parameters and S) and fills Sizes::values, wanted and far. `counts`:
// of each statement's instances. Throws Error for unknown names and sizes that are too small or not
// assumed.
Sizes sizes_for(const program::Program& program, const std::vector<program::Count>& counts,
                const std::map<std::string, std::int64_t>& given,
                const std::vector<std::string>& small, const isl::set& assumed);

}  // namespace redblue::bounds
