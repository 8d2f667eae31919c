// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/waiting.hpp"

#include <isl/constraint.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <vector>

#include "dataflow/step.hpp"
#include "program/count.hpp"
#include "program/program.hpp"

namespace redblue::bounds {

using dataflow::DataFlow;
using dataflow::Relation;
using program::Statement;

namespace {

constexpr int most_rounds = 8;     // readers of readers ..
constexpr long most_distance = 2;  // steps from one that waits for all of another to that one

// Pairs of the instances, the second one `distance` steps behind the first.
isl::map pairs(const isl::set& instances, long distance) {
  isl_map* all = isl_map_from_domain_and_range(instances.copy(), instances.copy());
  isl_local_space* local = isl_local_space_from_space(isl_map_get_space(all));
  isl_constraint* apart = isl_constraint_alloc_equality(local);
  apart = isl_constraint_set_coefficient_si(apart, isl_dim_out, 0, 1);
  apart = isl_constraint_set_coefficient_si(apart, isl_dim_in, 0, -1);
  apart = isl_constraint_set_constant_si(apart, static_cast<int>(-distance));
  return isl::manage(isl_map_add_constraint(all, apart));
}

// Whether there are pairs and all of them are among those found.
bool all_among(const isl::map& wanted, const isl::map& found) {
  return !wanted.is_empty() && wanted.is_subset(found);
}

// Instance of `s`, one of `those` -> the instances that depend on it, as far as a few rounds of
// readers show; no more rounds than it takes to find all of one of `enough`.
isl::map dependents(const DataFlow& flow, const Statement& s, const isl::set& those,
                    const std::vector<isl::map>& enough) {
  const isl::map itself = isl::manage(isl_set_identity(those.copy()));
  isl::map result = itself.subtract(itself);
  Relation front;
  const auto chain = flow.chains.find(s.name);
  dataflow::unite(front, s.name,
                  chain == flow.chains.end() ? itself : itself.apply_range(chain->second.after));
  const auto found = [&result](const isl::map& wanted) { return all_among(wanted, result); };
  for (int round = 0; round < most_rounds; ++round) {
    front = flow.readers_of(front);
    for (auto& [name, map] : front) map = map.coalesce();
    const auto own = front.find(s.name);
    if (own != front.end()) result = result.unite(own->second).coalesce();
    if (front.empty() || std::any_of(enough.begin(), enough.end(), found)) break;
  }
  return result;
}

// The set for parameters that are all `size`.
isl::set at_size(const isl::set& set, int size) {
  isl_set* result = set.copy();
  const auto parameters = static_cast<unsigned>(isl_set_dim(result, isl_dim_param));
  for (unsigned p = 0; p < parameters; ++p) result = isl_set_fix_si(result, isl_dim_param, p, size);
  return isl::manage(result);
}

// False where at one small size not all instances of later steps wait for the first instance: then
// no search for all sizes and all instances is needed, which takes isl long.
bool may_wait(const DataFlow& flow, const Statement& s, const isl::set& instances) {
  constexpr int size = 12;
  const isl::set small = at_size(instances, size);
  if (small.is_empty()) return true;
  const isl::set first = small.lexmin();
  std::vector<isl::map> wanted;
  for (long distance = 1; distance <= most_distance; ++distance)
    wanted.push_back(pairs(small, distance).intersect_domain(first));
  const isl::map waiting = dependents(flow, s, first, wanted);
  return std::any_of(wanted.begin(), wanted.end(),
                     [&waiting](const isl::map& w) { return all_among(w, waiting); });
}

}  // namespace

std::optional<long> waits_for_all(const DataFlow& flow, const Statement& s,
                                  const isl::set& instances, std::optional<isl::map>& later) {
  if (!later && !may_wait(flow, s, instances)) return std::nullopt;
  if (!later) later = dependents(flow, s, s.domain, {pairs(s.domain, 1)});
  for (long distance = 1; distance <= most_distance; ++distance) {
    if (all_among(pairs(instances, distance), *later)) return distance;
  }
  return std::nullopt;
}

// Whether values only go to instances a fixed step away, as in a stencil: nothing waits for all.
bool only_fixed_steps(const DataFlow& flow) {
  return std::all_of(flow.flows.begin(), flow.flows.end(), [](const dataflow::Flow& f) {
    return dataflow::translation(f.values).has_value();
  });
}

// The first counters of a set of instances.
isl::set steps_of(const isl::set& instances) {
  const auto loops = static_cast<unsigned>(isl_set_dim(instances.get(), isl_dim_set));
  isl_set* set = isl_set_reset_tuple_id(instances.copy());
  return isl::manage(isl_set_project_out(set, isl_dim_set, 1, loops - 1));
}

bool without_gaps(const isl::set& steps) {
  return isl::manage(isl_set_from_basic_set(isl_set_simple_hull(steps.copy()))).is_subset(steps);
}

Bound bound_of_waiting(const Statement& s, const isl::set& instances, long distance,
                       const Amount& words, long times, const std::string& why,
                       const Sizes& sizes) {
  const Amount steps = sizes.amount(program::count(steps_of(instances)));
  Bound bound;
  bound.method = "phases";
  bound.statement = s.name;
  bound.expression =
      (times * (words.formula - steps.formula * symbolic::fast_memory() * sizes.memories()) /
       distance)
          .expand();
  bound.leading = sizes.leading(bound.expression);
  if (sizes.complete) {
    const double kept = steps.value * sizes.memory() * sizes.units;
    bound.value = std::max(
        0.0, static_cast<double>(times) * (words.value - kept) / static_cast<double>(distance));
  }
  const std::string& step = s.iterators.front();
  bound.ledger = {{"every instance at " + step + " + " + std::to_string(distance) +
                       " depends on all instances at " + step + " (flow dependences by isl)",
                   proved},
                  {why, proved}};
  if (distance > 1)
    bound.ledger.push_back({"steps in between may overlap: the mean of the sums over every " +
                                std::to_string(distance) + ". step",
                            proved});
  return bound;
}

}  // namespace redblue::bounds
