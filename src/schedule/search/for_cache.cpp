// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/search/for_cache.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include "program/instances.hpp"
#include "schedule/inside/nests_inside.hpp"
#include "schedule/inside/shifted.hpp"
#include "schedule/interchange.hpp"
#include "schedule/privatise.hpp"
#include "schedule/search/at_sizes.hpp"
#include "schedule/search/in_parts.hpp"
#include "schedule/search/modelled.hpp"
#include "schedule/search/tuning.hpp"
#include "schedule/stencil/cone_tiles.hpp"
#include "schedule/traffic/placement.hpp"

namespace redblue::schedule {

using program::InstanceCount;
using program::Program;
using program::Sizes;

namespace {

// With sizes the fast memory shrinks like a matrix; where there are but vectors, like these.
int usual_dimensions(const Program& program) {
  const auto vector = [](const auto& array) { return array.second.dimensions <= 1; };
  return std::ranges::all_of(program.arrays, vector) ? 1 : 2;
}

// Smaller sizes with some instances, and a fast memory scaled down with them, so that as many tiles
// fit into the problem.
struct Stage {
  Stage(const Program& program, const Sizes& sizes, std::int64_t full, std::int64_t most,
        std::int64_t least_words, const Replayed& replayed)
      : Stage(program, sizes, full, most, least_words, replayed, usual_dimensions(program)) {}
  Stage(const Program& program, const Sizes& sizes, std::int64_t full, std::int64_t most,
        std::int64_t least_words, const Replayed& replayed, int dimensions)
      : Stage(program, full, program::scaled_down(InstanceCount(program), sizes, most, 12),
              least_words, replayed, dimensions) {}
  Stage(const Program& program, std::int64_t full, const std::pair<Sizes, double>& scaled,
        std::int64_t least_words, const Replayed& replayed, int dimensions)
      : s(std::clamp(static_cast<std::int64_t>(static_cast<double>(full) *
                                               std::pow(scaled.second, dimensions)),
                     std::min(full, least_words), full)),
        at(scaled.first),
        judge(program, scaled.first, s, cdag::Replacement::lru, replayed, Judge::How::streamed) {}

  std::int64_t s;
  Sizes at;
  Judge judge;
};

// The nests, those inside the program's outermost loops, those with statements shifted, and those
// with parallel loops inside.
std::vector<Nest> to_tile(const Program& program, std::vector<Nest> nests) {
  std::vector<Nest> shifted = nests_shifted(program, nests);
  for (Nest& nest : nests_inside(program)) nests.push_back(std::move(nest));
  for (Nest& nest : shifted) nests.push_back(std::move(nest));
  const std::size_t all = nests.size();
  for (std::size_t n = 0; n < all; ++n) {
    if (auto changed = parallel_loops_inside(nests[n])) nests.push_back(std::move(*changed));
  }
  return nests;
}

// Of every nest the best of its tilings, cheapest first.
std::vector<Tuning> tilings_of_nests(const std::vector<Nest>& all, const Stage& stage,
                                     double effort) {
  std::vector<Tuning> result = untiled(stage.judge, all);
  // On a cache what passes by takes a part, too.
  constexpr double share = 0.5;
  const auto count = static_cast<double>(all.size());
  in_parts({&stage.judge}, result.size(), [&](std::size_t n, bool ahead) {
    // Where nests before leave some of the effort to it, a nest may take more than its part.
    constexpr double most = 2;
    const double spent = stage.judge.spent();
    const double left = std::max(0.0, effort - spent) / (count - static_cast<double>(n));
    result[n].choose_tilings(stage.s, share, spent + (ahead ? most * effort / count : left));
    return true;
  });
  std::stable_sort(result.begin(), result.end(), cheaper);
  return result;
}

// Whether the arrays, and storage that the order needs besides, can be had at these sizes.
bool has_room(const Program& program, const Plan& plan, const Sizes& sizes) {
  const auto moved = [](const Family& f) { return f.moved(); };
  const std::vector<Family>& families = plan.nest.families;
  // Which families the order moves takes isl long to tell: first as if it moved all.
  return std::none_of(families.begin(), families.end(), moved) ||
         elements(privatised(program, families), sizes) <= most_elements ||
         elements(sized_order(program, plan).program, sizes) <= most_elements;
}

// Of the cheapest plans, tuned for `from` words, the best for a fast memory of s: tiles grow with
// it in one of two ways. What was tuned where loops are short may have tiles as long as these;
// judged where they are longer, it meets tiles of equal sides, and those that a model chooses among
// all nests: small problems may have no room for them. The cheapest plan has its turn beyond the
// effort, too.
Plan grown(const Program& program, const Sizes& sizes, std::int64_t s,
           const std::vector<Tuning>& cheapest, const std::vector<Modelled>& models,
           std::int64_t from, double effort, const Replayed& replayed) {
  constexpr std::int64_t judged_instances = 4'000'000;
  constexpr std::size_t most = 3;
  const auto ratio = [from](std::int64_t to) {
    return static_cast<double>(to) / static_cast<double>(from);
  };
  // Matrices, not vectors, are larger than a larger memory there, too.
  const std::int64_t least_words = usual_dimensions(program) == 1 ? from : std::min(s, 4 * from);
  const Stage large(program, sizes, s, judged_instances, least_words, replayed);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  Plan best;
  using Offer = std::pair<Plan, Plan>;  // there, and at the sizes
  // What all of a round are held against does not depend on who is asked first.
  const auto compare = [&](const std::vector<Offer>& offers) {
    const std::int64_t before = least;
    for (const auto& [here, full] : offers) large.judge.prepare(here);
    in_parts({&large.judge}, offers.size(), [&](std::size_t n, bool) {
      const std::int64_t moved = large.judge.cost(offers[n].first, before);
      if (moved >= least) return true;
      least = moved;
      best = offers[n].second;
      return true;
    });
  };
  for (std::size_t n = 0; n < std::min(most, cheapest.size()); ++n) {
    if (n > 0 && large.judge.spent() > effort) break;
    const Plan& plan = cheapest[n].plan();
    std::vector<Offer> others;
    if (from != s)
      others.emplace_back(stretched(plan, ratio(large.s), 1), stretched(plan, ratio(s), 1));
    for (const double share : {0.9, 0.7, 0.5})
      others.emplace_back(squared(plan, large.s, share), squared(plan, s, share));
    compare({{stretched(plan, ratio(large.s)), stretched(plan, ratio(s))}});
    compare(others);
  }
  std::vector<Offer> promised;
  for (const auto& [full, there, moved] : models) {
    const std::optional<TileModel> here = TileModel::of(program, full.nest, large.at);
    if (!here) continue;
    promised.emplace_back(Plan{full.nest, here->best(large.s)}, full);
    // Of steps that hold many words the last that fits counts.
    constexpr double nearly_all = 0.85;
    if (here->has_loops_inside())
      promised.emplace_back(Plan{full.nest, here->best(large.s, nearly_all)},
                            Plan{full.nest, there.best(s, nearly_all)});
  }
  compare(promised);
  return best;
}

// Tiles of equal sides for all loops but the first, which passes by inside of them; a cell of them
// fills that share of s words.
Plan through_all_steps(const Nest& nest, std::int64_t s, double share) {
  const auto loops = static_cast<int>(nest.bands.front().loops.size());
  const double volume = share * static_cast<double>(s * nest.volume_per_instance);
  const std::int64_t side =
      std::max<std::int64_t>(1, std::llround(std::pow(volume, 1.0 / (loops - 1))));
  Tiles tiles;
  for (int loop = 1; loop < loops; ++loop) {
    tiles.order.push_back(loop);
    tiles.sizes.push_back(side);
  }
  tiles.order.push_back(0);
  tiles.sizes.push_back(1);
  return {nest, {tiles}};
}

// Of plans that run what is independent first the cheapest at the stage, in tiles for s words; none
// where `usual` is cheaper there.
std::vector<Plan> independent_first(const Program& program, const std::vector<Nest>& all,
                                    const Stage& stage, std::int64_t s, std::int64_t usual) {
  std::vector<Plan> result;
  std::int64_t least = usual;
  const std::vector<Nest> nests = independent_first(program, all);
  in_parts({&stage.judge}, nests.size(), [&](std::size_t n, bool) {
    const auto loops = static_cast<int>(nests[n].bands.front().loops.size());
    const auto plan = [&](const Tiles& tiles) { return Plan{nests[n], {tiles}}; };
    for (const Tiles& tiles : cubes(loops, stage.s)) {
      const std::int64_t moved = stage.judge.cost(plan(tiles), least);
      if (moved >= least) continue;
      least = moved;
      const std::vector<Tiles> full = cubes(loops, s);
      result.resize(full.size());
      std::transform(full.begin(), full.end(), result.begin(), plan);
    }
    return true;
  });
  return result;
}

// Of cone tiles that run through all steps the cheapest at a stage of their own, at which the cells
// fill as much of the arrays as at the sizes; then with other sides, at `last`, whose fast memory
// is larger: few words make for coarse sides.
std::optional<Tuning> cone(const Program& program, const std::vector<Nest>& nests,
                           const Sizes& sizes, std::int64_t s, const Stage& last, double effort,
                           const Replayed& replayed) {
  constexpr std::int64_t most_instances = 1'000'000, least_words = 256;
  if (nests.empty()) return std::nullopt;
  const auto dimensions = static_cast<int>(nests.front().bands.front().loops.size()) - 1;
  const Stage stage(program, sizes, s, most_instances, least_words, replayed, dimensions);
  const Nest* chosen = nullptr;
  double share = 0;
  std::int64_t least = stage.judge.cost(own_order(program));
  in_parts({&stage.judge}, nests.size(), [&](std::size_t n, bool) {
    // One value of each element, or one of each of several arrays.
    for (const double here : {0.7, 0.25}) {
      const Plan plan = through_all_steps(nests[n], stage.s, here);
      const std::int64_t moved = stage.judge.cost(plan, least);
      if (moved >= least) continue;
      least = moved;
      chosen = &nests[n];
      share = here;
    }
    return true;
  });
  if (chosen == nullptr) return std::nullopt;
  const double end = last.judge.spent() + effort;
  const auto with = [&](double factor) {
    return through_all_steps(*chosen, last.s, factor * share);
  };
  const std::vector<Tuning> all = tunings(last.judge, {with(1), with(1.2), with(0.8)});
  Tuning best = *std::min_element(all.begin(), all.end(), cheaper);
  best.choose_sizes(end, {1.12, 0.9});
  return best;
}

// Tiles that wait, where they move less than `usual` at the stage.
std::optional<Plan> late(const Program& program, const Sizes& sizes, std::int64_t s,
                         const Stage& stage, std::int64_t usual) {
  const std::optional<Plan> here = late_plan(program, stage.at, stage.s);
  if (!here || stage.judge.cost(*here, usual) >= usual) return std::nullopt;
  return late_plan(program, sizes, s);
}

// Better sizes for the cheapest.
void finals(std::vector<Tuning>& found, const Stage& last, double effort) {
  constexpr std::size_t finalists = 2;
  std::stable_sort(found.begin(), found.end(), cheaper);
  in_parts({&last.judge}, std::min(finalists, found.size()), [&](std::size_t n, bool) {
    for (const double share : {0.9, 0.7}) {
      const Tuning next(last.judge, squared(found[n].plan(), last.s, share));
      if (cheaper(next, found[n])) found[n] = next;
    }
    found[n].choose_sizes(last.judge.spent() + (n == 0 ? 0.2 : 0.1) * effort);
    return true;
  });
}

// Words that the best plan of the stage might move at the sizes, no better than there.
std::int64_t as_at(const Stage& stage, std::int64_t moved, const Program& program,
                   const Sizes& sizes) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 1024;
  constexpr double enough = 2;
  const InstanceCount instances(program);
  const double times = instances.at(sizes, most).to_double() /
                       std::max(1.0, instances.at(stage.at, most).to_double());
  return std::llround(
      std::min(enough * times * static_cast<double>(moved), static_cast<double>(most)));
}

}  // namespace

Plan best_for_cache(const Program& program, const Sizes& sizes, std::int64_t s, double effort,
                    const Replayed& replayed) {
  constexpr std::int64_t first_instances = 200'000, rated_instances = 1'500'000;
  constexpr std::int64_t first_words = 256;
  const std::int64_t rated_words = usual_dimensions(program) == 1 ? first_words : 1024;
  constexpr std::size_t promising = 4;
  const Stage first(program, sizes, s, first_instances, first_words, replayed);
  const Stage last(program, sizes, s, rated_instances, rated_words, replayed);
  const double ratio = static_cast<double>(last.s) / static_cast<double>(first.s);
  std::vector<Tuning> found = {Tuning(last.judge, own_order(program))};
  const std::vector<Nest> all = nests(program);
  const std::vector<Nest> cones = cone_nests(program);
  // Cone tiles have a stage of their own; isl needs many times as long for one of their orders.
  const double for_cones = cones.empty() ? 0 : 0.25 * effort;
  if (!cones.empty()) effort *= 0.3;
  const std::vector<Nest> tiled = to_tile(program, all);
  std::vector<Tuning> tuned = tilings_of_nests(tiled, first, 0.5 * effort);
  const std::vector<Plan> others = independent_first(
      program, all, first, s, tuned.empty() ? found.front().cost() : tuned.front().cost());
  if (tuned.size() > promising) tuned.resize(promising, tuned.front());
  for (const Tuning& nest : tuned) last.judge.prepare(nest.plan());
  in_parts({&first.judge, &last.judge}, tuned.size(), [&](std::size_t n, bool ahead) {
    // Loops inside a band may hold much more than a word a step.
    tuned[n].choose_sizes(first.judge.spent() + 0.05 * effort, {0.5, 0.1, 2, 0.8, 1.2});
    if (!ahead && n > 0 && !cones.empty() && last.judge.spent() > 0.3 * effort) return false;
    Tuning wide(last.judge, stretched(tuned[n].plan(), ratio));
    Tuning narrow(last.judge, stretched(tuned[n].plan(), ratio, 1));
    found.push_back(cheaper(narrow, wide) ? std::move(narrow) : std::move(wide));
    return true;
  });
  finals(found, last, effort);
  std::vector<Plan> promised;
  for (Modelled& m : modelled(program, tiled, last.at, last.s))
    promised.push_back(std::move(m.plan));
  std::ranges::move(tunings(last.judge, promised), std::back_inserter(found));
  std::stable_sort(found.begin(), found.end(), cheaper);
  const std::int64_t unknown = as_at(last, found.front().cost(), program, sizes);
  std::vector<Plan> plans;
  if (const auto best = cone(program, cones, sizes, s, last, for_cones, replayed)) {
    plans.push_back(stretched(best->plan(), static_cast<double>(s) / static_cast<double>(last.s)));
    // Where they win clearly, nothing else is looked at any more.
    constexpr double clearly = 0.85;
    if (static_cast<double>(best->cost()) < clearly * static_cast<double>(found.front().cost()))
      return with_prediction(program, sizes, s, best_at(program, sizes, s, plans, unknown));
  }
  std::vector<Modelled> models = modelled(program, tiled, sizes, s);
  std::erase_if(models, [&](const Modelled& m) { return !has_room(program, m.plan, sizes); });
  plans.push_back(grown(program, sizes, s, found, models, last.s, 0.2 * effort, replayed));
  plans.insert(plans.end(), others.begin(), others.end());
  if (auto plan = late(program, sizes, s, last, found.front().cost()))
    plans.push_back(std::move(*plan));
  std::erase_if(plans, [&](const Plan& plan) { return !has_room(program, plan, sizes); });
  if (plans.empty()) return own_order(program);
  Plan best =
      plans.size() > 1 ? best_at(program, sizes, s, std::move(plans), unknown) : plans.front();
  return beside_model(program, models, sizes, s,
                      with_prediction(program, sizes, s, std::move(best)), unknown);
}

}  // namespace redblue::schedule
