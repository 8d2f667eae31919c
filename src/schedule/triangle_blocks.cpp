// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/triangle_blocks.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>

#include <algorithm>
#include <limits>

#include "covering/covering.hpp"
#include "schedule/c_text.hpp"
#include "schedule/order.hpp"

namespace redblue::schedule {

using program::Program;
using program::Sizes;
using program::Statement;
using Member = PairLoops::Member;

namespace {

// S[x0, x1, ...]
std::string instance(const Statement& s, const std::string& prefix) {
  return s.name + "[" + numbered(prefix, s.iterators.size()) + "]";
}

std::string coordinate(int d) {
  return "x" + std::to_string(d);
}

// From instances to [`values`], which may use x0, x1, ...
isl::map map_to(const Statement& s, const std::string& values) {
  return isl::map(program::context(), "{ " + instance(s, "x") + " -> [" + values + "] }");
}

// Instances that agree on (i, j).
isl::union_map same_pair(const Program& program, const Member& a, const Member& b) {
  const auto equal = [](int x, int y) {
    return "x" + std::to_string(x) + " = y" + std::to_string(y);
  };
  return isl::union_map(program::context(),
                        "{ " + instance(program.statements[a.statement], "x") + " -> " +
                            instance(program.statements[b.statement], "y") + " : " +
                            equal(a.i, b.i) + " and " + equal(a.j, b.j) + " }");
}

isl::union_map between(const Program& program, const isl::union_map& conflicts, std::size_t a,
                       std::size_t b) {
  return conflicts.intersect_domain(isl::union_set(program.statements[a].domain))
      .intersect_range(isl::union_set(program.statements[b].domain));
}

// Whether one formula is the other with two coordinates exchanged.
bool exchanged(const isl::aff& f, const isl::aff& g, int a, int b) {
  if (isl_aff_dim(f.get(), isl_dim_div) > 0) return false;
  isl_aff* swapped = f.copy();
  swapped = isl_aff_set_coefficient_val(swapped, isl_dim_in, a,
                                        isl_aff_get_coefficient_val(f.get(), isl_dim_in, b));
  swapped = isl_aff_set_coefficient_val(swapped, isl_dim_in, b,
                                        isl_aff_get_coefficient_val(f.get(), isl_dim_in, a));
  const bool equal = isl_aff_plain_is_equal(swapped, g.get()) == isl_bool_true;
  isl_aff_free(swapped);
  return equal;
}

bool depends(const isl::aff& f, int d) {
  return isl_aff_involves_dims(f.get(), isl_dim_in, static_cast<unsigned>(d), 1) != isl_bool_false;
}

// Whether the statement reads some array by coordinate a (and not b) as it does by b.
bool reads_alike(const Statement& s, int a, int b) {
  for (const program::Access& x : s.reads) {
    const std::vector<isl::aff> f = program::single_formulas(x.elements);
    const auto any = [&f](int d) {
      return std::any_of(f.begin(), f.end(), [d](const isl::aff& e) { return depends(e, d); });
    };
    if (!any(a) || any(b)) continue;
    for (const program::Access& y : s.reads) {
      const std::vector<isl::aff> g = program::single_formulas(y.elements);
      if (x.array != y.array || f.size() != g.size()) continue;
      bool alike = true;
      for (std::size_t d = 0; d < f.size(); ++d) alike = alike && exchanged(f[d], g[d], a, b);
      if (alike) return true;
    }
  }
  return false;
}

// The two values one after the other.
isl::map followed(const isl::map& first, const isl::map& second) {
  return isl::manage(isl_map_flat_range_product(first.copy(), second.copy()));
}

isl_size length(const isl::map& times) {
  return isl_map_dim(times.get(), isl_dim_out);
}

// With zeros at the end.
isl::map padded(const isl::map& times, isl_size to) {
  const auto from = static_cast<unsigned>(length(times));
  const unsigned missing = static_cast<unsigned>(to) - from;
  isl_map* result = isl_map_add_dims(times.copy(), isl_dim_out, missing);
  for (unsigned d = 0; d < missing; ++d) {
    result = isl_map_fix_si(result, isl_dim_out, from + d, 0);
  }
  return isl::manage(result);
}

isl_size longest_rest(const Program& program, const PairLoops& loops) {
  isl_size longest = 0;
  for (const Member& m : loops.members) {
    longest = std::max(longest, length(rest_of_time(program, m)));
  }
  return longest;
}

// The time of every statement: its phase (before, among or after the members), then of members
// `head`, the rest of their time and `tail`, of others their own time.
template <class Head, class Tail>
isl::union_map phased(const Program& program, const PairLoops& loops, Head head, Tail tail) {
  const isl_size rest = longest_rest(program, loops);
  std::vector<isl::map> parts;
  for (const Member& m : loops.members) {
    const Statement& s = program.statements[m.statement];
    isl::map time = followed(map_to(s, "1, " + head(m)), padded(rest_of_time(program, m), rest));
    if (const std::string last = tail(m); !last.empty()) time = followed(time, map_to(s, last));
    parts.push_back(time.intersect_domain(s.domain));
  }
  for (const auto& [phase, others] : {std::pair("0", &loops.before), {"2", &loops.after}}) {
    for (const std::size_t other : *others) {
      const Statement& s = program.statements[other];
      parts.push_back(followed(map_to(s, phase), s.schedule).intersect_domain(s.domain));
    }
  }
  isl_size longest = 0;
  for (const isl::map& m : parts) longest = std::max(longest, length(m));
  isl::union_map all = nothing();
  for (const isl::map& m : parts) all = all.unite(isl::union_map(padded(m, longest)));
  return all;
}

std::string pair_text(const Member& m) {
  return coordinate(m.i) + ", " + coordinate(m.j);
}

// Coordinates of another statement that agree with a member's (i, j) wherever they conflict.
std::optional<Member> companion(const Program& program, const isl::union_map& conflicts,
                                const std::vector<Member>& members, std::size_t other) {
  const int loops = static_cast<int>(program.statements[other].iterators.size());
  for (int i = 0; i < loops; ++i) {
    for (int j = 0; j < loops; ++j) {
      const Member candidate = {other, i, j};
      const auto fits = [&](const Member& m) {
        return between(program, conflicts, other, m.statement)
                   .is_subset(same_pair(program, candidate, m)) &&
               between(program, conflicts, m.statement, other)
                   .is_subset(same_pair(program, m, candidate));
      };
      if (i != j && fits(candidate) && std::all_of(members.begin(), members.end(), fits)) {
        return candidate;
      }
    }
  }
  return std::nullopt;
}

// False where a statement would have to run both before and after the members.
bool place_others(const Program& program, const isl::union_map& conflicts, PairLoops& loops) {
  for (std::size_t other = 0; other < program.statements.size(); ++other) {
    bool member = false, before = false, after = false;
    for (const Member& m : loops.members) {
      member = member || m.statement == other;
      before = before || !between(program, conflicts, other, m.statement).is_empty();
      after = after || !between(program, conflicts, m.statement, other).is_empty();
    }
    if (member) continue;
    if (before && after) return false;
    const bool first = before || (!after && other < loops.members.front().statement);
    (first ? loops.before : loops.after).push_back(other);
  }
  return true;
}

std::optional<PairLoops> loops_around(const Program& program, const isl::union_map& conflicts,
                                      const Member& seed) {
  PairLoops loops;
  if (!between(program, conflicts, seed.statement, seed.statement)
           .is_subset(same_pair(program, seed, seed))) {
    return std::nullopt;
  }
  loops.members.push_back(seed);
  for (std::size_t other = 0; other < program.statements.size(); ++other) {
    const bool connected = !between(program, conflicts, other, seed.statement).is_empty() ||
                           !between(program, conflicts, seed.statement, other).is_empty();
    if (other == seed.statement || !connected) continue;
    if (const auto found = companion(program, conflicts, loops.members, other)) {
      loops.members.push_back(*found);
    }
  }
  for (const Member& m : loops.members) {
    for (const isl::aff& f : program::single_formulas(rest_of_time(program, m))) {
      if (depends(f, m.i) || depends(f, m.j)) return std::nullopt;
    }
  }
  if (!place_others(program, conflicts, loops)) return std::nullopt;
  // any order of the pairs is as good as this one: members conflict within a pair only
  const isl::union_map some =
      phased(program, loops, pair_text, [](const Member&) { return std::string(); });
  if (!respects(some, conflicts)) return std::nullopt;
  return loops;
}

struct Rows {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  std::int64_t count() const { return std::max<std::int64_t>(0, last - first + 1); }
};

Rows rows_at(const Program& program, const PairLoops& loops, const Sizes& sizes) {
  Rows rows;
  program::for_each_point(rows_of(program, loops), sizes, [&rows](program::Coordinates x) {
    rows.first = std::min(rows.first, x[0]);
    rows.last = std::max(rows.last, x[0]);
  });
  return rows;
}

// Whether some pairs have i < j and some i > j.
bool both_triangles(const Program& program, const Member& m) {
  const Statement& s = program.statements[m.statement];
  const auto beside = [&](const char* relation) {
    const isl::set half(program::context(), "{ " + instance(s, "x") + " : " + coordinate(m.i) +
                                                relation + coordinate(m.j) + " }");
    return !s.domain.intersect(half).is_empty();
  };
  return beside(" < ") && beside(" > ");
}

}  // namespace

std::optional<PairLoops> pair_loops(const Program& program) {
  std::optional<isl::union_map> all;
  for (std::size_t s = 0; s < program.statements.size(); ++s) {
    const int loops = static_cast<int>(program.statements[s].iterators.size());
    for (int i = 0; i < loops; ++i) {
      for (int j = 0; j < loops; ++j) {
        if (i == j || !reads_alike(program.statements[s], i, j)) continue;
        if (!all) all = conflicts(program);
        if (auto found = loops_around(program, *all, {s, i, j})) return found;
      }
    }
  }
  return std::nullopt;
}

isl::map rest_of_time(const Program& program, const Member& m) {
  const Statement& s = program.statements[m.statement];
  const std::vector<isl::aff> times = program::single_formulas(s.schedule);
  isl_map* rest = s.schedule.copy();
  for (std::size_t d = times.size(); d-- > 0;) {
    for (const int position : {m.i, m.j}) {
      const isl::map step = isl::manage(isl_map_from_aff(times[d].copy()));
      if (!step.is_subset(map_to(s, coordinate(position)))) continue;
      rest = isl_map_project_out(rest, isl_dim_out, static_cast<unsigned>(d), 1);
      break;
    }
  }
  return isl::manage(rest);
}

isl::set rows_of(const Program& program, const PairLoops& loops) {
  std::optional<isl::set> rows;
  for (const Member& m : loops.members) {
    const Statement& s = program.statements[m.statement];
    for (const int d : {m.i, m.j}) {
      const isl::set values = s.domain.apply(map_to(s, coordinate(d)));
      rows = rows ? rows->unite(values) : values;
    }
  }
  return rows->coalesce();
}

std::vector<TriangleBlocks> triangle_blocks(const Program& program, const PairLoops& loops,
                                            const Sizes& sizes, std::int64_t s, std::size_t most) {
  const auto n = static_cast<double>(rows_at(program, loops, sizes).count());
  const double triangles = both_triangles(program, loops.members.front()) ? 2 : 1;
  constexpr int largest_order = 61;
  std::vector<TriangleBlocks> result;
  // a larger order means smaller blocks, which read more
  for (int order = 2; order <= largest_order && result.size() < most; ++order) {
    const double points = order * order + order + 1;
    const double touched = n / points * (order + 1);
    const double held = triangles * (n * n / 2 / points) + touched;
    if (points > n || held > static_cast<double>(s)) continue;
    const std::optional<covering::Covering> plane = covering::projective_plane(order);
    if (plane) result.push_back({loops, plane->points, plane->sets.front()});
  }
  return result;
}

namespace {

// Of every two pieces: the block that works on their pairs, and the place of their pair in it.
class Table {
 public:
  struct Entry {
    std::int64_t block, place;
  };

  explicit Table(const TriangleBlocks& blocks)
      : points_(static_cast<std::size_t>(blocks.points)), entries_(points_ * points_) {
    const std::size_t touched = blocks.line.size();
    for (std::size_t b = 0; b < points_; ++b) {
      for (std::size_t u = 0; u < touched; ++u) {
        for (std::size_t v = 0; v < touched; ++v) {
          if (u == v && u > 0) continue;
          const std::size_t place = std::max(u, v) * touched + std::min(u, v);
          entries_[piece(blocks, u, b) * points_ + piece(blocks, v, b)] = {
              static_cast<std::int64_t>(b), static_cast<std::int64_t>(place)};
        }
      }
    }
  }

  const Entry& at(std::int64_t p, std::int64_t q) const {
    return entries_[static_cast<std::size_t>(p) * points_ + static_cast<std::size_t>(q)];
  }

 private:
  std::size_t piece(const TriangleBlocks& blocks, std::size_t u, std::size_t block) const {
    return (static_cast<std::size_t>(blocks.line[u]) + block) % points_;
  }

  std::size_t points_;
  std::vector<Entry> entries_;
};

}  // namespace

TriangleTimes times(const Program& program, const TriangleBlocks& blocks, const Sizes& sizes) {
  const Rows rows = rows_at(program, blocks.loops, sizes);
  const std::string points = std::to_string(blocks.points);
  // the piece p with rows p / points <= x < rows (p + 1) / points, both rounded down
  const auto piece = [&](int d) {
    return "floor((" + points + "*(" + coordinate(d) + " - " + std::to_string(rows.first) +
           " + 1) - 1)/" + std::to_string(std::max<std::int64_t>(1, rows.count())) + ")";
  };
  const auto pieces = [&piece](const Member& m) { return piece(m.i) + ", " + piece(m.j); };
  PairLoops members = blocks.loops;
  members.before.clear();
  members.after.clear();
  TriangleTimes result;
  result.times = phased(program, blocks.loops, pieces,
                        [&](const Member& m) { return pieces(m) + ", " + pair_text(m); });
  result.tiles = phased(program, members, pieces, [](const Member&) { return std::string(); });
  const auto tail = 3 + static_cast<std::size_t>(longest_rest(program, blocks.loops));
  result.order = [table = Table(blocks), tail](std::vector<std::int64_t>& time) {
    if (time[0] != 1) return;
    const auto p = time[1];
    const auto q = time[2];
    time[1] = table.at(p, q).block;
    time[2] = 0;
    if (time.size() <= tail) return;
    time[tail] = table.at(p, q).place;
    time[tail + 1] = p < q ? 1 : 0;  // pairs the other way round come second
  };
  return result;
}

}  // namespace redblue::schedule
