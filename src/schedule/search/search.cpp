// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/search/search.hpp"

#include <isl/set.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cdag/program_graph.hpp"
#include "program/checked.hpp"
#include "program/instances.hpp"
#include "schedule/inside/shifted.hpp"
#include "schedule/order.hpp"
#include "schedule/prediction/extrapolated.hpp"
#include "schedule/prediction/prediction.hpp"
#include "schedule/search/code.hpp"
#include "schedule/search/for_cache.hpp"
#include "schedule/search/in_parts.hpp"
#include "schedule/search/ordering.hpp"
#include "schedule/search/tuning.hpp"
#include "schedule/stencil/cone_tiles.hpp"

namespace redblue::schedule {

using program::InstanceCount;
using program::Program;
using program::Sizes;

namespace {

constexpr std::int64_t search_vertices = 150'000;
constexpr std::int64_t judged_vertices = 4'000'000;
constexpr std::int64_t compared_vertices = 16'000'000;

// Smaller sizes with at most `most` vertices, and how much smaller.
std::pair<Sizes, double> scaled_down(const InstanceCount& instances, const Sizes& sizes,
                                     std::int64_t most) {
  constexpr int steps = 12;
  return program::scaled_down(instances, sizes, most, steps);
}

// The `most` best plans on a graph of at most `search_vertices`, tuned; the fast memory shrinks
// with it.
std::vector<Plan> promising(const Program& program, const InstanceCount& instances,
                            const Sizes& sizes, std::int64_t s, cdag::Replacement replacement,
                            double effort, std::size_t most, const Replayed& replayed) {
  const auto [small, factor] = scaled_down(instances, sizes, search_vertices);
  const auto fast = static_cast<std::int64_t>(static_cast<double>(s) * factor * factor);
  const std::int64_t small_s = std::min(s, std::max<std::int64_t>(fast, 64));
  const Judge judge(program, small, small_s, replacement, replayed);
  std::vector<Nest> known = nests(program);
  for (Nest& nest : nests_shifted(program, known)) known.push_back(std::move(nest));
  for (Nest& nest : cone_nests(program)) known.push_back(std::move(nest));
  std::vector<Tuning> all = untiled(judge, known);
  constexpr double share = 0.8;
  const double of_each = 0.7 * effort / static_cast<double>(all.size());
  in_parts({&judge}, all.size(), [&](std::size_t n, bool ahead) {
    // Where nests before leave some of the effort to it, a nest may take more than its part.
    constexpr double most_of_each = 2;
    all[n].choose_tilings(
        small_s, share,
        ahead ? judge.spent() + most_of_each * of_each : of_each * static_cast<double>(n + 1));
    return true;
  });
  std::stable_sort(all.begin(), all.end(), cheaper);
  if (all.size() > most) all.resize(most, all.front());
  std::vector<Plan> result;
  in_parts({&judge}, all.size(), [&](std::size_t n, bool) {
    all[n].choose_sizes(judge.spent() + 0.1 * effort);
    result.push_back(
        stretched(all[n].plan(), static_cast<double>(s) / static_cast<double>(small_s)));
    return true;
  });
  return result;
}

Plan best_tiles(const Program& program, const InstanceCount& instances, const Sizes& sizes,
                std::int64_t s, cdag::Replacement replacement, double effort,
                const Replayed& replayed) {
  const std::vector<Plan> plans =
      promising(program, instances, sizes, s, replacement, effort / 2, 3, replayed);
  const Judge judge(program, scaled_down(instances, sizes, judged_vertices).first, s, replacement,
                    replayed);
  Tuning best(judge, own_order(program));
  std::vector<Tuning> tuned = tunings(judge, plans);
  std::stable_sort(tuned.begin(), tuned.end(), cheaper);
  in_parts({&judge}, tuned.size(), [&](std::size_t n, bool ahead) {
    constexpr double first = 0.7, further = 0.15;  // of the effort
    const double end = first + further * static_cast<double>(n);
    tuned[n].choose_sizes(ahead && n > 0 ? judge.spent() + further * effort : end * effort / 2);
    if (cheaper(tuned[n], best)) best = tuned[n];
    return true;
  });
  const double all = instances.at(sizes, cdag::most_instances).to_double();
  if (all <= judged_vertices || all > compared_vertices) return best.plan();
  // Tuned sizes may suit the edges of the smaller problem only.
  const Judge full(program, sizes, s, replacement, replayed);
  const std::vector<Tuning> last =
      tunings(full, {best.plan(), squared(best.plan(), s, 0.93), squared(best.plan(), s, 0.85)});
  return std::min_element(last.begin(), last.end(), cheaper)->plan();
}

// `judged`: how often the effort suffices to replay a plan.
std::vector<Plan> triangle_plans(const Program& program, const Plan& best, const Sizes& sizes,
                                 std::int64_t s, double judged) {
  const std::optional<PairLoops> loops = pair_loops(program);
  if (!loops) return {};
  constexpr double most_compared = 3;
  const auto compared = static_cast<std::size_t>(std::clamp(judged - 1, 1.0, most_compared));
  std::vector<Plan> result;
  for (TriangleBlocks& blocks : triangle_blocks(program, *loops, sizes, s, compared))
    result.push_back({best.nest, best.tiles, std::move(blocks)});
  return result;
}

double tiled_loops(const Tiles& tiles) {
  return static_cast<double>(std::count_if(tiles.sizes.begin(), tiles.sizes.end(),
                                           [](std::int64_t side) { return side > 1; }));
}

// How many times as many instances tiles have as others.
double ratio(const Tiles& tiles, const Tiles& others) {
  double result = 1;
  for (std::size_t d = 0; d < tiles.sizes.size(); ++d)
    result *= static_cast<double>(tiles.sizes[d]) / static_cast<double>(others.sizes[d]);
  return result;
}

std::vector<Tiles> divided(std::vector<Tiles> tiles, double factor) {
  for (Tiles& t : tiles) {
    for (std::int64_t& side : t.sizes) {
      if (side > 1)
        side = std::max<std::int64_t>(1, std::llround(static_cast<double>(side) / factor));
    }
  }
  return tiles;
}

// What runs first in its tile makes for times of many pieces, of which isl makes loops slowly.
InOrder in_order(const Nest& nest, const std::vector<Tiles>& tiles) {
  return {times(nest, tiles), nest.order ? tree(nest, tiles) : std::nullopt};
}

// With smaller tiles: as much smaller as those with most sides are once these are whole numbers.
std::optional<SizedOrder::Alike> alike(const Plan& plan, double factor) {
  constexpr std::int64_t least = 6;
  const auto largest = std::max_element(
      plan.tiles.begin(), plan.tiles.end(),
      [](const Tiles& a, const Tiles& b) { return tiled_loops(a) < tiled_loops(b); });
  if (largest == plan.tiles.end() || tiled_loops(*largest) < 2) return std::nullopt;
  const std::size_t at = static_cast<std::size_t>(largest - plan.tiles.begin());
  const double rounded = ratio(*largest, divided(plan.tiles, factor)[at]);
  const double sides = std::pow(rounded, 1 / tiled_loops(*largest));
  const std::vector<Tiles> smaller = divided(plan.tiles, sides);
  for (const std::int64_t side : smaller[at].sizes) {
    if (side > 1 && side < least) return std::nullopt;
  }
  return SizedOrder::Alike{in_order(plan.nest, smaller), sides};
}

// The steps of the outermost loop at these sizes.
std::int64_t steps(const Program& program, const Sizes& sizes) {
  std::int64_t last = -1;
  for (const program::Statement& s : program.statements) {
    const isl::set domain = program::at_sizes(s.domain, sizes);
    if (domain.is_empty()) continue;
    const auto value = program::whole_number(isl_set_dim_max_val(domain.copy(), 0));
    last = std::max(last, value.value_or(-1));
  }
  return last + 1;
}

}  // namespace

std::optional<Plan> late_plan(const Program& program, const Sizes& sizes, std::int64_t s) {
  const std::optional<WithCopies> copied = with_step_copies(program);
  const std::int64_t last = steps(program, sizes);
  constexpr std::int64_t least = 2;
  if (!copied || last < least) return std::nullopt;
  const int dimensions = program.arrays.at(copied->array).dimensions;
  // A tile, a row of every copy as they are now and were a step ago, and what a step passes by.
  const auto rows = static_cast<std::int64_t>(copied->copies.size()) + 2;
  const auto held = [&](std::int64_t side) {
    std::int64_t row = 1;
    for (int d = 1; d < dimensions; ++d) row = std::min(row * side, s);
    return row * (side + rows);
  };
  std::int64_t side = 1;
  while (side < last && held(side + 1) < s) ++side;
  // As many blocks of equal sides move as much.
  const std::int64_t blocks = (last + side - 1) / side;
  std::optional<LateTiles> tiles =
      late_tiles(*copied, std::max(least, (last + blocks - 1) / blocks));
  if (!tiles) return std::nullopt;
  return Plan{{nothing(), {}, {}, {}}, {}, {}, std::move(tiles)};
}

std::int64_t period(const Plan& plan) {
  if (plan.late) return plan.late->side;
  std::int64_t all = 1, largest = 1;
  for (const Tiles& tiles : plan.tiles) {
    for (const std::int64_t size : tiles.sizes) {
      if (size <= 1) continue;
      largest = std::max(largest, size);
      if (all < 4 * largest) all = std::lcm(all, size);
    }
  }
  return all <= 4 * largest ? all : largest;
}

Plan own_order(const Program& program) {
  return {{times(program), {}, {}, {}}, {}};
}

SizedOrder sized_order(const Program& program, const Plan& plan) {
  if (plan.late) {
    const auto smaller = [tiles = *plan.late](double factor) {
      constexpr std::int64_t least = 2;
      const std::int64_t side = std::llround(static_cast<double>(tiles.side) / factor);
      return std::optional<SizedOrder::Alike>(
          {{late_times(tiles.copied, std::max(least, side)).value_or(tiles.times)}, factor});
    };
    return {plan.late->copied.program, {plan.late->times}, smaller};
  }
  const InOrder order = in_order(plan.nest, plan.tiles);
  SizedOrder result{privatised(program, needed(program, order.times, plan.nest.families)), order};
  // isl takes long for an order in cone tiles.
  if (!plan.nest.points)
    result.smaller = result.alike = [plan](double factor) { return alike(plan, factor); };
  return result;
}

std::optional<PredictedTraffic> prediction(const Program& program, const Plan& plan,
                                           const Sizes& sizes, std::int64_t s) {
  if (plan.predicted || plan.asked == Plan::Asked::in_all_ways || plan.triangles)
    return plan.predicted;
  const SizedOrder order = sized_order(program, plan);
  return plan.asked == Plan::Asked::by_parts ? predicted_lru(order, period(plan), sizes, s)
                                             : prediction(order, period(plan), sizes, s);
}

cdag::Order order_of(const cdag::Graph& graph, const Program& program, const Plan& plan,
                     const Sizes& sizes) {
  if (plan.late)
    return order_of(graph, program, without_copies(plan.late->copied, plan.late->times), sizes);
  if (!plan.triangles) return order_of(graph, program, times(plan.nest, plan.tiles), sizes);
  const TriangleTimes blocks = times(program, *plan.triangles, sizes);
  return order_of(graph, program, blocks.times, sizes, blocks.order);
}

Plan best_plan(const Program& program, const Sizes& sizes, std::int64_t s,
               cdag::Replacement replacement, double effort, const Replayed& replayed) {
  const InstanceCount instances(program);
  const bool cache = replacement == cdag::Replacement::lru;
  Plan best = cache ? best_for_cache(program, sizes, s, effort, replayed)
                    : best_tiles(program, instances, sizes, s, replacement, effort, replayed);
  // Triangle blocks are judged on the whole graph only.
  if (instances.at(sizes, cdag::most_instances) > cdag::most_instances) return best;
  std::vector<Plan> others = triangle_plans(
      program, best, sizes, s, effort / instances.at(sizes, cdag::most_instances).to_double());
  if (!cache) {
    if (auto late = late_plan(program, sizes, s)) others.push_back(std::move(*late));
  }
  if (others.empty()) return best;
  const Judge judge(program, sizes, s, replacement, replayed);
  others.insert(others.begin(), std::move(best));
  const std::vector<Tuning> all = tunings(judge, others);
  return std::min_element(all.begin(), all.end(), cheaper)->plan();
}

}  // namespace redblue::schedule
