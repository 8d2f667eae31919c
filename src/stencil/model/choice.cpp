// SPDX-License-Identifier: BSD-3-Clause
// Which scheme, grid, depth and side are predicted to be fastest.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "machine/sharing.hpp"
#include "redblue/error.hpp"
#include "stencil/model/box.hpp"
#include "stencil/model/cost.hpp"

namespace redblue {

using namespace stencil;

namespace {

constexpr std::int64_t most_steps = 10'000'000;
constexpr double most_stage_work = 3e7;  // chunks * sweeps * kinds: seconds and gigabytes

std::string asked(const StencilPlanRequest& r) {
  return "stencil on " + std::to_string(r.ranks) + " ranks";
}

// How far values travel in one time step, per dimension.
MeshIndex reach_per_step(const Sweeps& sweeps) {
  const std::int64_t k = sweeps.per_step();
  const Slopes s = symmetric_slopes(sweeps, 0, 2 * k);
  MeshIndex reach;
  for (std::size_t j = 0; j < most_dimensions; ++j) {
    const auto first = static_cast<std::size_t>(k);
    reach[j] = s.lower[first][j] - s.lower[0][j];
    for (const StencilSweep& sweep : sweeps.program().sweeps) {
      for (const StencilRead& r : sweep.reads) {
        reach[j] = std::max({reach[j], r.below[j], r.above[j]});
      }
    }
  }
  return reach;
}

// What the choice goes by before anything is counted.
struct Estimate {
  MeshIndex extents, reach;
  int dimensions;
  bool periodic;
  double sweeps;  // per step
  double alpha, beta, gamma;
  double moved_row, row;  // beside beta and gamma, for each row

  Estimate(const Sweeps& s, const StencilPlanRequest& r)
      : reach(reach_per_step(s)),
        dimensions(s.program().dimensions),
        periodic(s.periodic()),
        sweeps(static_cast<double>(s.per_step())),
        alpha(seconds_per_exchange(r.machine)),
        beta(static_cast<double>(r.rates.word_bytes) *
                 seconds_per_exchanged_byte(r.machine, r.ranks) +
             slowdown_by_sharing(r.machine, r.ranks) * r.rates.seconds_per_moved_word),
        gamma(slowdown_by_sharing(r.machine, r.ranks) *
              r.rates.seconds_per_update.value_or(
                  default_seconds_per_update(s.program(), r.machine))),
        moved_row(slowdown_by_sharing(r.machine, r.ranks) * r.rates.seconds_per_moved_row),
        row(slowdown_by_sharing(r.machine, r.ranks) * r.rates.seconds_per_row) {
    for (std::size_t j = 0; j < most_dimensions; ++j) {
      extents[j] = s.worked_on().end[j] - s.worked_on().begin[j];
    }
  }

  double block(const std::array<int, 3>& grid) const {
    double points = 1;
    for (std::size_t j = 0; j < most_dimensions; ++j) {
      points *= static_cast<double>((extents[j] + grid[j] - 1) / grid[j]);
    }
    return points;
  }

  // Of one step with halos of depth `depth`: PA1's formula.
  double halo_seconds(const std::array<int, 3>& grid, std::int64_t depth) const {
    double outer = 1;
    double middle = 1;
    double rows = 1;           // of the block
    double rows_received = 0;  // along all sides but those at the ends of rows
    bool rows_cut = false;
    for (std::size_t j = 0; j < most_dimensions; ++j) {
      const auto side = static_cast<double>((extents[j] + grid[j] - 1) / grid[j]);
      const bool cut = grid[j] > 1 || periodic;
      const double halo = cut ? static_cast<double>(depth * reach[j]) : 0;
      outer *= side + 2 * halo;
      middle *= side + halo;
      if (static_cast<int>(j) + 1 < dimensions) {
        rows_received = rows_received * (side + 2 * halo) + rows * 2 * halo;
        rows *= side;
      } else if (static_cast<int>(j) + 1 == dimensions) {
        rows_cut = halo > 0;
      }
    }
    if (rows_cut) rows_received += 2 * rows;
    const double b = static_cast<double>(depth);
    return (alpha + beta * (outer - block(grid)) + moved_row * rows_received) / b +
           sweeps * (gamma * middle + row * rows);
  }

  // Of one step of Schedule 1: z^d exchanges of (r + 2m)^d - r^d words.
  double outer_seconds(const std::array<int, 3>& grid, std::int64_t side,
                       std::int64_t depth) const {
    double blocks = 1;
    double inner = 1;
    double outer = 1;
    for (int j = 0; j < dimensions; ++j) {
      const auto k = static_cast<std::size_t>(j);
      blocks *= std::ceil(static_cast<double>(extents[k] + reach[k] * (depth - 1)) /
                          static_cast<double>(side * grid[k]));
      inner *= static_cast<double>(side);
      outer *= static_cast<double>(side + 2 * reach[k]);
    }
    return blocks * (alpha + beta * (outer - inner) + gamma * sweeps * inner);
  }
};

// Grids whose largest block is at most a quarter larger than the best: p ranks, some may idle.
std::vector<std::array<int, 3>> grids(const Estimate& e, int ranks) {
  std::vector<std::array<int, 3>> all;
  const auto fits = [&e](int j, std::int64_t parts) {
    return parts <= std::max<std::int64_t>(1, e.extents[static_cast<std::size_t>(j)]);
  };
  double least = std::numeric_limits<double>::infinity();
  for (int g0 = ranks; g0 >= 1; --g0) {  // of two alike that with the longer rows
    if (!fits(0, g0)) continue;
    const int rest = ranks / g0;
    for (int g1 = 1; g1 <= rest && fits(1, g1); ++g1) {
      const std::int64_t g2 = std::min<std::int64_t>(rest / g1, e.extents[2]);
      const std::array<int, 3> grid = {g0, g1, static_cast<int>(g2)};
      const double block = e.block(grid);
      least = std::min(least, block);
      if (block <= 1.25 * least) all.push_back(grid);
    }
  }
  std::erase_if(all, [&](const std::array<int, 3>& g) { return e.block(g) > 1.25 * least; });
  return all;
}

std::array<int, 3> best_grid(const Estimate& e, const std::vector<std::array<int, 3>>& all,
                             std::int64_t depth) {
  return *std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
    return e.halo_seconds(a, depth) < e.halo_seconds(b, depth);
  });
}

void check_halos(const Tiling& tiling, const Estimate& e) {
  const StencilDecomposition& d = tiling.decomposition();
  if (d.scheme != StencilScheme::pa1) return;
  for (std::size_t j = 0; j < most_dimensions; ++j) {
    const bool cut = d.grid[j] > 1 || e.periodic;
    if (!cut || e.reach[j] == 0 || d.depth <= e.extents[j] / e.reach[j]) continue;
    throw Error("pa1 of depth " + std::to_string(d.depth),
                "halos larger than the mesh of " + std::to_string(e.extents[j]) + " points",
                "give a smaller depth");
  }
}

void check_work(const Tiling& tiling) {
  double work = 0;
  for (const PassKind& k : tiling.kinds()) {
    const std::array<int, 3>& c = tiling.chunks();
    work += static_cast<double>(c[0]) * c[1] * c[2] * static_cast<double>(k.sweeps);
  }
  if (tiling.decomposition().scheme == StencilScheme::outer_blocked && work > most_stage_work) {
    throw Error("outer-blocked with side " + std::to_string(tiling.decomposition().side[0]),
                "too many blocks to plan", "give a larger side");
  }
}

Tiling checked_tiling(const StencilProgram& program, const StencilDecomposition& decomposition,
                      std::int64_t steps, const Estimate& e) {
  Tiling tiling(program, decomposition, steps);
  check_halos(tiling, e);
  check_work(tiling);
  return tiling;
}

class Search {
 public:
  explicit Search(const StencilPlanRequest& request)
      : request_(request),
        sweeps_(request.program),
        estimate_(sweeps_, request),
        grids_(grids(estimate_, request.ranks)) {}

  // The best of a scheme; throws Error where the scheme cannot be used.
  StencilAlternative best(StencilScheme scheme) const {
    if (scheme == StencilScheme::outer_blocked) return best_outer();
    std::optional<StencilAlternative> found;
    std::optional<Error> why;
    for (const std::int64_t depth : depths(scheme)) {
      StencilDecomposition d;
      d.scheme = scheme;
      d.ranks = request_.ranks;
      d.depth = depth;
      d.grid = best_grid(estimate_, grids_, depth);
      try {
        // the rank in the middle stands for all while depths are compared
        const Tiling tiling =
            checked_tiling(request_.program, d, std::min(request_.steps, 3 * depth), estimate_);
        const StencilCost cost = worst_cost(tiling, {middle(d)}, request_.machine, request_.rates);
        const double per_step = cost.seconds / static_cast<double>(std::max<std::int64_t>(
                                                   1, std::min(request_.steps, 3 * depth)));
        if (!found || per_step < found->cost.seconds) {
          found = {d, cost};
          found->cost.seconds = per_step;
        }
      } catch (const Error& e) {
        why = e;
        if (request_.depth) throw;
      }
    }
    if (!found) throw *why;
    return counted(found->decomposition);
  }

  StencilAlternative counted(const StencilDecomposition& d) const {
    const Tiling tiling = checked_tiling(request_.program, d, request_.steps, estimate_);
    return {d, worst_cost(tiling, representatives(tiling), request_.machine, request_.rates)};
  }

 private:
  static Rank middle(const StencilDecomposition& d) {
    return Rank{(d.grid[0] / 2 * d.grid[1] + d.grid[1] / 2) * d.grid[2] + d.grid[2] / 2};
  }

  std::vector<std::int64_t> depths(StencilScheme scheme) const {
    if (scheme == StencilScheme::pa0) return {1};
    if (request_.depth) return {*request_.depth};
    std::vector<std::int64_t> some;
    const std::int64_t most =
        std::max<std::int64_t>(1, std::min<std::int64_t>(request_.steps, 256));
    for (std::int64_t b = 1; b <= most; b *= 2) {
      some.push_back(b);
      if (b > 1 && 3 * b / 2 <= most) some.push_back(3 * b / 2);
    }
    return some;
  }

  StencilAlternative best_outer() const {
    if (sweeps_.periodic()) {
      throw Error("outer-blocked on a periodic mesh", "its first block would wait for its last",
                  "use pa1 or trapezoid");
    }
    const std::array<int, 3> grid = best_grid(estimate_, grids_, 1);
    StencilDecomposition best;
    double least = std::numeric_limits<double>::infinity();
    std::optional<Error> why;
    for (const std::int64_t depth : depths(StencilScheme::outer_blocked)) {
      for (const std::int64_t side : sides(grid)) {
        StencilDecomposition d;
        d.scheme = StencilScheme::outer_blocked;
        d.ranks = request_.ranks;
        d.grid = grid;
        d.depth = depth;
        for (int j = 0; j < request_.program.dimensions; ++j) {
          d.side[static_cast<std::size_t>(j)] = side;
        }
        const double seconds = estimate_.outer_seconds(grid, side, depth);
        if (seconds >= least) continue;
        try {
          checked_tiling(request_.program, d, request_.steps, estimate_);
          least = seconds;
          best = d;
        } catch (const Error& e) {
          why = e;
        }
      }
    }
    if (std::isinf(least)) throw *why;
    return counted(best);
  }

  std::vector<std::int64_t> sides(const std::array<int, 3>& grid) const {
    if (request_.side) return {*request_.side};
    std::int64_t most = 1;
    for (std::size_t j = 0; j < most_dimensions; ++j) {
      most = std::max(most, (estimate_.extents[j] + grid[j] - 1) / grid[j]);
    }
    std::vector<std::int64_t> some;
    for (std::int64_t r = most; r >= std::max<std::int64_t>(1, most / 64); r = (r + 1) / 2) {
      some.push_back(r);
      if (r == 1) break;
    }
    return some;
  }

  const StencilPlanRequest& request_;
  Sweeps sweeps_;
  Estimate estimate_;
  std::vector<std::array<int, 3>> grids_;
};

void check_request(const StencilPlanRequest& r) {
  check_stencil(r.program);
  constexpr int most_ranks = 10'000'000;
  if (r.ranks < 1 || r.ranks > most_ranks) {
    throw Error(asked(r), "not a number of ranks that is supported", "give 1 to 10000000");
  }
  if (r.steps < 0 || r.steps > most_steps) {
    throw Error(std::to_string(r.steps) + " steps of a stencil", "negative or more than 10000000",
                "execute the plan several times");
  }
  if (r.depth && (*r.depth < 1 || *r.depth > most_steps)) {
    throw Error("depth " + std::to_string(*r.depth), "not from 1 to 10000000", "give --depth 8");
  }
  if (r.side && (*r.side < 1 || *r.side > (std::int64_t{1} << 40))) {
    throw Error("side " + std::to_string(*r.side), "not a block's side", "give --side 16");
  }
  if (r.side && r.scheme != StencilScheme::outer_blocked) {
    throw Error("side " + std::to_string(*r.side), "only Schedule 1 has blocks of a given side",
                "give the scheme outer-blocked");
  }
  if (r.scheme == StencilScheme::pa0 && r.depth.value_or(1) != 1) {
    throw Error("pa0 of depth " + std::to_string(*r.depth), "pa0 exchanges in every step",
                "give the scheme pa1");
  }
}

bool fits(const StencilPlanRequest& request, const StencilCost& cost) {
  return !request.memory || cost.memory <= *request.memory;
}

}  // namespace

StencilPlanReport plan_stencil(const StencilPlanRequest& request) {
  check_request(request);
  const Search search(request);
  StencilPlanReport report;
  std::optional<Error> why;
  Words least(std::numeric_limits<std::int64_t>::max());
  bool found = false;
  for (const StencilScheme scheme : {StencilScheme::pa0, StencilScheme::pa1,
                                     StencilScheme::trapezoid, StencilScheme::outer_blocked}) {
    if (request.scheme && *request.scheme != scheme) continue;
    if (!request.scheme && request.depth && *request.depth > 1 && scheme == StencilScheme::pa0) {
      continue;
    }
    try {
      const StencilAlternative a = search.best(scheme);
      report.alternatives.push_back(a);
      least = std::min(least, a.cost.memory);
      if (!fits(request, a.cost)) continue;
      if (!found || a.cost.seconds < report.cost.seconds) {
        report.decomposition = a.decomposition;
        report.cost = a.cost;
        found = true;
      }
    } catch (const Error& e) {
      why = e;
    }
  }
  if (found) return report;
  if (report.alternatives.empty()) throw *why;
  throw Error(asked(request) + " in " + std::to_string(request.memory->value) + " words",
              "the least that would do is " + std::to_string(least.value), "give more memory",
              least.value);
}

StencilDecomposition choose_stencil(const StencilPlanRequest& request) {
  return plan_stencil(request).decomposition;
}

StencilCost cost_of(const StencilProgram& program, const StencilDecomposition& decomposition,
                    std::int64_t steps, const Machine& machine, const StencilRates& rates) {
  StencilPlanRequest request;
  request.program = program;
  request.steps = steps;
  request.ranks = decomposition.ranks;
  request.machine = machine;
  request.rates = rates;
  check_request(request);
  return Search(request).counted(decomposition).cost;
}

std::vector<StencilBlock> blocks_of(const StencilProgram& program,
                                    const StencilDecomposition& decomposition, Rank rank) {
  const Tiling tiling(program, decomposition, 0);
  std::vector<StencilBlock> blocks;
  std::int64_t offset = 0;
  for (const ChunkIndex& chunk : tiling.chunks_of(rank)) {
    const MeshBox box = tiling.owned(chunk);
    if (box.empty()) continue;
    blocks.push_back({box, offset});
    offset += box.points();
  }
  return blocks;
}

}  // namespace redblue
