// SPDX-License-Identifier: BSD-3-Clause
// Grids of boxes: what one costs, which is best.
#pragma once

#include <optional>
#include <vector>

#include "redblue/einsum_model.hpp"

namespace redblue::einsum {

// Each rank works through its range of `index` in this many pieces. -1: at once.
struct Rounds {
  int index = -1;
  std::int64_t count = 1;
};

// Of the rank with the largest block; words and memory are never less than cost_of counts.
Cost grid_cost(const EinsumShape& shape, const std::vector<int>& grid, const Rounds& rounds,
               const Machine& machine);

struct GridChoice {
  std::vector<int> grid;
  Rounds rounds;
  Cost cost;
};

// Products of the busiest rank in the evenest grid, or, where some grid is within `enough`, one
// that is.
double least_grid_work(const EinsumShape& shape, int ranks, double enough);

// The best of the grids of at most so many ranks whose blocks have at most so many products, within
// the memory. Looks at all of them, or at a fixed number near the best box where there are
// millions.
std::optional<GridChoice> best_grid(const EinsumPlanRequest& request, double most_work);

// Of those, without rounds, the ones that move least, best first.
std::vector<std::vector<int>> good_grids(const EinsumPlanRequest& request, double most_work,
                                         std::size_t count);

// The least memory that would do for one of those.
Words least_memory(const EinsumPlanRequest& request, double most_work);

// The longest side halved until the largest power of two ranks is used.
std::vector<int> recursive_halving(const EinsumShape& shape, int ranks);

// Ranks are numbered along the indices in `order`, those that are cut; empty: as they come.
EinsumDecomposition grid_decomposition(const EinsumShape& shape, int ranks,
                                       const std::vector<int>& grid, const Rounds& rounds = {},
                                       std::vector<std::size_t> order = {});

}  // namespace redblue::einsum
