// SPDX-License-Identifier: BSD-3-Clause
// Computing while halos travel.
#pragma once

#include "stencil/stages.hpp"

namespace redblue::stencil {

// What a stage has to gain and to lose.
struct OverlapSeconds {
  double per_exchange = 0, per_word = 0;  // of the network: the most that can be hidden
  double per_row = 0;                     // what a row more, shorter ones, takes
};

// Splits the tiles of stages that receive halos: what needs no halo is computed early, while they
// travel; the rest, the border, once they are here. Only where the border is the smaller part and
// its rows take less than what the network may.
void split_for_overlap(const Tiling& tiling, Rank rank, const OverlapSeconds& seconds,
                       Stages& stages);

}  // namespace redblue::stencil
