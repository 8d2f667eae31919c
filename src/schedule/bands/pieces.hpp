// SPDX-License-Identifier: BSD-3-Clause
// Loops cut where one of their steps writes what the others read: D[i][j] = fmin(D[i][j],
// D[i][k] + D[k][j]) carries a dependence over j only at j = k.
#pragma once

#include <isl/cpp.h>

#include <optional>

#include "schedule/blocks/blocks.hpp"

namespace redblue::schedule::codegen {

// Instance -> 0, 1, 2: before, at and after the step of the member at which the band's statement
// writes an element that another step of that loop reads. Run in this order, the pieces keep the
// order of the steps; inside of each, the steps may run in any order. Nothing where the band has
// several statements, a loop has more than one such step, or the pieces still carry something of
// `order`. `around`: instance -> what runs around the loop.
std::optional<isl::union_map> independent_pieces(const program::Program& program,
                                                 const LeafBand& band, int member,
                                                 const isl::union_map& around,
                                                 const isl::union_map& order);

}  // namespace redblue::schedule::codegen
