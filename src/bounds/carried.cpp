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
#include "bounds/facts.hpp"
#include "bounds/gave_up.hpp"
#include "bounds/roles.hpp"
#include "bounds/waiting.hpp"
#include "program/count.hpp"

namespace redblue::bounds {

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
  constexpr long stored_and_loaded = 2;
  Bound bound = bound_of_waiting(
      s, ends, distance, sizes.amount(program::count(ends)), stored_and_loaded,
      "between two steps each chain along " + s.iterators.front() +
          " holds a value that is computed before and read after: all but S are stored and loaded",
      sizes);
  bound.recomputation = false;
  return bound;
}

// Instances that end chains of `distance` links, each of which waits for all so many steps before.
struct Waiting {
  isl::set ends;
  long distance;
};

std::optional<Waiting> waiting(const Facts& facts, const Statement& s) {
  Roles roles = facts.roles(s);
  if (chain_of_steps(roles) == nullptr) add_longer_chains(roles);
  const ChainRole* chain = chain_of_steps(roles);
  if (chain == nullptr || !without_gaps(steps_of(s.domain))) return std::nullopt;
  std::optional<isl::map> later;
  const auto distance = waits_for_all(facts.flow(), s, s.domain, later);
  if (!distance) return std::nullopt;
  return Waiting{with_links(*chain, *distance), *distance};
}

}  // namespace

std::vector<Bound> carried(const Facts& facts, const Sizes& sizes) {
  constexpr unsigned long most_operations = 300'000;  // of a statement
  std::vector<Bound> result;
  if (only_fixed_steps(facts.flow())) return result;
  for (const Statement& s : facts.program().statements) {
    if (s.iterators.size() < 2) continue;
    try {
      const auto& found = facts.once(
          s.name + ": carried", [&] { return waiting(facts, s); }, most_operations);
      if (found) result.push_back(bound_of(s, found->ends, found->distance, sizes));
    } catch (const isl::exception&) {
      note_limit(sizes, "phases", s.name);
    }
  }
  return result;
}

}  // namespace redblue::bounds
