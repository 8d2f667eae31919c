// SPDX-License-Identifier: BSD-3-Clause
// Choosing how ranks share a summation: grids and bisections compete.
#include <algorithm>
#include <optional>
#include <utility>

#include "decomposition/cost.hpp"
#include "decomposition/einsum/bisection.hpp"
#include "decomposition/einsum/grid.hpp"
#include "decomposition/einsum/whole_values.hpp"
#include "redblue/einsum_model.hpp"
#include "redblue/error.hpp"

namespace redblue {

namespace {

using Kind = EinsumDecomposition::Kind;

constexpr double evenness = 1.03;  // most work of a rank / an even share
constexpr int most_ranks = 1'000'000;
constexpr std::int64_t most_rounds = 64;  // of a bisection: each adds cells

struct Candidate {
  EinsumDecomposition decomposition;
  Cost cost;
};

struct Candidates {
  std::optional<Candidate> grid, bisection;
  double most_work = 0;
};

void check(const EinsumPlanRequest& request) {
  if (request.ranks < 1 || request.ranks > most_ranks) {
    throw Error("einsum on " + std::to_string(request.ranks) + " ranks",
                request.ranks < 1 ? "nobody to compute" : "too many to compare plans for",
                "use 1 to " + std::to_string(most_ranks));
  }
  if (!request.shape.statements.empty() || !request.layouts.empty()) {
    throw Error("a decomposition of einsum '" + request.shape.text + "'",
                "several summations, or tensors in layouts", "use plan_einsum_chain");
  }
}

// With as few rounds as the memory asks for, along the index that takes fewest; nothing where it
// never fits.
std::optional<Candidate> fitted(EinsumDecomposition d, const EinsumPlanRequest& request) {
  Cost cost = cost_of(request.shape, d, request.machine);
  if (!request.memory || cost.memory <= *request.memory) return Candidate{std::move(d), cost};
  std::optional<Candidate> best;
  for (std::size_t t = 0; t < request.shape.indices.size(); ++t) {
    if (request.shape.result().has(static_cast<int>(t))) continue;
    std::int64_t longest = 1;
    for (const EinsumBox& box : d.boxes) {
      if (box.works) longest = std::max(longest, box.ranges[t].size());
    }
    d.round_index = static_cast<int>(t);
    for (d.rounds = 2; d.rounds <= std::min(longest, most_rounds); d.rounds *= 2) {
      cost = cost_of(request.shape, d, request.machine);
      if (cost.memory > *request.memory) continue;
      if (!best || better(cost, best->cost, request.objective)) best = Candidate{d, cost};
      break;
    }
  }
  return best;
}

Candidate grid_candidate(const EinsumPlanRequest& request, const std::vector<int>& grid,
                         const einsum::Rounds& rounds = {}) {
  Candidate c;
  c.decomposition = einsum::grid_decomposition(request.shape, request.ranks, grid, rounds);
  c.cost = cost_of(request.shape, c.decomposition, request.machine);
  return c;
}

// What the busiest rank may form: `enough`, or where no grid keeps to that, about as little as
// grids and bisections allow. With a memory limit grids alone: they can be cut into rounds.
double least_most_work(const EinsumPlanRequest& request, double enough) {
  const double of_grids = einsum::least_grid_work(request.shape, request.ranks, enough);
  if (of_grids <= enough || request.memory) return std::max(enough, of_grids);
  constexpr double step = 1.05;
  for (double work = enough; work * step < of_grids; work *= step) {
    if (einsum::is_bisected(request.shape, request.ranks, work)) return work;
  }
  return of_grids;
}

Candidates candidates(const EinsumPlanRequest& request) {
  Candidates result;
  const double all = request.shape.products();
  const double enough = evenness * all / request.ranks;
  result.most_work = least_most_work(request, enough);
  if (const auto grid = einsum::best_grid(request, result.most_work))
    result.grid = grid_candidate(request, grid->grid, grid->rounds);
  const auto offer = [&](const EinsumDecomposition& d) {
    auto c = fitted(d, request);
    if (c && (!result.bisection || better(c->cost, result.bisection->cost, request.objective)))
      result.bisection = std::move(c);
  };
  for (const EinsumDecomposition& d : einsum::bisections(request, result.most_work)) offer(d);
  if (request.memory) return result;
  for (const std::size_t t : einsum::indices_with_whole_values(request)) {
    const double words = einsum::words_of_whole_values(request, t);
    const auto dearer = [words](const std::optional<Candidate>& c) {
      return c && static_cast<double>(c->cost.words.value) < words;
    };
    if (dearer(result.grid) || dearer(result.bisection)) continue;
    for (const EinsumDecomposition& d : einsum::whole_values(request, t, result.most_work))
      offer(d);
  }
  return result;
}

Candidate chosen(const Candidates& all, const EinsumPlanRequest& request) {
  if (!all.grid && !all.bisection) {
    const Words least = einsum::least_memory(request, all.most_work);
    throw Error("einsum within " + std::to_string(request.memory.value_or(Words()).value) +
                    " words per rank",
                "too small for any schedule on " + std::to_string(request.ranks) + " ranks",
                std::to_string(least.value) + " words would do", least.value);
  }
  if (!all.bisection) return *all.grid;
  if (!all.grid) return *all.bisection;
  return better(all.bisection->cost, all.grid->cost, request.objective) ? *all.bisection
                                                                        : *all.grid;
}

int ranks_used(const EinsumDecomposition& d) {
  return static_cast<int>(std::count_if(d.boxes.begin(), d.boxes.end(),
                                        [](const EinsumBox& box) { return box.works; }));
}

// All ranks along the index whose cut moves least.
std::vector<int> one_index_cut(const EinsumShape& shape, int ranks) {
  std::vector<int> best(shape.indices.size(), 1);
  std::optional<Words> least;
  for (std::size_t t = 0; t < best.size(); ++t) {
    std::vector<int> grid(best.size(), 1);
    grid[t] = static_cast<int>(std::clamp<std::int64_t>(shape.indices[t].extent, 1, ranks));
    const Cost cost = einsum::grid_cost(shape, grid, {}, {});
    if (least && grid[t] < ranks) continue;
    if (!least || cost.words < *least) {
      least = cost.words;
      best = grid;
    }
  }
  return best;
}

}  // namespace

std::string EinsumDecomposition::name(const EinsumShape& shape) const {
  if (!rest.empty()) {
    const auto batch = static_cast<std::size_t>(round_index);
    const std::int64_t each = boxes.front().works ? boxes.front().ranges[batch].size() : 0;
    return std::to_string(each) + " of " + shape.indices[batch].letters + " each, the rest shared";
  }
  if (kind == Kind::bisection) return "bisection of " + std::to_string(boxes.size()) + " ranks";
  std::string text = "grid";
  for (std::size_t t = 0; t < grid.size(); ++t) {
    text += (t == 0 ? " " : " x ") + shape.indices[t].letters + " " + std::to_string(grid[t]);
  }
  return grid.empty() ? "one rank" : text;
}

EinsumBox EinsumDecomposition::box(std::size_t rank, std::int64_t round) const {
  if (!rest.empty())
    return round == 0 ? boxes[rank] : rest[static_cast<std::size_t>(round - 1)][rank];
  EinsumBox result = boxes[rank];
  if (round_index < 0 || !result.works) return result;
  Range& range = result.ranges[static_cast<std::size_t>(round_index)];
  range = round_of(range, round, rounds);
  return result;
}

double EinsumDecomposition::busiest_products() const {
  double most = 0;
  for (std::size_t r = 0; r < boxes.size(); ++r) {
    double all = boxes[r].products();
    for (const std::vector<EinsumBox>& more : rest) all += more[r].products();
    most = std::max(most, all);
  }
  return most;
}

EinsumDecomposition choose_einsum(const EinsumPlanRequest& request) {
  check(request);
  return chosen(candidates(request), request).decomposition;
}

EinsumPlanReport plan_einsum(const EinsumPlanRequest& request) {
  check(request);
  const Candidates all = candidates(request);
  Candidate best = chosen(all, request);
  EinsumPlanReport report;
  report.lower_bound = einsum_lower_bound(request.shape, request.ranks,
                                          best.decomposition.busiest_products(), request.memory);
  report.ratio = ratio_of(best.cost.words, report.lower_bound);
  const auto add = [&](const std::string& name, const Candidate& c) {
    report.alternatives.push_back({name, c.decomposition.name(request.shape),
                                   ranks_used(c.decomposition), c.cost,
                                   ratio_of(c.cost.words, report.lower_bound)});
  };
  if (all.grid) add("best grid", *all.grid);
  if (all.bisection) add("best bisection", *all.bisection);
  add("one index cut", grid_candidate(request, one_index_cut(request.shape, request.ranks)));
  add("recursive halving",
      grid_candidate(request, einsum::recursive_halving(request.shape, request.ranks)));
  report.decomposition = std::move(best.decomposition);
  report.cost = best.cost;
  return report;
}

}  // namespace redblue
