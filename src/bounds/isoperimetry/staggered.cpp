// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/isoperimetry/staggered.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <set>
#include <string>

#include "bounds/isoperimetry/starts.hpp"
#include "bounds/isoperimetry/stencils.hpp"

namespace redblue::bounds {

using dataflow::sum;
using dataflow::Vector;
using program::Program;
using program::Statement;

namespace {

// A statement between the places: how it is read and what it reads.
struct Found {
  Staggered::Between between;
  Vector across;               // from one end of a value to the other: a - b
  std::string inputs;          // the array of which each of its lines reads an element of its own
  std::vector<isl::map> ways;  // x -> y -> x - along
};

// Whether every instance reads the one before it, or an input that no other instance reads; then
// that input's array.
std::optional<std::string> inputs_of_lines(const FixedRead& chain) {
  const isl::set& all = chain.reader->domain;
  const isl::set started = all.subtract(chain.values.domain());
  const isl::map inputs = chain.inputs.intersect_domain(started);
  if (!started.is_subset(inputs.domain()) || !inputs.is_injective()) return std::nullopt;
  const char* name = isl_map_get_tuple_name(chain.inputs.get(), isl_dim_out);
  return name != nullptr ? std::optional<std::string>(name) : std::nullopt;
}

std::optional<Found> between(const FixedReads& reads, const Statement& main, const Statement& other,
                             const Vector& along) {
  const std::vector<FixedRead> out = reads.between(main, other);
  const std::vector<FixedRead> back = reads.between(other, main);
  if (out.size() != 2 || back.size() != 2 || out[0].by == out[1].by) return std::nullopt;
  Found result{{&other, other.domain}, sum(out[0].by, out[1].by, -1), {}, {}};
  for (const FixedRead& o : out) {
    const auto same = std::find_if(back.begin(), back.end(),
                                   [&](const FixedRead& b) { return sum(o.by, b.by) == along; });
    if (same == back.end()) return std::nullopt;
    result.ways.push_back(o.values.apply_range(same->values));
  }
  for (const FixedRead& chain : reads.between(other, other)) {
    if (chain.by != along) continue;
    const std::optional<std::string> inputs = inputs_of_lines(chain);
    if (!inputs) continue;
    result.inputs = *inputs;
    result.between.last = other.domain.subtract(chain.values.range());
    return result;
  }
  return std::nullopt;
}

// Whether some of them are equal, or opposite.
bool some_parallel(const std::vector<Vector>& all) {
  std::set<Vector> known;
  for (const Vector& v : all) {
    known.insert(v);
    known.insert(sum(Vector(v.size(), 0), v, -1));
  }
  return known.size() < 2 * all.size();
}

bool is_combination(const std::vector<Vector>& rows, const Vector& v) {
  return !dataflow::independent(dataflow::echelon(rows), v);
}

// Along one of the statement's own steps.
std::optional<Staggered> staggered_along(const Program& program, const FixedReads& reads,
                                         const Stencil& stencil, std::size_t direct,
                                         const Vector& along) {
  const Statement& main = *stencil.parts.front().statement;
  Staggered result{along, {}, {}};
  std::vector<Vector> across;
  std::set<std::string> arrays;
  for (const program::Access& write : main.writes) arrays.insert(write.array);
  for (const Statement& other : program.statements) {
    if (&other == &main) continue;
    const std::optional<Found> found = between(reads, main, other, along);
    if (!found) continue;
    if (!arrays.insert(found->inputs).second) return std::nullopt;
    result.between.push_back(found->between);
    result.ways.insert(result.ways.end(), found->ways.begin(), found->ways.end());
    across.push_back(found->across);
  }
  if (result.between.size() < 2 || some_parallel(across) || is_combination(across, along))
    return std::nullopt;
  std::set<Vector> through(stencil.steps.begin() + static_cast<std::ptrdiff_t>(direct),
                           stencil.steps.end());
  for (const Vector& a : across) {
    for (const long sign : {1, -1}) {
      const Vector step = sum(along, a, sign);
      if (std::count(stencil.steps.begin(), stencil.steps.end(), step) == 0) return std::nullopt;
      through.erase(step);
    }
  }
  if (!through.empty()) return std::nullopt;
  return result;
}

}  // namespace

std::optional<Staggered> staggered(const Program& program, const FixedReads& reads,
                                   const Stencil& stencil, std::size_t direct) {
  if (stencil.parts.size() != 1 || stencil.charge != 1 || stencil.steps.size() == direct)
    return std::nullopt;
  for (std::size_t s = 0; s < direct; ++s) {
    if (auto found = staggered_along(program, reads, stencil, direct, stencil.steps[s]))
      return found;
  }
  return std::nullopt;
}

bool closed(const isl::set& instances, const std::vector<Vector>& steps, const Vector& along) {
  const auto moved = [&](const Vector& by) { return places_behind(instances, instances, by); };
  const isl::map ahead = moved(sum(Vector(along.size(), 0), along, -1));
  isl_bool exact = isl_bool_false;
  const isl::map further = isl::manage(isl_map_transitive_closure(ahead.copy(), &exact));
  if (exact != isl_bool_true) return false;
  const isl::set later = instances.apply(further);
  return std::all_of(steps.begin(), steps.end(), [&](const Vector& step) {
    return instances.apply(moved(step)).intersect(later).is_subset(instances);
  });
}

}  // namespace redblue::bounds
