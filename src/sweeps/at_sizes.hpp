// SPDX-License-Identifier: BSD-3-Clause
// A program with its parameters replaced by numbers.
#pragma once

#include "program/enumerate.hpp"
#include "program/program.hpp"
#include "redblue/units.hpp"

namespace redblue::sweeps {

isl::set at_sizes(const isl::set& set, const program::Sizes& sizes);
isl::map at_sizes(const isl::map& map, const program::Sizes& sizes);
isl::pw_aff at_sizes(const isl::pw_aff& value, const program::Sizes& sizes);

// The statements that have instances at these sizes, without parameters. Throws Error where a size
// is missing or names no parameter.
program::Program at_sizes(const program::Program& program, const program::Sizes& sizes);

// The value of a function of the parameters alone.
std::int64_t number(const isl::pw_aff& value, const program::Sizes& sizes);

// The smallest and the largest value of a dimension of a set without parameters. Throws Error where
// there is none.
Range range_of(const isl::set& set, int dimension);

}  // namespace redblue::sweeps
