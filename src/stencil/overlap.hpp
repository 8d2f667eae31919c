// SPDX-License-Identifier: BSD-3-Clause
// Computing while halos travel.
#pragma once

#include "stencil/stages.hpp"

namespace redblue::stencil {

// Splits the tiles of stages that receive halos: what needs no halo is computed early, while they
// travel; the rest, the border, once they are here. Only where the border is the smaller part.
void split_for_overlap(const Tiling& tiling, Rank rank, Stages& stages);

}  // namespace redblue::stencil
