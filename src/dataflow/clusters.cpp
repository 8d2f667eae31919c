// SPDX-License-Identifier: BSD-3-Clause
#include "dataflow/clusters.hpp"

#include <isl/map.h>
#include <isl/point.h>
#include <isl/set.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "dataflow/dependences.hpp"
#include "program/determined_loops.hpp"
#include "program/repeated_reads.hpp"

namespace redblue::dataflow {

using program::Access;
using program::Program;
using program::Statement;

namespace {

constexpr int most_combinations = 128;

using Owners = std::map<std::string, isl::map>;  // statement -> its instances' w

// Instance of `member` -> the instance of `centre` with the same first counters.
isl::map same_first_counters(const Statement& member, const Statement& centre) {
  const auto shared = static_cast<unsigned>(centre.iterators.size());
  isl_map* map = isl_set_identity(member.domain.copy());
  map = isl_map_project_out(map, isl_dim_out, shared,
                            static_cast<unsigned>(member.iterators.size()) - shared);
  return isl::manage(isl_map_set_tuple_name(map, isl_dim_out, centre.name.c_str()));
}

// Whether all that reads a value of `member` belongs to the same w, and each value is read.
bool belongs(const Program& program, const Statement& member, const isl::map& owner,
             const Owners& owners) {
  isl::set unread = member.domain;
  for (const Statement& reader : program.statements) {
    for (const Access& read : reader.reads) {
      for (const Source& source : *read.sources) {
        if (source.statement != member.name) continue;
        const auto known = owners.find(reader.name);
        if (known == owners.end() && reader.name != member.name) return false;
        const isl::map& readers = reader.name == member.name ? owner : known->second;
        if (read.conditional || !source.values.apply_range(owner).is_subset(readers)) return false;
        unread = unread.subtract(source.values.range());
      }
    }
  }
  return unread.is_empty();
}

using Names = std::set<std::string>;  // of statements

// Statements some of whose values must end in slow memory.
Names makers_of_outputs(const Program& program) {
  Names result;
  for (const FinalValues& values : final_values(program)) result.insert(values.statement);
  return result;
}

Owners members_of(const Program& program, const Statement& centre, const Names& outputs) {
  Owners owners = {{centre.name, isl::manage(isl_set_identity(centre.domain.copy()))}};
  bool more = centre.iterators.size() >= 2;
  while (more) {
    more = false;
    for (const Statement& s : program.statements) {
      if (owners.count(s.name) != 0 || s.iterators.size() < centre.iterators.size() ||
          outputs.count(s.name) != 0)
        continue;
      const isl::map owner = same_first_counters(s, centre);
      if (!owner.range().is_subset(centre.domain) || !belongs(program, s, owner, owners)) continue;
      owners.emplace(s.name, owner);
      more = true;
    }
  }
  return owners;
}

// w -> one of its instances of `member`, for each combination of the counters w does not have;
// nothing where these are too many, or no constants limit them.
std::vector<isl::map> ways_to(const Statement& member, const isl::map& owner) {
  const isl::map all = owner.reverse();
  const auto shared = static_cast<unsigned>(isl_map_dim(owner.get(), isl_dim_out));
  const auto own = static_cast<unsigned>(member.iterators.size()) - shared;
  if (own == 0) return {all};
  isl_set* rest =
      isl_set_project_out(isl_set_reset_tuple_id(member.domain.copy()), isl_dim_set, 0, shared);
  rest = isl_set_project_out(rest, isl_dim_param, 0,
                             static_cast<unsigned>(isl_set_dim(rest, isl_dim_param)));
  const isl::set combinations = isl::manage(rest);
  if (isl_set_is_bounded(combinations.get()) != isl_bool_true) return {};
  struct Found {
    const isl::map& all;
    unsigned shared;
    std::vector<isl::map> ways;
  } found{all, shared, {}};
  isl_set_foreach_point(
      combinations.get(),
      [](isl_point* point, void* user) {
        auto& into = *static_cast<Found*>(user);
        isl_map* way = into.all.copy();
        const auto counters = static_cast<unsigned>(isl_map_dim(way, isl_dim_out)) - into.shared;
        for (unsigned t = 0; t < counters; ++t) {
          isl_val* value = isl_point_get_coordinate_val(point, isl_dim_set, static_cast<int>(t));
          way = isl_map_fix_val(way, isl_dim_out, into.shared + t, value);
        }
        isl_point_free(point);
        into.ways.push_back(isl::manage(way));
        return into.ways.size() > most_combinations ? isl_stat_error : isl_stat_ok;
      },
      &found);
  if (found.ways.size() > most_combinations) return {};
  return found.ways;
}

std::optional<Access> read_by_way(const isl::map& way, const Access& read, const Owners& owners) {
  Access result = read;
  result.elements = way.apply_range(read.elements).coalesce();
  result.where = {};
  std::vector<Source> sources;
  for (const Source& source : *read.sources) {
    const isl::map values = way.apply_range(source.values).coalesce();
    if (owners.count(source.statement) == 0 && !values.is_empty())
      sources.push_back({source.statement, values});
  }
  if (sources.empty()) return std::nullopt;
  result.sources = std::make_shared<const std::vector<Source>>(std::move(sources));
  return result;
}

// The loops of a statement before those that constants limit.
unsigned outer_loops(const Statement& s) {
  auto outer = static_cast<unsigned>(s.iterators.size());
  while (outer > 0) {
    isl_set* counter =
        isl_set_project_out(isl_set_reset_tuple_id(s.domain.copy()), isl_dim_set, outer,
                            static_cast<unsigned>(s.iterators.size()) - outer);
    counter = isl_set_project_out(counter, isl_dim_set, 0, outer - 1);
    counter = isl_set_project_out(counter, isl_dim_param, 0,
                                  static_cast<unsigned>(isl_set_dim(counter, isl_dim_param)));
    const bool bounded = isl_set_is_bounded(counter) == isl_bool_true;
    isl_set_free(counter);
    if (!bounded) break;
    --outer;
  }
  return outer;
}

// The instances whose values no other instance of the statement reads.
isl::set ends_of_chains(const Statement& s) {
  isl::set ends = s.domain;
  for (const Access& read : s.reads) {
    for (const Source& source : *read.sources)
      if (source.statement == s.name) ends = ends.subtract(source.values.range());
  }
  return ends;
}

isl::map part_of(const isl::map& map, const isl::set& instances, const std::string& name) {
  isl_map* part = map.intersect_domain(instances).release();
  return isl::manage(isl_map_set_tuple_name(part, isl_dim_in, name.c_str()));
}

Statement part_of(const Statement& s, const isl::set& instances, const std::string& name) {
  Statement part = s;
  part.name = name;
  part.domain = isl::manage(isl_set_set_tuple_name(instances.copy(), name.c_str()));
  part.schedule = part_of(s.schedule, instances, name);
  for (auto* accesses : {&part.reads, &part.writes}) {
    for (Access& access : *accesses) {
      access.elements = part_of(access.elements, instances, name);
      access.sources = nullptr;
    }
  }
  return part;
}

// Sums over loops of constant lengths, v[i] += u[i + a] for a = 0, 1, 2: the instance that makes
// the whole sum as a statement of its own, without the loops summed over.
Program with_ends_apart(const Program& program) {
  Program result = program;
  result.statements.clear();
  for (const Statement& s : program.statements) {
    const unsigned outer = outer_loops(s);
    const isl::set ends = ends_of_chains(s).coalesce();
    const isl::map outer_counters =
        isl::manage(isl_map_project_out(isl_set_identity(ends.copy()), isl_dim_out, outer,
                                        static_cast<unsigned>(s.iterators.size()) - outer));
    const bool one_end_each =
        outer >= 2 && outer < s.iterators.size() && outer_counters.is_injective();
    if (!one_end_each || ends.is_equal(s.domain)) {
      result.statements.push_back(s);
      continue;
    }
    result.statements.push_back(part_of(s, s.domain.subtract(ends).coalesce(), s.name));
    result.statements.push_back(part_of(s, ends, s.name + "'"));
  }
  if (result.statements.size() == program.statements.size()) return program;
  result = program::without_determined_loops(result);
  derive_sources(result);
  return result;
}

}  // namespace

Clustered clustered(const Program& program) {
  Clustered result{with_ends_apart(program), {}};
  Program& left = result.program;
  const Names outputs = makers_of_outputs(left);
  for (std::size_t c = left.statements.size(); c-- > 0;) {
    Statement centre = left.statements[c];
    const Owners owners = members_of(left, centre, outputs);
    if (owners.size() < 2) continue;
    std::vector<Access> reads;
    for (const Statement& member : left.statements) {
      const auto owner = owners.find(member.name);
      if (owner == owners.end()) continue;
      for (const isl::map& way : ways_to(member, owner->second)) {
        for (const Access& read : member.reads) {
          if (read.conditional) continue;
          if (auto outside = read_by_way(way, read, owners)) reads.push_back(std::move(*outside));
        }
      }
      if (member.name != centre.name) result.values.push_back(member.writes.front().array);
    }
    centre.reads = program::without_repeats(reads);
    left.statements[c] = centre;
    std::erase_if(left.statements, [&](const Statement& s) {
      return s.name != centre.name && owners.count(s.name) != 0;
    });
    c = std::min(c, left.statements.size());
  }
  std::sort(result.values.begin(), result.values.end());
  result.values.erase(std::unique(result.values.begin(), result.values.end()), result.values.end());
  return result;
}

}  // namespace redblue::dataflow
