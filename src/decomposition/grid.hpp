// Grids pi x pj x pk: closed-form costs and the search for the best one.
#pragma once

#include <functional>
#include <optional>

#include "redblue/model.hpp"

namespace redblue {

// The cost of the busiest rank of a grid, within a few words of cost_of(), never below it for
// memory. `rounds` divides the k range of each rank.
Cost grid_cost(const GemmShape& shape, const std::array<int, 3>& grid, std::int64_t rounds,
               const Machine& machine);

// The fewest rounds (1, 2, 4, ... or one per k) within `memory`; nullopt when none fits.
std::optional<std::int64_t> rounds_within(const GemmShape& shape, const std::array<int, 3>& grid,
                                          std::optional<Words> memory);

// Calls f(grid) for every grid with product <= ranks, no more parts than elements along any side,
// and at least 85 % of the parts that fit along k. O(ranks log^2 ranks).
void for_each_grid(const GemmShape& shape, int ranks,
                   const std::function<void(const std::array<int, 3>&)>& f);

// Least multiplications of the busiest rank over all grids.
std::int64_t least_grid_work(const GemmShape& shape, int ranks);

struct GridChoice {
  std::array<int, 3> grid;
  std::int64_t rounds;
  Cost cost;
};

// The best grid whose busiest rank computes at most `work_limit` within `memory`.
std::optional<GridChoice> best_grid(const GemmPlanRequest& request, double work_limit);

// The least memory with which some grid runs within `work_limit`.
Words least_memory(const GemmPlanRequest& request, double work_limit);

}  // namespace redblue
