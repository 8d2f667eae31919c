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

// The same, with no regard to subscripts of arrays that nobody reads after the program: the
// c[ii][jj] that holds the tile C[i + ii][j + jj] may then have the mixed ones.
Program straighten_outputs(const Program& program);

}  // namespace redblue::program
