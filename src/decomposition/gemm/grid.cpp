// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/gemm/grid.hpp"

#include <algorithm>
#include <limits>

#include "decomposition/cost.hpp"
#include "decomposition/doubling.hpp"
#include "decomposition/ownership.hpp"

namespace redblue {

namespace {

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

// At most so many words has one rank of a matrix of `lines` lines cut into `pieces`, each shared
// evenly by `ranks`.
std::int64_t largest_share(std::int64_t line, std::int64_t lines, std::int64_t pieces, int ranks) {
  const std::int64_t longer = lines % pieces;
  return longer * ceil_div(line * (lines / pieces + 1), ranks) +
         (pieces - longer) * ceil_div(line * (lines / pieces), ranks);
}

// Words of what a rank receives of others' contributions at a time, each of `share` words.
std::int64_t staging(int ranks, std::int64_t share, Exchange exchange) {
  if (exchange == Exchange::direct) return std::min(ranks - 1, 2) * share;
  return most_blocks_in_a_stage(ranks) * share;
}

std::int64_t messages(int ranks, Exchange exchange) {
  if (exchange == Exchange::direct) return ranks - 1;
  return count_doubling_stages(ranks);
}

// Calls f(count) for 1, 2, 4, ... and `most` until it returns true; whether it did.
template <class F>
bool try_counts(std::int64_t most, F f) {
  for (std::int64_t count = 1;; count = std::min(2 * count, most)) {
    if (f(count)) return true;
    if (count == most) return false;
  }
}

// Where k alone is cut.
std::optional<Pieces> panels_within(const GemmShape& shape, const std::array<int, 3>& grid,
                                    Words memory, Exchange exchange) {
  Pieces pieces;
  pieces.exchange = exchange;
  const bool found =
      try_counts(std::max<std::int64_t>(1, BlockSizes(shape, grid).j), [&](std::int64_t count) {
        pieces.panels = count;
        return grid_cost(shape, grid, pieces, {}).memory <= memory;
      });
  return found ? std::optional(pieces) : std::nullopt;
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
  // the least share of A and B is its own, the largest of C comes from all others
  cost.words =
      Words(a_words - a_words / pj + b_words - b_words / pi + (pk - 1) * ceil_div(c_words, pk));
  cost.messages =
      Messages(pieces.rounds * (messages(pj, pieces.exchange) + messages(pi, pieces.exchange)) +
               pieces.panels * pieces.reductions * messages(pk, pieces.exchange));
  cost.work = b.work();
  const std::int64_t slab = ceil_div(b.k, pieces.rounds);
  const std::int64_t panel = ceil_div(b.j, pieces.panels);
  std::int64_t memory = largest_share(b.i, b.k, pieces.rounds, pj) +
                        largest_share(b.j, b.k, pieces.rounds, pi) +
                        largest_share(b.i, b.j, pieces.panels * pieces.reductions, pk);
  std::int64_t received = 0;
  if (pk > 1) {
    memory += b.i * panel;
    const std::int64_t share = ceil_div(b.i * ceil_div(panel, pieces.reductions), pk);
    received = staging(pk, share, pieces.exchange);
  }
  const std::int64_t slabs = (pj > 1 ? slab * b.i : 0) + (pi > 1 ? slab * b.j : 0);
  cost.resident = Words(memory + received);
  cost.memory = Words(memory + std::max(slabs, received));
  cost.seconds = predicted_seconds(cost, machine);
  return cost;
}

std::optional<Pieces> pieces_within(const GemmShape& shape, const std::array<int, 3>& grid,
                                    std::optional<Words> memory, Exchange exchange) {
  Pieces pieces;
  pieces.exchange = exchange;
  if (!memory) return pieces;
  if (cuts_k_alone(grid)) return panels_within(shape, grid, *memory, exchange);
  const BlockSizes b(shape, grid);
  const auto [pi, pj, pk] = grid;
  const std::int64_t least =
      b.i * b.k / pj + b.k * b.j / pi + b.i * b.j / pk + (pk > 1 ? b.i * b.j : 0);
  if (least > memory->value) return std::nullopt;
  const auto fits = [&](std::int64_t rounds) {
    pieces.rounds = rounds;
    return grid_cost(shape, grid, pieces, {}).memory <= *memory;
  };
  const bool found = try_counts(pk > 1 ? std::max<std::int64_t>(1, b.j) : 1, [&](auto count) {
    pieces.reductions = count;
    return try_counts(std::max<std::int64_t>(1, b.k), fits);
  });
  if (!found) return std::nullopt;
  std::int64_t fitting = pieces.rounds;
  for (std::int64_t few = fitting / 2; few + 1 < fitting;) {
    const std::int64_t middle = few + (fitting - few) / 2;
    (fits(middle) ? fitting : few) = middle;
  }
  pieces.rounds = fitting;
  return pieces;
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

std::vector<Exchange> exchanges(const GemmPlanRequest& request) {
  const GemmShape& s = request.shape;
  if (s.m == 0 || s.n == 0 || s.k == 0) return {Exchange::direct};
  if (request.exchange) return {*request.exchange};
  if (request.objective == Objective::words) return {Exchange::direct};
  return {Exchange::direct, Exchange::doubling};
}

std::optional<GridChoice> best_grid(const GemmPlanRequest& request, double work_limit) {
  std::optional<GridChoice> best;
  const std::vector<Exchange> ways = exchanges(request);
  for_each_grid(request.shape, request.ranks, [&](const std::array<int, 3>& grid) {
    if (BlockSizes(request.shape, grid).work() > work_limit) return;
    for (const Exchange exchange : ways) {
      const Pieces whole = {1, 1, 1, exchange};
      const Cost cost = grid_cost(request.shape, grid, whole, request.machine);
      if (best && !better(cost, best->cost, request.objective)) continue;
      const auto pieces = pieces_within(request.shape, grid, request.memory, exchange);
      if (!pieces) continue;
      const Cost real =
          *pieces == whole ? cost : grid_cost(request.shape, grid, *pieces, request.machine);
      if (!best || better(real, best->cost, request.objective)) best = {grid, *pieces, real};
    }
  });
  return best;
}

Words least_memory(const GemmPlanRequest& request, double work_limit) {
  Words least(std::numeric_limits<std::int64_t>::max());
  const std::vector<Exchange> ways = exchanges(request);
  for_each_grid(request.shape, request.ranks, [&](const std::array<int, 3>& grid) {
    const BlockSizes b(request.shape, grid);
    if (b.work() > work_limit) return;
    for (const Exchange exchange : ways) {
      Pieces pieces{1, 1, 1, exchange};
      const bool panels = cuts_k_alone(grid);
      const auto needed = [&] { return grid_cost(request.shape, grid, pieces, {}); };
      try_counts(std::max<std::int64_t>(1, panels ? b.j : b.k), [&](std::int64_t count) {
        (panels ? pieces.panels : pieces.rounds) = count;
        Cost cost = needed();
        least = std::min(least, cost.memory);
        // in more reductions while what they receive takes more than the rounds do
        while (!panels && pieces.reductions < b.j && cost.memory == cost.resident) {
          pieces.reductions = std::min(2 * pieces.reductions, b.j);
          cost = needed();
          least = std::min(least, cost.memory);
        }
        return false;
      });
    }
  });
  return least;
}

}  // namespace redblue
