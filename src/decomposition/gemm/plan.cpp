// SPDX-License-Identifier: BSD-3-Clause
// Choosing a decomposition: grids and bisections compete.
#include <algorithm>
#include <cmath>
#include <map>

#include "decomposition/cost.hpp"
#include "decomposition/gemm/bisection.hpp"
#include "decomposition/gemm/candidates.hpp"
#include "decomposition/gemm/grid.hpp"
#include "decomposition/gemm/stationary_choice.hpp"
#include "decomposition/request.hpp"
#include "redblue/error.hpp"
#include "redblue/lower_bound.hpp"

namespace redblue {

namespace {

constexpr double evenness = 1.03;          // most work of a rank / an even share
constexpr int most_bisected_ranks = 1024;  // beyond, some grid is within a few percent of the bound
constexpr std::int64_t most_bisection_rounds = 64;  // each adds cells; grids take as many as needed
constexpr int most_ranks_in_rounds = 128;

void check(const GemmPlanRequest& request) {
  const GemmShape& s = request.shape;
  if (s.m < 0 || s.n < 0 || s.k < 0) {
    throw Error(
        "gemm " + std::to_string(s.m) + " x " + std::to_string(s.n) + " x " + std::to_string(s.k),
        "a negative size", "sizes are 0 or more");
  }
  check_matrix("gemm", s.m, s.n);
  check_matrix("gemm", s.m, s.k);
  check_matrix("gemm", s.k, s.n);
  check_ranks("gemm", request.ranks);
}

Decomposition grid_decomposition(const GemmShape& shape, int ranks, const std::array<int, 3>& grid,
                                 const Pieces& pieces) {
  Decomposition d;
  d.shape = shape;
  d.ranks = ranks;
  d.grid = grid;
  d.rounds = pieces.rounds;
  d.panels = pieces.panels;
  d.reductions = pieces.reductions;
  d.exchange = pieces.exchange;
  return d;
}

// The most rounds a bisection is tried with under a memory limit.
std::int64_t most_rounds(const Decomposition& d) {
  std::int64_t longest = 1;
  for (const Cuboid& c : d.cuboids()) longest = std::max(longest, c.k.size());
  return d.ranks > most_ranks_in_rounds ? 1 : std::min(longest, most_bisection_rounds);
}

// Cost of a bisection, with as many rounds as the memory asks for; nullopt when it never fits.
std::optional<Candidate> fitted(Decomposition d, const GemmPlanRequest& request) {
  const std::int64_t most = request.memory ? most_rounds(d) : 1;
  for (d.rounds = 1;; d.rounds = std::min(2 * d.rounds, most)) {
    const Cost cost = cost_of(d, request.machine);
    if (!request.memory || cost.memory <= *request.memory) return Candidate{d, cost};
    // more rounds move shares, too, but not by that much
    constexpr std::int64_t far = 2;
    if (d.rounds == most || cost.resident > far * *request.memory) return std::nullopt;
  }
}

std::optional<Candidate> grid_candidate(const GemmPlanRequest& request, double limit) {
  const std::optional<GridChoice> grid = best_grid(request, limit);
  if (!grid) return std::nullopt;
  return Candidate{grid_decomposition(request.shape, request.ranks, grid->grid, grid->pieces),
                   grid->cost};
}

std::vector<Decomposition> bisections(const GemmPlanRequest& request) {
  const GemmShape& s = request.shape;
  if (request.ranks > most_bisected_ranks || request.ranks < 2 || s.m == 0 || s.n == 0 || s.k == 0)
    return {};
  if (request.exchange == Exchange::doubling) return {};
  return {greedy_bisection(s, request.ranks),
          searched_bisection(s, request.ranks, Measure::largest),
          searched_bisection(s, request.ranks, Measure::total)};
}

double busiest_work(const Decomposition& d) {
  double most = 0;
  for (const Cuboid& c : d.cuboids()) most = std::max(most, c.volume());
  return most;
}

bool is_countable(const GemmPlanRequest& request) {
  constexpr int counted_in_a_second = 4096;  // ranks
  return request.ranks <= counted_in_a_second;
}

}  // namespace

Candidates candidates(const GemmPlanRequest& request, bool native) {
  check(request);
  const double even = static_cast<double>(request.shape.m) * static_cast<double>(request.shape.n) *
                      static_cast<double>(request.shape.k) / request.ranks;
  Candidates result;
  result.bisections = bisections(request);
  double least = least_grid_work(request.shape, request.ranks);
  if (result.bisections.empty()) least *= evenness;
  for (const Decomposition& d : result.bisections) {
    least = std::min(least, busiest_work(d));
  }
  result.work_limit = std::max(evenness * even, least);
  std::erase_if(result.bisections,
                [&result](const Decomposition& d) { return busiest_work(d) > result.work_limit; });
  result.grid = grid_candidate(request, result.work_limit);
  // what is chosen and what is shown agree
  if (result.grid && is_countable(request)) {
    result.grid->cost = cost_of(result.grid->decomposition, request.machine);
  }
  for (const Decomposition& d : result.bisections) {
    const std::optional<Candidate> c = fitted(d, request);
    if (!c) continue;
    if (!result.bisection || better(c->cost, result.bisection->cost, request.objective))
      result.bisection = c;
  }
  if (native) result.stationary = stationary_candidate(request, result.work_limit);
  return result;
}

std::vector<Candidate> even_grids(const GemmPlanRequest& request, double work_limit) {
  std::vector<Candidate> result;
  const std::vector<Exchange> ways = exchanges(request);
  for_each_grid(request.shape, request.ranks, [&](const std::array<int, 3>& grid) {
    for (const Exchange exchange : ways) {
      if (grid_cost(request.shape, grid, {}, {}).work > work_limit) return;
      if (const auto pieces = pieces_within(request.shape, grid, request.memory, exchange)) {
        result.push_back({grid_decomposition(request.shape, request.ranks, grid, *pieces),
                          grid_cost(request.shape, grid, *pieces, request.machine)});
      }
    }
  });
  return result;
}

Cost counted_cost(const Decomposition& d, const GemmPlanRequest& request) {
  if (is_countable(request) || d.kind != Decomposition::Kind::grid)
    return cost_of(d, request.machine);
  return grid_cost(request.shape, d.grid, {d.rounds, d.panels, d.reductions, d.exchange},
                   request.machine);
}

namespace {

[[noreturn]] void refuse(const GemmPlanRequest& request, const Candidates& all, bool native) {
  Words least = least_memory(request, all.work_limit);
  for (Decomposition d : all.bisections) {
    const std::int64_t most = most_rounds(d);
    for (d.rounds = 1; d.rounds <= most; d.rounds *= 2)
      least = std::min(least, cost_of(d, {}).memory);
  }
  if (native) {
    least = std::min(least, least_stationary_memory(request, all.work_limit).value_or(least));
  }
  throw Error("gemm within " + std::to_string(request.memory->value) + " words per rank",
              "too small for any schedule on " + std::to_string(request.ranks) + " ranks",
              std::to_string(least.value) + " words would do", least.value);
}

Candidate chosen(const GemmPlanRequest& request, const Candidates& all, bool native) {
  std::optional<Candidate> best;
  for (const auto* c : {&all.grid, &all.bisection, &all.stationary}) {
    if (*c && (!best || better((*c)->cost, best->cost, request.objective))) best = *c;
  }
  if (!best) refuse(request, all, native);
  return *best;
}

// The one of the grids that moves least.
template <class Grids>
std::array<int, 3> least_moving(const GemmShape& shape, const Grids& grids) {
  return *std::min_element(grids.begin(), grids.end(), [&](const auto& a, const auto& b) {
    return grid_cost(shape, a, {}, {}).words < grid_cost(shape, b, {}, {}).words;
  });
}

// pi x pj x 1 with pi pj = P.
std::array<int, 3> two_dimensional(const GemmShape& shape, int ranks) {
  std::vector<std::array<int, 3>> grids;
  for (int p = 1; p <= ranks; ++p) {
    if (ranks % p == 0) grids.push_back({p, ranks / p, 1});
  }
  return least_moving(shape, grids);
}

// q x q x c with c <= q and as many ranks at work as possible; several c share that number.
std::array<int, 3> two_and_a_half_dimensional(const GemmShape& shape, int ranks) {
  std::vector<std::array<int, 3>> grids;
  int used = 0;
  for (int q = 1; q * q <= ranks; ++q) {
    const int c = std::min(q, ranks / (q * q));
    if (q * q * c > used) grids.clear();
    if (q * q * c >= used) grids.push_back({q, q, c});
    used = std::max(used, q * q * c);
  }
  return least_moving(shape, grids);
}

// The longest side halved until the largest power of two ranks is used.
std::array<int, 3> recursive_halving(const GemmShape& shape, int ranks) {
  std::array<int, 3> grid = {1, 1, 1};
  std::array<double, 3> sides = {static_cast<double>(shape.m), static_cast<double>(shape.n),
                                 static_cast<double>(shape.k)};
  for (int p = ranks; p >= 2; p /= 2) {
    const auto longest =
        static_cast<std::size_t>(std::max_element(sides.begin(), sides.end()) - sides.begin());
    grid[longest] *= 2;
    sides[longest] /= 2;
  }
  return grid;
}

int ranks_used(const Decomposition& d) {
  return d.kind == Decomposition::Kind::grid ? d.grid[0] * d.grid[1] * d.grid[2] : d.ranks;
}

// Of a grid: every element of a matrix goes to all ranks but one of a line of the grid.
double mean_words(const GemmShape& s, const std::array<int, 3>& grid, int ranks) {
  const auto size = [](std::int64_t a, std::int64_t b) {
    return static_cast<double>(a) * static_cast<double>(b);
  };
  return (size(s.m, s.k) * (grid[1] - 1) + size(s.k, s.n) * (grid[0] - 1) +
          size(s.m, s.n) * (grid[2] - 1)) /
         ranks;
}

}  // namespace

double lower_bound(const Decomposition& d, std::optional<Words> memory) {
  return std::min(gemm_lower_bound(d.shape, d.ranks, memory),
                  gemm_lower_bound(d.shape, ranks_used(d), memory));
}

Decomposition choose_gemm_by_cost(const GemmPlanRequest& request, bool native) {
  return chosen(request, candidates(request, native), native).decomposition;
}

GemmPlanReport plan_gemm(const GemmPlanRequest& request) {
  const Candidates all = candidates(request);
  Candidate best = chosen(request, all, true);
  if (request.objective == Objective::seconds && is_countable(request)) {
    best.decomposition = choose_gemm(request);
    best.cost = counted_cost(best.decomposition, request);
  }
  if (!is_countable(request))
    best.cost.mean_words = mean_words(request.shape, best.decomposition.grid, request.ranks);
  GemmPlanReport report;
  report.decomposition = best.decomposition;
  report.cost = best.cost;
  report.lower_bound = lower_bound(best.decomposition, request.memory);
  report.ratio = ratio_of(best.cost.words, report.lower_bound);
  const auto add = [&](const std::string& name, const Candidate& c) {
    report.alternatives.push_back({name, c.decomposition.name(), ranks_used(c.decomposition),
                                   c.cost, ratio_of(c.cost.words, report.lower_bound)});
  };
  const auto add_grid = [&](const std::string& name, const std::array<int, 3>& parts) {
    const Decomposition d = grid_decomposition(request.shape, request.ranks, parts, {});
    add(name, {d, counted_cost(d, request)});
  };
  if (all.grid) add("best grid", *all.grid);
  if (all.bisection) add("best bisection", *all.bisection);
  if (all.stationary) add("A and B stationary", *all.stationary);
  add_grid("2D grid", two_dimensional(request.shape, request.ranks));
  add_grid("2.5D grid", two_and_a_half_dimensional(request.shape, request.ranks));
  add_grid("recursive halving", recursive_halving(request.shape, request.ranks));
  return report;
}

}  // namespace redblue
