// SPDX-License-Identifier: BSD-3-Clause
// Orders inside of the program's outermost loops.
#pragma once

#include <vector>

#include "schedule/nests.hpp"

namespace redblue::schedule {

// Inside the program's outermost one and two loops, as they are: isl's orders of what is left, so
// that loops further in are split and exchanged though the outer ones carry dependences. For
// storage as it is, and for families with those further subscripts that the outer loops do not
// give: their steps use it again.
std::vector<Nest> nests_inside(const program::Program& program);

}  // namespace redblue::schedule
