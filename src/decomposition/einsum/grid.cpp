// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/einsum/grid.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "decomposition/cost.hpp"
#include "decomposition/einsum/cells.hpp"
#include "decomposition/einsum/footprint.hpp"
#include "decomposition/ownership.hpp"

namespace redblue::einsum {

namespace {

constexpr std::int64_t most_grids =
    1000000;  // looked at, so that planning takes less than a second

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

// The largest block of a grid.
std::vector<std::int64_t> block_of(const EinsumShape& shape, const std::vector<int>& grid) {
  std::vector<std::int64_t> block;
  for (std::size_t t = 0; t < grid.size(); ++t)
    block.push_back(ceil_div(shape.indices[t].extent, grid[t]));
  return block;
}

// Goes through grids, index by index, those near the best box first.
class Grids {
 public:
  Grids(const EinsumShape& shape, int ranks, double most_work)
      : shape_(shape), most_work_(most_work), grid_(shape.indices.size(), 1) {
    const Projections p = projections(shape);
    const double all = shape.products();
    if (all > 0) ideal_ = best_box(p, std::max(1.0, all / ranks));
    rest_.assign(grid_.size() + 1, 1.0);
    for (std::size_t t = grid_.size(); t-- > 0;)
      rest_[t] = rest_[t + 1] * static_cast<double>(shape.indices[t].extent);
  }

  // Calls f(grid, work of its largest block), which returns the most work that is still of
  // interest.
  void for_each(int ranks, const std::function<double(const std::vector<int>&, double)>& f) {
    if (rest_[0] > 0) {
      visit(0, ranks, 1, f);
    } else {
      f(grid_, 0);  // nothing to share: one rank
    }
  }

 private:
  void visit(std::size_t t, int ranks, double work,
             const std::function<double(const std::vector<int>&, double)>& f) {
    if (seen_ > most_grids) return;
    if (t == grid_.size()) {
      ++seen_;
      most_work_ = f(grid_, work);
      return;
    }
    const std::int64_t extent = shape_.indices[t].extent;
    const int most = static_cast<int>(std::clamp<std::int64_t>(extent, 1, ranks));
    const bool last = t + 1 == grid_.size();
    const double wanted = last ? most : static_cast<double>(extent) / ideal_[t];
    const int middle = static_cast<int>(std::clamp(std::round(wanted), 1.0, double(most)));
    bool fewer = true;  // whether fewer parts still can do
    for (int away = 0; middle + away <= most || (fewer && middle - away >= 1); ++away) {
      for (const int parts : {middle - away, middle + away}) {
        if (parts < 1 || parts > most || (parts < middle && !fewer)) continue;
        const auto block = static_cast<double>(ceil_div(extent, parts));
        // what is left of the ranks can at best divide the rest evenly
        const double least = work * block * std::max(1.0, rest_[t + 1] / (ranks / parts));
        if (least <= most_work_ * (1 + 1e-12)) {
          grid_[t] = parts;
          visit(t + 1, ranks / parts, work * block, f);
        } else if (parts <= middle) {
          fewer = fewer && rest_[t + 1] / (ranks / parts) > 1;
        }
        if (away == 0) break;
      }
    }
    grid_[t] = 1;
  }

  const EinsumShape& shape_;
  double most_work_;
  std::vector<int> grid_;
  Sides ideal_;
  std::vector<double> rest_;  // products of the extents from t on
  std::int64_t seen_ = 0;
};

// Calls f(rounds) for all that are worth a try until it returns true; whether it did.
template <class F>
bool try_rounds(const EinsumShape& shape, const std::vector<int>& grid, F f) {
  if (f(Rounds{})) return true;
  const std::vector<std::int64_t> block = block_of(shape, grid);
  // summed indices first: contributions to the result are then added up once
  for (const bool summed : {true, false}) {
    for (std::size_t t = 0; t < block.size(); ++t) {
      const int index = static_cast<int>(t);
      if (shape.result().has(index) == summed) continue;
      for (std::int64_t count = 2; count / 2 < block[t]; count *= 2) {
        if (f(Rounds{index, std::min(count, block[t])})) return true;
      }
    }
  }
  return false;
}

}  // namespace

Cost grid_cost(const EinsumShape& shape, const std::vector<int>& grid, const Rounds& rounds,
               const Machine& machine) {
  const std::vector<std::int64_t> block = block_of(shape, grid);
  Cost cost;
  std::int64_t words = 0, messages = 0, owned = 0, slabs = 0, resident = 0;
  std::int64_t footprint = 0;
  for (std::size_t a = 0; a < shape.tensors.size(); ++a) {
    const EinsumTensor& tensor = shape.tensors[a];
    std::int64_t size = 1, slab = 1, needers = 1;
    for (std::size_t t = 0; t < grid.size(); ++t) {
      const int index = static_cast<int>(t);
      if (!tensor.has(index)) {
        needers *= grid[t];
        continue;
      }
      size *= block[t];
      slab *= index == rounds.index ? ceil_div(block[t], rounds.count) : block[t];
    }
    const bool in_rounds = rounds.index >= 0 && tensor.has(rounds.index);
    const std::int64_t times = in_rounds ? rounds.count : 1;
    const bool is_result = a + 1 == shape.tensors.size();
    // whoever owns an element of the result receives it from all others
    words += is_result ? ceil_div(size, needers) * (needers - 1) : size - size / needers;
    footprint += slab;
    messages += (needers - 1) * times;
    owned += needers == 1 ? size : size / needers + times;
    if (needers == 1) continue;
    std::int64_t& held = in_rounds ? slabs : resident;
    held += slab;
    if (is_result) held += std::min<std::int64_t>(2, needers - 1) * (slab / needers + 1);
  }
  owned += local_workspace(shape.operands(), footprint);
  cost.words = Words(words);
  cost.messages = Messages(messages);
  cost.memory = Words(owned + resident + slabs);
  cost.resident = Words(owned + resident);
  cost.work = 1;
  for (const std::int64_t b : block) cost.work *= static_cast<double>(b);
  cost.seconds = predicted_seconds(cost, machine);
  return cost;
}

double least_grid_work(const EinsumShape& shape, int ranks, double enough) {
  double least = shape.products();
  Grids(shape, ranks, least).for_each(ranks, [&](const std::vector<int>&, double work) {
    least = std::min(least, work);
    // only what is better is of interest, nothing once it is even enough
    return least <= enough ? 0 : least * (1 - 1e-9);
  });
  return least;
}

std::optional<GridChoice> best_grid(const EinsumPlanRequest& request, double most_work) {
  std::optional<GridChoice> best;
  const auto offer = [&](const std::vector<int>& grid, double) {
    const Cost cost = grid_cost(request.shape, grid, {}, request.machine);
    if (best && !better(cost, best->cost, request.objective)) return most_work;
    if (!request.memory || cost.memory <= *request.memory) {
      best = GridChoice{grid, {}, cost};
      return most_work;
    }
    try_rounds(request.shape, grid, [&](const Rounds& rounds) {
      const Cost in_rounds = grid_cost(request.shape, grid, rounds, request.machine);
      if (in_rounds.memory > *request.memory) return false;
      if (!best || better(in_rounds, best->cost, request.objective))
        best = GridChoice{grid, rounds, in_rounds};
      return true;
    });
    return most_work;
  };
  Grids(request.shape, request.ranks, most_work).for_each(request.ranks, offer);
  return best;
}

std::vector<std::vector<int>> good_grids(const EinsumPlanRequest& request, double most_work,
                                         std::size_t count) {
  std::vector<std::pair<Cost, std::vector<int>>> best;
  Grids(request.shape, request.ranks, most_work)
      .for_each(request.ranks, [&](const std::vector<int>& grid, double) {
        const Cost cost = grid_cost(request.shape, grid, {}, request.machine);
        const auto place = std::find_if(best.begin(), best.end(), [&](const auto& other) {
          return better(cost, other.first, request.objective);
        });
        best.insert(place, {cost, grid});
        if (best.size() > count) best.pop_back();
        return most_work;
      });
  std::vector<std::vector<int>> result;
  for (auto& [cost, grid] : best) result.push_back(std::move(grid));
  return result;
}

Words least_memory(const EinsumPlanRequest& request, double most_work) {
  Words least(std::numeric_limits<std::int64_t>::max());
  Grids(request.shape, request.ranks, most_work)
      .for_each(request.ranks, [&](const std::vector<int>& grid, double) {
        try_rounds(request.shape, grid, [&](const Rounds& rounds) {
          least = std::min(least, grid_cost(request.shape, grid, rounds, {}).memory);
          return false;
        });
        return most_work;
      });
  return least;
}

std::vector<int> recursive_halving(const EinsumShape& shape, int ranks) {
  std::vector<int> grid(shape.indices.size(), 1);
  Sides sides = projections(shape).extents;
  for (int p = ranks; p >= 2 && !sides.empty(); p /= 2) {
    const auto longest =
        static_cast<std::size_t>(std::max_element(sides.begin(), sides.end()) - sides.begin());
    if (sides[longest] < 2) break;
    grid[longest] *= 2;
    sides[longest] /= 2;
  }
  return grid;
}

EinsumDecomposition grid_decomposition(const EinsumShape& shape, int ranks,
                                       const std::vector<int>& grid, const Rounds& rounds,
                                       std::vector<std::size_t> order) {
  if (order.empty()) {
    order.resize(grid.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
  }
  EinsumDecomposition d;
  d.grid = grid;
  d.round_index = rounds.index;
  d.rounds = rounds.count;
  d.boxes.resize(at(ranks));
  std::vector<int> position(grid.size(), 0);
  for (EinsumBox& box : d.boxes) {
    box.works = true;
    for (std::size_t t = 0; t < grid.size(); ++t) {
      const std::int64_t extent = shape.indices[t].extent;
      box.ranges.push_back({fraction_of(extent, position[t], grid[t]),
                            fraction_of(extent, position[t] + 1, grid[t])});
    }
    auto next = order.begin();
    while (next != order.end() && ++position[*next] == grid[*next]) position[*next++] = 0;
    if (next == order.end()) break;  // the other ranks are idle
  }
  return d;
}

}  // namespace redblue::einsum
