// SPDX-License-Identifier: BSD-3-Clause
// Loops whose counters the others determine: those that only say in which tile an instance runs.
#pragma once

#include "program/program.hpp"

namespace redblue::program {

// The same program without loops whose counters follow from those of the statement's other loops.
// Instances are renamed, one to one, and keep their times and accesses, so the graph is the same.
// Sources are to be derived again.
Program without_determined_loops(const Program& program);

// The same for loops tiled by hand: of for (ii = 0; ii < n; ii += 32) for (i = ii; i < min(ii + 32,
// n); i++) the outer one goes, as ii = 32 floor(i / 32). Where the subscripts name the point, A[32
// * ii + i], these loops give way to it first (straighten; where that finds none, with no regard to
// temporaries). A program without such loops stays.
Program untiled(const Program& program);

}  // namespace redblue::program
