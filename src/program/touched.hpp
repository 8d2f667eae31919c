// SPDX-License-Identifier: BSD-3-Clause
// How far into its arrays a program reaches.
#pragma once

#include <string>
#include <vector>

#include "program/enumerate.hpp"
#include "program/program.hpp"
#include "redblue/units.hpp"

namespace redblue::program {

// The values of a dimension from the least to the largest, 0 where there is no such.
Range range(const isl::set& set, int dimension);

// The values of a dimension, as a set of its own.
isl::set values_along(const isl::set& set, int dimension);

// Of each dimension of the array the subscripts between the least and the largest that the program
// reads or writes at these sizes; empty where it touches no element.
std::vector<Range> touched(const Program& program, const std::string& array, const Sizes& sizes);

}  // namespace redblue::program
