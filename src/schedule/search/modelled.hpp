// SPDX-License-Identifier: BSD-3-Clause
// The plans that a model of tiles promises to move least.
#pragma once

#include <vector>

#include "schedule/search/tile_model.hpp"

namespace redblue::schedule {

struct Modelled {
  Plan plan;
  TileModel model;   // of the plan's nest
  double moved = 0;  // by the model
};

// By a model of the tiles of each nest, the best plans of the two nests that should move least,
// that of the best nest with loops as in the source, if possible one of which it knows all, and
// that of the best nest with outermost loops in groups.
std::vector<Modelled> modelled(const program::Program& program, const std::vector<Nest>& all,
                               const program::Sizes& sizes, std::int64_t s);

}  // namespace redblue::schedule
