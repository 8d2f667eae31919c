// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/gemm/grid.hpp"

#include <algorithm>
#include <limits>

#include "decomposition/cost.hpp"

namespace redblue {

namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// The largest block of a grid.
struct BlockSizes {
  std::int64_t i, j, k;
  BlockSizes(const GemmShape& s, const std::array<int, 3>& g)
      : i(ceil_div(s.m, g[0])), j(ceil_div(s.n, g[1])), k(ceil_div(s.k, g[2])) {}
  double work() const {
    return static_cast<double>(i) * static_cast<double>(j) * static_cast<double>(k);
  }
};

bool cuts_k_alone(const std::array<int, 3>& grid) {
  return grid[0] == 1 && grid[1] == 1 && grid[2] > 1;
}

// Calls f(pieces) for 1, 2, 4, ... pieces until it returns true or there are no smaller ones;
// whether it did.
template <class F>
bool try_pieces(const GemmShape& shape, const std::array<int, 3>& grid, F f) {
  const BlockSizes b(shape, grid);
  const std::int64_t most = std::max<std::int64_t>(1, cuts_k_alone(grid) ? b.j : b.k);
  for (std::int64_t count = 1;; count = std::min(2 * count, most)) {
    if (f(cuts_k_alone(grid) ? Pieces{1, count} : Pieces{count, 1})) return true;
    if (count == most) return false;
  }
}

}  // namespace

Cost grid_cost(const GemmShape& shape, const std::array<int, 3>& grid, const Pieces& pieces,
               const Machine& machine) {
  const BlockSizes b(shape, grid);
  const std::int64_t a_words = b.i * b.k;
  const std::int64_t b_words = b.k * b.j;
  const std::int64_t c_words = b.i * b.j;
  const auto [pi, pj, pk] = grid;
  Cost cost;
  cost.words = Words(a_words - a_words / pj + b_words - b_words / pi + c_words - c_words / pk);
  cost.messages = Messages(pieces.rounds * (pj - 1 + pi - 1) + pieces.panels * (pk - 1));
  cost.work = b.work();
  const std::int64_t slab = ceil_div(b.k, pieces.rounds);
  const std::int64_t face = b.i * ceil_div(b.j, pieces.panels);
  const std::int64_t c_owned = c_words / pk + pieces.panels;
  std::int64_t memory = a_words / pj + b_words / pi + 2 * pieces.rounds + c_owned;
  if (pk > 1) memory += face + std::min(pk - 1, 2) * (face / pk + 1);
  cost.resident = Words(memory);
  if (pj > 1) memory += slab * b.i;
  if (pi > 1) memory += slab * b.j;
  cost.memory = Words(memory);
  cost.seconds = predicted_seconds(cost, machine);
  return cost;
}

std::optional<Pieces> pieces_within(const GemmShape& shape, const std::array<int, 3>& grid,
                                    std::optional<Words> memory) {
  if (!memory) return Pieces{};
  Pieces fitting;
  const bool found = try_pieces(shape, grid, [&](const Pieces& pieces) {
    fitting = pieces;
    return grid_cost(shape, grid, pieces, {}).memory <= *memory;
  });
  return found ? std::optional(fitting) : std::nullopt;
}

void for_each_grid(const GemmShape& shape, int ranks,
                   const std::function<void(const std::array<int, 3>&)>& f) {
  const auto parts = [](std::int64_t side, int limit) {
    return static_cast<int>(std::clamp<std::int64_t>(side, 1, limit));
  };
  for (int pi = 1; pi <= parts(shape.m, ranks); ++pi) {
    for (int pj = 1; pj <= parts(shape.n, ranks / pi); ++pj) {
      const int most = parts(shape.k, ranks / (pi * pj));
      const int least = std::max(1, most * 17 / 20);
      for (int pk = most; pk >= least; --pk) f({pi, pj, pk});
    }
  }
}

double least_grid_work(const GemmShape& shape, int ranks) {
  double least = std::numeric_limits<double>::max();
  for_each_grid(shape, ranks, [&](const std::array<int, 3>& grid) {
    least = std::min(least, BlockSizes(shape, grid).work());
  });
  return least;
}

std::optional<GridChoice> best_grid(const GemmPlanRequest& request, double work_limit) {
  std::optional<GridChoice> best;
  for_each_grid(request.shape, request.ranks, [&](const std::array<int, 3>& grid) {
    if (BlockSizes(request.shape, grid).work() > work_limit) return;
    const Cost cost = grid_cost(request.shape, grid, {}, request.machine);
    if (best && !better(cost, best->cost, request.objective)) return;
    const auto pieces = pieces_within(request.shape, grid, request.memory);
    if (!pieces) return;
    const Cost real =
        *pieces == Pieces{} ? cost : grid_cost(request.shape, grid, *pieces, request.machine);
    if (!best || better(real, best->cost, request.objective)) best = {grid, *pieces, real};
  });
  return best;
}

Words least_memory(const GemmPlanRequest& request, double work_limit) {
  Words least(std::numeric_limits<std::int64_t>::max());
  for_each_grid(request.shape, request.ranks, [&](const std::array<int, 3>& grid) {
    const BlockSizes b(request.shape, grid);
    if (b.work() > work_limit) return;
    try_pieces(request.shape, grid, [&](const Pieces& pieces) {
      least = std::min(least, grid_cost(request.shape, grid, pieces, {}).memory);
      return false;
    });
  });
  return least;
}

}  // namespace redblue
