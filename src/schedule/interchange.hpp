// SPDX-License-Identifier: BSD-3-Clause
// Parallel loops of a band inside the loops that the band has inside it.
#pragma once

#include <optional>

#include "schedule/nests.hpp"

namespace redblue::schedule {

// A sum over several loops keeps its order, so that only the first of them is in one band with the
// parallel loops: for (n, o, m) for h for w, and a tile of n and o sees all h and w of one element
// at a time. A loop of a band that carries no dependence may run at any depth inside of it
// [allen2001, 5.2], so it runs inside of h and w: the band gets the loops n, o, m, h, w, of which
// the last three keep their order (Band::in_order), and their steps pass by inside of a tile of
// (n, o). A statement beside the inner loops runs with their first step, or with their last one
// where it comes after them.
//
// The nest with all bands changed for which that is possible: those around one chain of loops.
// Nothing where there is none.
std::optional<Nest> parallel_loops_inside(const Nest& nest);

// Loops in these times (instance -> time, of one length, which respect `order`), in one band: the
// outermost ones that carry none of it may be tiled, with all others inside their tiles.
isl::schedule parallel_loops_marked(const isl::union_map& times, const isl::union_map& order);

}  // namespace redblue::schedule
