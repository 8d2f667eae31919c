// SPDX-License-Identifier: BSD-3-Clause
// Programs whose steps wait for each other and carry many values from step to step: adi, whose
// every u needs all u of the time step before. When the first value of a step is computed, all of
// the step before are, and each chain from that one to this one holds a value that is still needed
// (docs/methods/phases.md, Lemma 2).
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <optional>

#include "bounds/bound.hpp"
#include "bounds/gave_up.hpp"
#include "bounds/roles.hpp"
#include "bounds/waiting.hpp"
#include "dataflow/data_flow.hpp"
#include "program/count.hpp"
#include "program/operation_limit.hpp"

namespace redblue::bounds {

using dataflow::DataFlow;
using program::Program;
using program::Statement;

namespace {

// The chain from each instance to that with the same counters one step of the first loop before.
const ChainRole* chain_of_steps(const Roles& roles) {
  const auto found =
      std::find_if(roles.chains.begin(), roles.chains.end(), [](const ChainRole& chain) {
        return !chain.step.empty() && chain.step.front() == 1 &&
               std::all_of(chain.step.begin() + 1, chain.step.end(), [](long d) { return d == 0; });
      });
  return found == roles.chains.end() ? nullptr : &*found;
}

// Instances with so many links of the chain before them.
isl::set with_links(const ChainRole& chain, long links) {
  isl::set result = chain.domain;
  for (long link = 1; link < links; ++link)
    result = chain.values.back().intersect_range(result).domain().intersect(chain.domain);
  return result;
}

Bound bound_of(const Statement& s, const isl::set& ends, long distance, const Sizes& sizes) {
  const Amount chains = sizes.amount(program::count(ends));
  const Amount steps = sizes.amount(program::count(steps_of(ends)));
  Bound bound;
  bound.method = "phases";
  bound.statement = s.name;
  bound.recomputation = false;
  bound.expression =
      (2 * (chains.formula - steps.formula * symbolic::fast_memory() * sizes.memories()) / distance)
          .expand();
  bound.leading = sizes.leading(bound.expression);
  if (sizes.complete) {
    const double kept = steps.value * sizes.memory() * sizes.units;
    bound.value = std::max(0.0, 2 * (chains.value - kept) / static_cast<double>(distance));
  }
  const std::string& step = s.iterators.front();
  bound.ledger = {{"every instance at " + step + " + " + std::to_string(distance) +
                       " depends on all instances at " + step + " (flow dependences by isl)",
                   proved},
                  {"between two steps each chain along " + step +
                       " holds a value that is computed before and read after: all but S are "
                       "stored and loaded",
                   proved}};
  if (distance > 1)
    bound.ledger.push_back({"steps in between may overlap: the mean of the sums over every " +
                                std::to_string(distance) + ". step",
                            proved});
  return bound;
}

std::optional<Bound> carried_by(const Program& program, const DataFlow& flow, const Statement& s,
                                const Sizes& sizes) {
  Roles roles = roles_of(program, s);
  if (chain_of_steps(roles) == nullptr) add_longer_chains(roles);
  const ChainRole* chain = chain_of_steps(roles);
  if (chain == nullptr || !without_gaps(steps_of(s.domain))) return std::nullopt;
  std::optional<isl::map> later;
  const auto distance = waits_for_all(flow, s, s.domain, later);
  if (!distance) return std::nullopt;
  return bound_of(s, with_links(*chain, *distance), *distance, sizes);
}

}  // namespace

std::vector<Bound> carried(const Program& program, const Sizes& sizes) {
  std::vector<Bound> result;
  const DataFlow flow(program);
  if (only_fixed_steps(flow)) return result;
  for (const Statement& s : program.statements) {
    if (s.iterators.size() < 2) continue;
    try {
      const program::OperationLimit limit;
      if (const auto bound = carried_by(program, flow, s, sizes)) result.push_back(*bound);
    } catch (const isl::exception&) {
      note_limit(sizes, "phases", s.name);
    }
  }
  return result;
}

}  // namespace redblue::bounds
