// SPDX-License-Identifier: BSD-3-Clause
// Parts of a search that need nothing of each other but the effort they leave.
#pragma once

#include <functional>
#include <vector>

#include "schedule/search/tuning.hpp"

namespace redblue::schedule {

// Runs part(n, false) for n = 0 .. count - 1 in turn, until one returns false. Other processors
// run part(n, true) of the next ones meanwhile, and costs that these judges find there are taken
// from there: results are those of one processor. part(n, true) asks for the same costs in the same
// order, for more of them or fewer, whatever the parts before it did.
void in_parts(const std::vector<const Judge*>& judges, std::size_t count,
              const std::function<bool(std::size_t n, bool ahead)>& part);

// The plans as they are, a part each.
std::vector<Tuning> tunings(const Judge& judge, const std::vector<Plan>& plans);
// The nests without tiles.
std::vector<Tuning> untiled(const Judge& judge, const std::vector<Nest>& nests);

}  // namespace redblue::schedule
