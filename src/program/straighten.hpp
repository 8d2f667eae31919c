// SPDX-License-Identifier: BSD-3-Clause
// Statements counted by other loops, so that more of their subscripts are single loops.
#pragma once

#include "program/program.hpp"

namespace redblue::program {

// The same program with other iterators: as long as that leaves fewer subscripts that mix loops,
// one loop t of a statement gives way to such a subscript t + .. (with a unit step in t, so
// instances stay as they are, one to one, at the same times). T[i][i + l] over l, i becomes T[i][l
// + i] over the loops l + i and i.
Program straighten(const Program& program);

}  // namespace redblue::program
