// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/isoperimetry/stencils.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "bounds/fixed_reads.hpp"
#include "bounds/isoperimetry/staggered.hpp"
#include "bounds/roles.hpp"
#include "dataflow/dependences.hpp"
#include "program/count.hpp"

namespace redblue::bounds {

using dataflow::echelon;
using dataflow::sum;
using dataflow::Vector;

using program::Program;
using program::Statement;

namespace {

constexpr std::size_t longest_ring = 4;
constexpr std::size_t most_alignments = 256;

// Adds the steps a statement takes through `other` that it does not take by itself. Beyond a charge
// of `most` it ends at once: the stencil is of no use.
void add_ways_through(const FixedReads& reads, const Statement& statement, const Statement& other,
                      std::size_t direct, int most, Stencil& stencil) {
  const auto taken = [&](const Vector& step, std::size_t of) {
    const auto end = stencil.steps.begin() + static_cast<std::ptrdiff_t>(of);
    return std::find(stencil.steps.begin(), end, step) != end;
  };
  const program::Count instances = program::count(statement.domain);
  for (const FixedRead& out : reads.between(statement, other)) {
    int unread = 0;  // places behind one value of `other` that this reader of it does not read
    for (const FixedRead& back : reads.between(other, statement)) {
      const Vector step = sum(out.by, back.by);
      const isl::map way = out.values.apply_range(back.values);
      if (taken(step, direct) || !is_few(statement.domain.subtract(way.domain()), instances))
        continue;
      if (++unread > most) {
        stencil.charge = unread;
        return;
      }
      if (taken(step, stencil.steps.size())) continue;
      stencil.steps.push_back(step);
      stencil.parts.front().before.push_back(way);
      stencil.parts.front().starts.push_back(way.subtract(way));
    }
    stencil.charge = std::max(stencil.charge, unread);
  }
}

// Adds the steps a statement takes through two others, one behind the other, where it takes none
// that way otherwise: a stencil of sweeps with an array each for what streams in each direction.
// The charge is then the number of places behind any value on such a way.
void add_ways_through_two(const Program& program, const FixedReads& reads,
                          const Statement& statement, Stencil& stencil) {
  std::map<const Statement*, std::set<Vector>> behind;  // as steps from the value
  const program::Count instances = program::count(statement.domain);
  const auto others = [&](const Statement& from) {
    std::vector<const Statement*> result;
    for (const Statement& other : program.statements) {
      if (&other != &statement && &other != &from && !reads.between(from, other).empty())
        result.push_back(&other);
    }
    return result;
  };
  const auto add = [&](const FixedRead& out, const FixedRead& on, const FixedRead& back) {
    const Vector rest = sum(on.by, back.by), step = sum(out.by, rest);
    if (std::count(stencil.steps.begin(), stencil.steps.end(), step) != 0) return;
    const isl::map way = out.values.apply_range(on.values).apply_range(back.values);
    if (!is_few(statement.domain.subtract(way.domain()), instances)) return;
    stencil.steps.push_back(step);
    stencil.parts.front().before.push_back(way);
    stencil.parts.front().starts.push_back(way.subtract(way));
    behind[out.writer].insert(rest);
    behind[on.writer].insert(back.by);
  };
  for (const Statement* first : others(statement)) {
    for (const Statement* second : others(*first)) {
      const std::vector<FixedRead> back = reads.between(*second, statement);
      if (back.empty()) continue;
      for (const FixedRead& out : reads.between(statement, *first)) {
        for (const FixedRead& on : reads.between(*first, *second)) {
          for (const FixedRead& last : back) add(out, on, last);
        }
      }
    }
  }
  for (const auto& [other, places] : behind)
    stencil.charge = std::max(stencil.charge, static_cast<int>(places.size()));
}

bool spans_all(const std::vector<Vector>& steps) {
  return !steps.empty() && echelon(steps).size() == steps.front().size();
}

Stencil single(const Program& program, const FixedReads& reads, const Statement& statement,
               int most) {
  Stencil stencil;
  stencil.parts.push_back({&statement, {}, {}});
  for (const FixedRead& read : reads.between(statement, statement)) {
    if (std::count(stencil.steps.begin(), stencil.steps.end(), read.by) != 0) continue;
    stencil.steps.push_back(read.by);
    stencil.parts.front().before.push_back(read.values);
    stencil.parts.front().starts.push_back(read.inputs);
  }
  const std::size_t direct = stencil.steps.size();
  for (const Statement& other : program.statements) {
    if (&other == &statement) continue;
    add_ways_through(reads, statement, other, direct, most, stencil);
    if (stencil.charge > most) break;
  }
  if (stencil.steps.size() == direct && !spans_all(stencil.steps))
    add_ways_through_two(program, reads, statement, stencil);
  stencil.direct = stencil.steps.size() == direct;
  stencil.staggered = staggered(program, reads, stencil, direct);
  return stencil;
}

using Ring = std::vector<std::vector<FixedRead>>;  // part by part, what it reads of the part before

// The ring's stencil where the given read of each part is the same step: instance x of part i has
// the place k x + r_i.
Stencil aligned(const Ring& ring, const std::vector<std::size_t>& anchors) {
  const long k = static_cast<long>(ring.size());
  Vector common = ring[0][anchors[0]].by;
  for (std::size_t i = 1; i < ring.size(); ++i) common = sum(common, ring[i][anchors[i]].by);
  // Part i's read by b is the step k b + shift_i.
  const auto step_of = [&](std::size_t part, const FixedRead& read) {
    return sum(sum(common, read.by, k), ring[part][anchors[part]].by, -k);
  };
  Stencil stencil;
  for (const auto& part : ring) stencil.parts.push_back({part.front().reader, {}, {}});
  for (const FixedRead& first : ring[0]) {
    const Vector step = step_of(0, first);
    std::vector<const FixedRead*> alike;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const auto same = std::find_if(ring[i].begin(), ring[i].end(), [&](const FixedRead& read) {
        return step_of(i, read) == step;
      });
      if (same != ring[i].end()) alike.push_back(&*same);
    }
    if (alike.size() < ring.size() ||
        std::count(stencil.steps.begin(), stencil.steps.end(), step) != 0)
      continue;
    stencil.steps.push_back(step);
    for (std::size_t i = 0; i < ring.size(); ++i) {
      stencil.parts[i].before.push_back(alike[i]->values);
      stencil.parts[i].starts.push_back(alike[i]->inputs);
    }
  }
  return stencil;
}

// Whether ways between two parts' instances with one place exist: sums of steps, some backwards,
// that are 0 although their number is no multiple of k.
bool ways_meet(const std::vector<Vector>& steps, long k) {
  std::vector<Vector> rows;
  for (Vector row : steps) {
    row.push_back(1);
    rows.push_back(row);
  }
  rows.emplace_back(steps.front().size() + 1, 0);
  rows.back().back() = k;
  return std::abs(echelon(rows).back().back()) != k;
}

// The alignment with the most steps.
std::optional<Stencil> best_alignment(const Ring& ring) {
  std::optional<Stencil> best;
  std::vector<std::size_t> anchors(ring.size(), 0);
  for (std::size_t tried = 0; tried < most_alignments; ++tried) {
    const Stencil stencil = aligned(ring, anchors);
    if ((!best || stencil.steps.size() > best->steps.size()) &&
        !ways_meet(stencil.steps, static_cast<long>(ring.size())))
      best = stencil;
    std::size_t i = 0;
    while (i < anchors.size() && ++anchors[i] == ring[i].size()) anchors[i++] = 0;
    if (i == anchors.size()) break;
  }
  return best;
}

// Extends `ring`, whose last statement is `last`, to all rings that begin with `first` and have no
// statement before it in the program.
void add_rings(const Program& program, const FixedReads& reads, const Statement& first,
               std::vector<const Statement*>& ring, std::vector<Stencil>& result) {
  for (const Statement& next : program.statements) {
    if (&next < &first || reads.between(next, *ring.back()).empty()) continue;
    if (&next == &first && ring.size() > 1) {
      Ring parts;
      for (std::size_t i = 0; i < ring.size(); ++i) {
        parts.push_back(reads.between(*ring[i], *ring[(i + ring.size() - 1) % ring.size()]));
      }
      if (const auto stencil = best_alignment(parts)) result.push_back(*stencil);
    } else if (ring.size() < longest_ring &&
               std::find(ring.begin(), ring.end(), &next) == ring.end()) {
      ring.push_back(&next);
      add_rings(program, reads, first, ring, result);
      ring.pop_back();
    }
  }
}

}  // namespace

std::vector<Stencil> stencils(const Program& program) {
  const FixedReads reads(program);
  std::vector<Stencil> result;
  for (const Statement& first : program.statements) {
    if (first.iterators.size() < 2) continue;
    std::vector<const Statement*> ring = {&first};
    add_rings(program, reads, first, ring, result);
  }
  for (const Statement& statement : program.statements) {
    const bool in_a_ring = std::any_of(result.begin(), result.end(), [&](const Stencil& stencil) {
      return std::any_of(stencil.parts.begin(), stencil.parts.end(),
                         [&](const StencilPart& part) { return part.statement == &statement; });
    });
    const int most = in_a_ring ? 1 : std::numeric_limits<int>::max();
    const Stencil alone = single(program, reads, statement, most);
    if (!alone.steps.empty() && alone.charge <= most) result.push_back(alone);
  }
  return result;
}

}  // namespace redblue::bounds
