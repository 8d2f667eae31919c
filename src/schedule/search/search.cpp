// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/search/search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cdag/program_graph.hpp"
#include "program/instances.hpp"
#include "schedule/order.hpp"
#include "schedule/ordering.hpp"
#include "schedule/search/code.hpp"
#include "schedule/traffic/streamed.hpp"

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

// Ways to tile `loops` loops for a fast memory of s words: some loops get equal tiles that fill
// `share` of it together, one inside them passes by in steps of 1, the others step by 1 around
// them.
std::vector<Tiles> tilings(int loops, std::int64_t s, double share) {
  std::vector<Tiles> result;
  for (int stream = loops - 1; stream >= 0; --stream) {
    for (unsigned chosen = 1; chosen < (1U << static_cast<unsigned>(loops)); ++chosen) {
      const auto has = [chosen](int d) { return ((chosen >> static_cast<unsigned>(d)) & 1U) != 0; };
      if (has(stream)) continue;
      int tiled = 0;
      for (int d = 0; d < loops; ++d) tiled += has(d) ? 1 : 0;
      const auto size =
          static_cast<std::int64_t>(std::pow(share * static_cast<double>(s), 1.0 / tiled));
      Tiles t;
      for (const bool wanted : {false, true}) {
        for (int d = 0; d < loops; ++d) {
          if (d == stream || has(d) != wanted) continue;
          t.order.push_back(d);
          t.sizes.push_back(wanted ? std::max<std::int64_t>(size, 1) : 1);
        }
      }
      t.order.push_back(stream);
      t.sizes.push_back(1);
      result.push_back(t);
    }
  }
  // Several tiled loops first: they reuse more.
  std::stable_sort(result.begin(), result.end(), [](const Tiles& a, const Tiles& b) {
    const auto steps = [](const Tiles& t) { return std::count(t.sizes.begin(), t.sizes.end(), 1); };
    return steps(a) < steps(b);
  });
  return result;
}

// The cost of schedules of one program at given sizes.
class Judge {
 public:
  Judge(const Program& program, const Sizes& sizes, std::int64_t s, cdag::Replacement replacement,
        const Replayed& replayed)
      : program_(program),
        sizes_(sizes),
        s_(s),
        replacement_(replacement),
        replayed_(replayed),
        graph_(cdag::program_graph(program, sizes)) {}

  std::int64_t cost(const Plan& plan) const {
    spent_ += graph_.size();
    const cdag::Order order = order_of(graph_, program_, plan, sizes_);
    const std::int64_t moved = cdag::replay(graph_, order, s_, replacement_).moved();
    replayed_(graph_.size());
    return moved;
  }

  // Vertices replayed so far: the measure of effort, the same on every machine.
  double spent() const { return spent_; }

 private:
  const Program& program_;
  Sizes sizes_;
  std::int64_t s_;
  cdag::Replacement replacement_;
  const Replayed& replayed_;
  cdag::Graph graph_;
  mutable double spent_ = 0;
};

// A plan that gets cheaper, until the judge has spent so much.
class Tuning {
 public:
  Tuning(const Judge& judge, Plan plan)
      : judge_(&judge), plan_(std::move(plan)), cost_(judge.cost(plan_)) {}

  std::int64_t cost() const { return cost_; }
  const Plan& plan() const { return plan_; }

  // Every way to tile the bands: all in one way, then one band after the other, those with most
  // loops first.
  void choose_tilings(std::int64_t s, double share, double end) {
    const auto loops = [this](std::size_t b) { return plan_.nest.bands[b].loops.size(); };
    if (plan_.nest.bands.size() > 1) choose_for_all(s, share, end);
    std::vector<std::size_t> bands(plan_.nest.bands.size());
    std::iota(bands.begin(), bands.end(), std::size_t{0});
    std::stable_sort(bands.begin(), bands.end(),
                     [&](std::size_t a, std::size_t b) { return loops(a) > loops(b); });
    for (const std::size_t b : bands) {
      for (const Tiles& next :
           tilings(static_cast<int>(plan_.nest.bands[b].loops.size()), s, share)) {
        if (judge_->spent() > end) return;
        improves(b, next);
      }
    }
  }

  // Other tile sizes while that helps: one, all, or one against another.
  void choose_sizes(double end) {
    for (bool better = true; better;) {
      better = false;
      for (std::size_t b = 0; b < plan_.tiles.size(); ++b) {
        for (const double factor : {1.12, 0.9, 1.04, 1.4, 0.7}) {
          for (const std::vector<double>& factors : changes(plan_.tiles[b].sizes, factor)) {
            while (judge_->spent() < end && resized(b, factors)) better = true;
          }
        }
      }
    }
  }

 private:
  // Bands of few loops keep the last way that they have.
  void choose_for_all(std::int64_t s, double share, double end) {
    std::vector<std::vector<Tiles>> ways;
    std::size_t most = 0;
    for (const Band& band : plan_.nest.bands) {
      ways.push_back(tilings(static_cast<int>(band.loops.size()), s, share));
      most = std::max(most, ways.back().size());
    }
    for (std::size_t way = 0; way < most && judge_->spent() < end; ++way) {
      Plan next = plan_;
      for (std::size_t b = 0; b < ways.size(); ++b) {
        if (!ways[b].empty()) next.tiles[b] = ways[b][std::min(way, ways[b].size() - 1)];
      }
      const std::int64_t moved = judge_->cost(next);
      if (moved >= cost_) continue;
      cost_ = moved;
      plan_ = std::move(next);
    }
  }

  static std::vector<std::vector<double>> changes(const std::vector<std::int64_t>& sizes,
                                                  double factor) {
    std::vector<std::vector<double>> result = {std::vector<double>(sizes.size(), factor)};
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] == 1) continue;
      for (std::size_t against = 0; against < sizes.size(); ++against) {
        std::vector<double> one(sizes.size(), 1);
        one[d] = factor;
        if (against != d) one[against] = 1 / factor;
        if (against == d || sizes[against] > 1) result.push_back(one);
      }
    }
    return result;
  }

  bool resized(std::size_t band, const std::vector<double>& factors) {
    Tiles next = plan_.tiles[band];
    for (std::size_t d = 0; d < next.sizes.size(); ++d) {
      if (next.sizes[d] == 1) continue;
      next.sizes[d] =
          std::max<std::int64_t>(1, std::lround(static_cast<double>(next.sizes[d]) * factors[d]));
    }
    return next.sizes != plan_.tiles[band].sizes && improves(band, next);
  }

  bool improves(std::size_t band, const Tiles& next) {
    const Tiles before = plan_.tiles[band];
    plan_.tiles[band] = next;
    const std::int64_t moved = judge_->cost(plan_);
    if (moved < cost_) {
      cost_ = moved;
      return true;
    }
    plan_.tiles[band] = before;
    return false;
  }

  const Judge* judge_;
  Plan plan_;
  std::int64_t cost_;
};

double tiled_loops(const Tiles& t) {
  return static_cast<double>(
      std::count_if(t.sizes.begin(), t.sizes.end(), [](auto size) { return size > 1; }));
}

// Tile sizes for a fast memory `ratio` times as large.
Plan stretched(Plan plan, double ratio) {
  for (Tiles& t : plan.tiles) {
    const double tiled = tiled_loops(t);
    for (std::int64_t& size : t.sizes) {
      if (size <= 1) continue;
      size = std::max<std::int64_t>(
          1, std::lround(static_cast<double>(size) * std::pow(ratio, 1.0 / tiled)));
    }
  }
  return plan;
}

bool cheaper(const Tuning& a, const Tuning& b) {
  return a.cost() < b.cost();
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
  // On a cache of few words what passes by takes a larger part.
  const double share = replacement == cdag::Replacement::lru ? 0.5 : 0.8;
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

// The plan with every band's tiles of equal sides, `share` of the fast memory together.
Plan squared(Plan plan, std::int64_t s, double share) {
  for (Tiles& t : plan.tiles) {
    const double tiled = tiled_loops(t);
    if (tiled < 2) continue;
    const auto side =
        static_cast<std::int64_t>(std::pow(share * static_cast<double>(s), 1.0 / tiled));
    for (std::int64_t& size : t.sizes) size = size > 1 ? std::max<std::int64_t>(side, 1) : 1;
  }
  return plan;
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

// The plan that moves least through a cache: of those promising on a small graph, with tiles that
// fill half of the memory, the two best with tiles that fill more and less. Rated where problem and
// memory are scaled down together, so that as many tiles fit into the problem.
Plan best_for_cache(const Program& program, const InstanceCount& instances, const Sizes& sizes,
                    std::int64_t s, double effort, const Replayed& replayed) {
  constexpr std::int64_t rated_instances = 2'000'000;
  constexpr std::int64_t least_words = 1024;
  constexpr std::size_t most = 6;
  const auto [small, factor] = scaled_down(instances, sizes, rated_instances);
  const auto scaled = static_cast<std::int64_t>(static_cast<double>(s) * factor * factor);
  const std::int64_t small_s = std::clamp(scaled, std::min(s, least_words), s);
  using Rated = std::pair<std::int64_t, Plan>;
  // The words that the plan with tiles of `share` moves, and the plan at full size.
  const auto rated = [&](const Plan& plan, double share) {
    const LoopProgram loops = sized_order(program, squared(plan, small_s, share)).at(small);
    return Rated(streamed_lru(loops, {small_s}).front().moved(), squared(plan, s, share));
  };
  const auto less = [](const Rated& a, const Rated& b) { return a.first < b.first; };
  constexpr double half = 0.5;
  std::vector<Rated> found = {rated(own_order(program), half)};
  for (const Plan& plan :
       promising(program, instances, sizes, s, cdag::Replacement::lru, effort, most, replayed)) {
    found.push_back(rated(plan, half));
  }
  std::stable_sort(found.begin(), found.end(), less);
  const std::vector<Rated> best(found.begin(),
                                found.begin() + std::min<std::ptrdiff_t>(2, std::ssize(found)));
  for (const Rated& plan : best) {
    for (const double share : {0.9, 0.8, 0.65, 0.35, 0.2})
      found.push_back(rated(plan.second, share));
  }
  return std::min_element(found.begin(), found.end(), less)->second;
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
  // Triangle blocks are judged on the whole graph only.
  if (instances.at(sizes, cdag::most_instances) > cdag::most_instances) {
    return best_for_cache(program, instances, sizes, s, effort, replayed);
  }
  Plan best = best_tiles(program, instances, sizes, s, replacement, effort, replayed);
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
    const std::int64_t moved = judge.cost(next);
    if (moved >= least) continue;
    least = moved;
    best = next;
  }
  return best;
}

}  // namespace redblue::schedule
