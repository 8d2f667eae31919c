// SPDX-License-Identifier: BSD-3-Clause
// Grids pi x pj x pk: closed-form costs and the search for the best one.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "redblue/cost.hpp"
#include "redblue/gemm_model.hpp"
#include "redblue/machine.hpp"

namespace redblue {

// What a decomposition is worked through in, to save memory or messages: as in Decomposition.
struct Pieces {
  std::int64_t rounds = 1;
  std::int64_t panels = 1;
  std::int64_t reductions = 1;
  Exchange exchange = Exchange::direct;
  bool operator==(const Pieces&) const = default;
};

// The cost of the busiest rank of a grid, a few words above cost_of() where shares are not equal:
// no rank need have the largest blocks, the least shares of A and B and the largest of C at once.
Cost grid_cost(const GemmShape& shape, const std::array<int, 3>& grid, const Pieces& pieces,
               const Machine& machine);

// The fewest pieces within `memory`; nullopt when none fits. Where k alone is cut, nothing but C is
// shared and panels save its memory (1, 2, 4, ... or one per column); else rounds do, and so many
// reductions (1, 2, 4, ... or one per column) that these fit, too.
std::optional<Pieces> pieces_within(const GemmShape& shape, const std::array<int, 3>& grid,
                                    std::optional<Words> memory, Exchange exchange);

// Calls f(grid) for every grid with product <= ranks, no more parts than elements along any side,
// and at least 85 % of the parts that fit along k. O(ranks log^2 ranks).
void for_each_grid(const GemmShape& shape, int ranks,
                   const std::function<void(const std::array<int, 3>&)>& f);

// Least multiplications of the busiest rank over all grids.
double least_grid_work(const GemmShape& shape, int ranks);

struct GridChoice {
  std::array<int, 3> grid;
  Pieces pieces;
  Cost cost;
};

// What `request` allows on a grid.
std::vector<Exchange> exchanges(const GemmPlanRequest& request);

// The best grid whose busiest rank computes at most `work_limit` within `memory`.
std::optional<GridChoice> best_grid(const GemmPlanRequest& request, double work_limit);

// The least memory with which some grid runs within `work_limit`.
Words least_memory(const GemmPlanRequest& request, double work_limit);

}  // namespace redblue
