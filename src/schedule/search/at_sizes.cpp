// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/search/at_sizes.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "program/instances.hpp"
#include "schedule/prediction/prediction.hpp"
#include "schedule/search/tuning.hpp"
#include "schedule/traffic/streamed.hpp"

namespace redblue::schedule {

using program::InstanceCount;
using program::Program;
using program::Sizes;

namespace {

constexpr std::int64_t most_streamed = 20'000'000;  // instances

// Nothing to ask where every access is counted at the sizes anyway.
bool is_counted(const Program& program, const Sizes& sizes) {
  return InstanceCount(program).at(sizes, most_streamed) <= most_streamed;
}

// At these sizes, where parts of the order tell too little every access counted; nothing where
// these are too many. Where it is more than `most`, that is enough to know.
std::optional<PredictedTraffic> moved_at(const Program& program, const Plan& plan,
                                         const Sizes& sizes, std::int64_t s, std::int64_t most) {
  constexpr std::int64_t most_counted = 400'000'000;
  constexpr std::size_t patience = 2 * usual_touches;
  const SizedOrder order = sized_order(program, plan);
  if (const auto known = prediction_at(order, sizes, s, DeadValues::leave, most, patience))
    return known;
  if (InstanceCount(program, program::Counted::accesses).at(sizes, most_counted) > most_counted)
    return std::nullopt;
  return PredictedTraffic{streamed_lru(order.at(sizes), {s}, DeadValues::leave).front(), 0,
                          PredictedTraffic::From::count};
}

bool same_tiles(const Plan& a, const Plan& b) {
  return std::ranges::equal(a.tiles, b.tiles, [](const Tiles& x, const Tiles& y) {
    return x.order == y.order && x.sizes == y.sizes;
  });
}

// Of plans in tiles of bands' loops.
bool same_order(const Plan& a, const Plan& b) {
  const auto loops = [](const Band& x, const Band& y) { return x.loops == y.loops; };
  return std::ranges::equal(a.nest.bands, b.nest.bands, loops) && same_tiles(a, b);
}

}  // namespace

Plan best_at(const Program& program, const Sizes& sizes, std::int64_t s, std::vector<Plan> plans,
             std::int64_t unknown) {
  constexpr double most_where_parts_differ = 1e8;  // instances
  const double all = InstanceCount(program).at(sizes, 1'000'000'000).to_double();
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  const auto moved = [&](Plan& plan) -> std::optional<std::int64_t> {
    const SizedOrder order = sized_order(program, plan);
    if (all > static_cast<double>(most_streamed)) {
      plan.predicted = prediction_at(order, sizes, s, DeadValues::leave, least);
      plan.asked = Plan::Asked::by_parts;
      if (plan.predicted) return plan.predicted->traffic.moved();
      if (all > most_where_parts_differ) return std::nullopt;
    }
    if (plans.size() == 1) return std::nullopt;
    return moved_lru(order.at(sizes), s, least);
  };
  std::size_t best = 0;
  for (std::size_t n = plans.size(); n-- > 0;) {
    const std::int64_t here = moved(plans[n]).value_or(unknown);
    if (here > least) continue;
    least = here;
    best = n;
  }
  return plans[best];
}

Plan with_prediction(const Program& program, const Sizes& sizes, std::int64_t s, Plan plan) {
  if (plan.late || is_counted(program, sizes)) return plan;
  const auto ask = [&](Plan& of) {
    of.predicted = prediction(program, of, sizes, s);
    of.asked = Plan::Asked::in_all_ways;
  };
  ask(plan);
  if (plan.predicted) return plan;
  Plan even = with_equal_sides(plan);
  if (same_tiles(even, plan)) return plan;
  even.asked = Plan::Asked::no;
  ask(even);
  return even.predicted ? even : plan;
}

Plan beside_model(const Program& program, const std::vector<Modelled>& models, const Sizes& sizes,
                  std::int64_t s, Plan plan, std::int64_t unknown) {
  constexpr double much = 2;
  if (plan.late || plan.nest.points || is_counted(program, sizes)) return plan;
  std::int64_t least = plan.predicted ? plan.predicted->traffic.moved() : unknown;
  for (const auto& [promised, model, moved] : models) {
    if (static_cast<double>(least) <= much * moved || same_order(promised, plan)) continue;
    Plan next = promised;
    next.predicted = moved_at(program, next, sizes, s, least);
    if (!next.predicted || next.predicted->traffic.moved() >= least) continue;
    least = next.predicted->traffic.moved();
    plan = std::move(next);
  }
  return plan;
}

}  // namespace redblue::schedule
