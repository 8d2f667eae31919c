// SPDX-License-Identifier: BSD-3-Clause
// Programs whose steps wait for each other: x <- A x again and again. What a step reads of the
// inputs is loaded again, but for what fits in fast memory (docs/methods/phases.md).
#include <isl/constraint.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <optional>

#include "bounds/bound.hpp"
#include "dataflow/data_flow.hpp"
#include "dataflow/step.hpp"
#include "program/count.hpp"

namespace redblue::bounds {

using dataflow::DataFlow;
using dataflow::InputRead;
using dataflow::Relation;
using program::Program;
using program::Statement;

namespace {

constexpr int most_rounds = 8;     // readers of readers ..
constexpr long most_distance = 2;  // steps from one that waits for all of another to that one

// Instance of `s`, one of `those` -> the instances that depend on it, as far as a few rounds show.
isl::map dependents(const DataFlow& flow, const Statement& s, const isl::set& those) {
  const isl::map itself = isl::manage(isl_set_identity(those.copy()));
  isl::map result = itself.subtract(itself);
  Relation front;
  const auto chain = flow.chains.find(s.name);
  dataflow::unite(front, s.name,
                  chain == flow.chains.end() ? itself : itself.apply_range(chain->second.after));
  for (int round = 0; round < most_rounds; ++round) {
    front = flow.readers_of(front);
    for (auto& [name, map] : front) map = map.coalesce();
    const auto own = front.find(s.name);
    if (own != front.end()) result = result.unite(own->second).coalesce();
    if (front.empty()) break;
  }
  return result;
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

// Whether some element is read in more than one step: others are loaded once anyway.
bool read_again(const isl::map& elements) {
  const auto loops = static_cast<unsigned>(isl_map_dim(elements.get(), isl_dim_in));
  isl_map* by_step = isl_map_reset_tuple_id(elements.copy(), isl_dim_in);
  by_step = isl_map_project_out(by_step, isl_dim_in, 1, loops - 1);
  return isl_map_is_injective(by_step) != isl_bool_true;
}

// Whether values only go to instances a fixed step away, as in a stencil: nothing waits for all.
bool only_fixed_steps(const DataFlow& flow) {
  return std::all_of(flow.flows.begin(), flow.flows.end(), [](const dataflow::Flow& f) {
    return dataflow::translation(f.values).has_value();
  });
}

int equalities(const isl::set& set) {
  isl_basic_set* hull = isl_set_affine_hull(set.copy());
  const int number = isl_basic_set_n_constraint(hull);
  isl_basic_set_free(hull);
  return number;
}

// Whether the instances are a boundary of the statement's: what they read is of lower order.
bool thin(const isl::set& instances, const Statement& s) {
  return equalities(instances) > equalities(s.domain);
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
  const isl::map waiting = dependents(flow, s, first);
  for (long distance = 1; distance <= most_distance; ++distance) {
    const isl::map wanted = pairs(small, distance).intersect_domain(first);
    if (!wanted.is_empty() && wanted.is_subset(waiting)) return true;
  }
  return false;
}

std::optional<long> waits_for_all(const isl::map& dependents, const isl::set& instances) {
  for (long distance = 1; distance <= most_distance; ++distance) {
    const isl::map wanted = pairs(instances, distance);
    if (!wanted.is_empty() && wanted.is_subset(dependents)) return distance;
  }
  return std::nullopt;
}

// { [step, element] } that the read finds.
isl::set read_by_steps(const isl::map& elements) {
  const auto loops = static_cast<unsigned>(isl_map_dim(elements.get(), isl_dim_in));
  isl_map* by_step = isl_map_reset_tuple_id(elements.copy(), isl_dim_in);
  by_step = isl_map_project_out(by_step, isl_dim_in, 1, loops - 1);
  return isl::manage(isl_set_flatten(isl_map_wrap(isl_map_reset_tuple_id(by_step, isl_dim_out))));
}

Bound bound_of(const InputRead& read, long distance, const Sizes& sizes) {
  const Amount words = sizes.amount(program::count(read_by_steps(read.elements)));
  const Amount steps = sizes.amount(program::count(steps_of(read.elements.domain())));
  Bound bound;
  bound.method = "phases";
  bound.statement = read.reader->name;
  bound.expression =
      ((words.formula - steps.formula * symbolic::fast_memory() * sizes.memories()) / distance)
          .expand();
  bound.leading = sizes.leading(bound.expression);
  if (sizes.complete) {
    const double kept = steps.value * sizes.memory() * sizes.units;
    bound.value = std::max(0.0, (words.value - kept) / static_cast<double>(distance));
  }
  const std::string& step = read.reader->iterators.front();
  bound.ledger = {{"every instance at " + step + " + " + std::to_string(distance) +
                       " depends on all instances at " + step + " (flow dependences by isl)",
                   proved},
                  {"so these steps follow one another, and each loads what it reads of " +
                       read.array + " but for what is in fast memory when it begins",
                   proved}};
  if (distance > 1)
    bound.ledger.push_back({"steps in between may overlap: the mean of the sums over every " +
                                std::to_string(distance) + ". step",
                            proved});
  return bound;
}

}  // namespace

std::vector<Bound> phases(const Program& program, const Sizes& sizes) {
  std::vector<Bound> result;
  const DataFlow flow(program);
  if (only_fixed_steps(flow)) return result;
  for (const Statement& s : program.statements) {
    std::optional<isl::map> later;
    for (const InputRead& read : flow.inputs) {
      if (read.reader != &s || s.iterators.size() < 2) continue;
      const isl::set instances = read.elements.domain();
      if (thin(instances, s) || !read_again(read.elements) || !without_gaps(steps_of(instances)))
        continue;
      if (!later && !may_wait(flow, s, instances)) continue;
      if (!later) later = dependents(flow, s, s.domain);
      if (const auto distance = waits_for_all(*later, instances))
        result.push_back(bound_of(read, *distance, sizes));
    }
  }
  return result;
}

}  // namespace redblue::bounds
