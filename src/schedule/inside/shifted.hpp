// SPDX-License-Identifier: BSD-3-Clause
// Orders of programs whose outermost loop carries all: what passes over the same data in two steps
// of it runs in one pass.
#pragma once

#include <vector>

#include "schedule/nests.hpp"

namespace redblue::schedule {

// Where no band of `nests` holds all loops, the outermost one too: inside of the steps of the
// outermost loops, isl's orders
//
//  - of statements in parts (index_sets.hpp);
//  - with some statements a step ahead of the others (loop shifting [darte2000]). A -= q r^T of
//    step k and the products with A of step k + 1 are both passes over A: with the products shifted
//    they are in one step, and where the column that step k + 1 needs first is a part of its own,
//    isl fuses them.
//
// The first k steps of statements that are ahead run first, by themselves. Storage as it is.
std::vector<Nest> nests_shifted(const program::Program& program, const std::vector<Nest>& nests);

}  // namespace redblue::schedule
