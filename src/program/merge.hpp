// SPDX-License-Identifier: BSD-3-Clause
// Statements that do the same on disjoint index sets, as one.
#pragma once

#include "program/program.hpp"

namespace redblue::program {

// Joins statements with the same loops count, arrays and subscripts whose domains are disjoint (the
// lower and the upper half of LU's update) into one statement over the union, called "S0+S3".
// Renames instances only: data flow and order stay.
Program merge_alike(const Program& program);

}  // namespace redblue::program
