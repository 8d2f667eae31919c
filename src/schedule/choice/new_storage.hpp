// SPDX-License-Identifier: BSD-3-Clause
// What an order needs to store beside the source's arrays.
#pragma once

#include <vector>

#include "program/enumerate.hpp"
#include "schedule/privatise.hpp"

namespace redblue::schedule::codegen {

// The program with its accesses redirected to the families' storage (privatised), whose arrays are
// variables of its region.
program::Program with_storage(const program::Program& program, const std::vector<Family>& families);

// Words of the families with further subscripts, whose accesses `program` has redirected
// (privatised): of each what the statement writes that writes most of it.
double new_words(const program::Program& program, const std::vector<Family>& families,
                 const program::Sizes& sizes);

}  // namespace redblue::schedule::codegen
