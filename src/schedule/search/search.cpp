// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/search/search.hpp"

#include <algorithm>
#include <cmath>

#include "cdag/program_graph.hpp"
#include "program/instances.hpp"
#include "schedule/order.hpp"
#include "schedule/ordering.hpp"
#include "schedule/search/code.hpp"
#include "schedule/search/for_cache.hpp"
#include "schedule/search/tuning.hpp"

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
  std::vector<Tuning> all;
  for (const Nest& nest : nests(program)) {
    all.emplace_back(judge, Plan{nest, std::vector<Tiles>(nest.bands.size())});
  }
  constexpr double share = 0.8;
  for (std::size_t n = 0; n < all.size(); ++n) {
    all[n].choose_tilings(
        small_s, share,
        0.7 * effort * static_cast<double>(n + 1) / static_cast<double>(all.size()));
  }
  std::stable_sort(all.begin(), all.end(), cheaper);
  if (all.size() > most) all.resize(most, all.front());
  std::vector<Plan> result;
  for (Tuning& tuning : all) {
    tuning.choose_sizes(judge.spent() + 0.1 * effort);
    result.push_back(
        stretched(tuning.plan(), static_cast<double>(s) / static_cast<double>(small_s)));
  }
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
  std::vector<Tuning> tuned;
  for (const Plan& plan : plans) tuned.emplace_back(judge, plan);
  std::stable_sort(tuned.begin(), tuned.end(), cheaper);
  double share = 0.7;  // of the effort, for the first of them
  for (Tuning& next : tuned) {
    next.choose_sizes(share * effort / 2);
    if (cheaper(next, best)) best = next;
    share += 0.15;
  }
  const double all = instances.at(sizes, cdag::most_instances).to_double();
  if (all <= judged_vertices || all > compared_vertices) return best.plan();
  // Tuned sizes may suit the edges of the smaller problem only.
  const Judge full(program, sizes, s, replacement, replayed);
  Tuning last(full, best.plan());
  for (const double filled : {0.93, 0.85}) {
    const Tuning next(full, squared(best.plan(), s, filled));
    if (cheaper(next, last)) last = next;
  }
  return last.plan();
}

}  // namespace

Plan own_order(const Program& program) {
  return {{times(program), {}, {}, {}}, {}};
}

SizedOrder sized_order(const Program& program, const Plan& plan) {
  const isl::union_map order = times(plan.nest, plan.tiles);
  return {privatised(program, needed(program, order, plan.nest.families)), order};
}

cdag::Order order_of(const cdag::Graph& graph, const Program& program, const Plan& plan,
                     const Sizes& sizes) {
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
  const std::optional<PairLoops> loops = pair_loops(program);
  if (!loops) return best;
  constexpr double most_compared = 3;
  const auto compared = static_cast<std::size_t>(std::clamp(
      effort / instances.at(sizes, cdag::most_instances).to_double() - 1, 1.0, most_compared));
  std::vector<TriangleBlocks> candidates = triangle_blocks(program, *loops, sizes, s, compared);
  if (candidates.empty()) return best;
  const Judge judge(program, sizes, s, replacement, replayed);
  std::int64_t least = judge.cost(best);
  for (TriangleBlocks& blocks : candidates) {
    const Plan next = {best.nest, best.tiles, std::move(blocks)};
    const std::int64_t moved = judge.cost(next, least);
    if (moved >= least) continue;
    least = moved;
    best = next;
  }
  return best;
}

}  // namespace redblue::schedule
