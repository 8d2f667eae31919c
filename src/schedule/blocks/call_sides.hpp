// SPDX-License-Identifier: BSD-3-Clause
// Calls of BLAS for a band: how large, and whether its statement can be one.
#pragma once

#include <optional>

#include "schedule/blocks/calls.hpp"
#include "schedule/privatise.hpp"

namespace redblue::schedule::codegen {

// Sides of tiles that may be calls. Products of few rows are slow in every BLAS, so that tiles are
// as large as the operation lets them be; what is left beside the diagonals shrinks by the square
// of the smallest side over the whole, so that a few levels leave next to nothing to loops.
inline const std::vector<std::int64_t> usual_call_sides = {1024, 256, 64};

// Nothing where the statement is no product of matrices where the arrays of the source have them.
std::optional<Called> calls_of(const program::Program& program, const std::vector<Family>& families,
                               const isl::union_map& order, const LeafBand& band,
                               std::size_t statement, const CallTiling& tiling);

// Of squares and cubes, where they are cut.
CallTiling of_sides(const std::vector<std::int64_t>& sides);

// About how much of the statement is in calls: counted at these sizes, or smaller ones of some
// tiles.
double part_in_calls(const Called& called, const program::Program& program, std::size_t statement,
                     const program::Sizes& sizes);

}  // namespace redblue::schedule::codegen
