#include "decomposition/grid.hpp"

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
  std::int64_t work() const { return i * j * k; }
};

}  // namespace

Cost grid_cost(const GemmShape& shape, const std::array<int, 3>& grid, std::int64_t rounds,
               const Machine& machine) {
  const BlockSizes b(shape, grid);
  const std::int64_t a_words = b.i * b.k;
  const std::int64_t b_words = b.k * b.j;
  const std::int64_t c_words = b.i * b.j;
  const auto [pi, pj, pk] = grid;
  Cost cost;
  cost.words = Words(a_words - a_words / pj + b_words - b_words / pi + c_words - c_words / pk);
  cost.messages = Messages(rounds * (pj - 1 + pi - 1) + pk - 1);
  cost.work = b.work();
  const std::int64_t slab = ceil_div(b.k, rounds);
  const std::int64_t c_owned = c_words / pk + 1;
  std::int64_t memory = a_words / pj + b_words / pi + 2 * rounds + c_owned;
  if (pk > 1) memory += c_words + std::min(pk - 1, 2) * c_owned;
  cost.resident = Words(memory);
  if (pj > 1) memory += slab * b.i;
  if (pi > 1) memory += slab * b.j;
  cost.memory = Words(memory);
  cost.seconds = predicted_seconds(cost, machine);
  return cost;
}

std::optional<std::int64_t> rounds_within(const GemmShape& shape, const std::array<int, 3>& grid,
                                          std::optional<Words> memory) {
  if (!memory) return 1;
  const std::int64_t longest = std::max<std::int64_t>(1, BlockSizes(shape, grid).k);
  for (std::int64_t rounds = 1;; rounds *= 2) {
    rounds = std::min(rounds, longest);
    if (grid_cost(shape, grid, rounds, {}).memory <= *memory) return rounds;
    if (rounds == longest) return std::nullopt;
  }
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

std::int64_t least_grid_work(const GemmShape& shape, int ranks) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for_each_grid(shape, ranks, [&](const std::array<int, 3>& grid) {
    least = std::min(least, BlockSizes(shape, grid).work());
  });
  return least;
}

std::optional<GridChoice> best_grid(const GemmPlanRequest& request, double work_limit) {
  std::optional<GridChoice> best;
  for_each_grid(request.shape, request.ranks, [&](const std::array<int, 3>& grid) {
    if (static_cast<double>(BlockSizes(request.shape, grid).work()) > work_limit) return;
    const Cost cost = grid_cost(request.shape, grid, 1, request.machine);
    if (best && !better(cost, best->cost, request.objective)) return;
    const auto rounds = rounds_within(request.shape, grid, request.memory);
    if (!rounds) return;
    const Cost real =
        *rounds == 1 ? cost : grid_cost(request.shape, grid, *rounds, request.machine);
    if (!best || better(real, best->cost, request.objective)) best = {grid, *rounds, real};
  });
  return best;
}

Words least_memory(const GemmPlanRequest& request, double work_limit) {
  Words least(std::numeric_limits<std::int64_t>::max());
  for_each_grid(request.shape, request.ranks, [&](const std::array<int, 3>& grid) {
    const BlockSizes b(request.shape, grid);
    if (static_cast<double>(b.work()) > work_limit) return;
    for (std::int64_t rounds = 1;; rounds *= 2) {
      rounds = std::clamp<std::int64_t>(rounds, 1, std::max<std::int64_t>(1, b.k));
      least = std::min(least, grid_cost(request.shape, grid, rounds, {}).memory);
      if (rounds >= b.k) return;
    }
  });
  return least;
}

}  // namespace redblue
