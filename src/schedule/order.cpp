// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/order.hpp"

#include <isl/map.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include "dataflow/dependences.hpp"

namespace redblue::schedule {

using program::Access;
using program::Program;
using program::Statement;

namespace {

isl::union_map all(const Program& program, std::vector<Access> Statement::*kind) {
  isl::union_map result = nothing();
  for (const Statement& s : program.statements) {
    for (const Access& a : s.*kind) result = result.unite(isl::union_map(a.elements));
  }
  return result;
}

}  // namespace

isl::union_map nothing() {
  return isl::manage(isl_union_map_empty_ctx(program::context().get()));
}

isl::union_set instances(const Program& program) {
  isl::union_set result = isl::manage(isl_union_set_empty_ctx(program::context().get()));
  for (const Statement& s : program.statements) result = result.unite(isl::union_set(s.domain));
  return result;
}

isl::union_map times(const Program& program) {
  isl::union_map result = nothing();
  for (const Statement& s : program.statements) result = result.unite(isl::union_map(s.schedule));
  return result;
}

isl::union_map conflicts(const Program& program) {
  const isl::union_map writes = all(program, &Statement::writes);
  const isl::union_map reads = all(program, &Statement::reads);
  const isl::union_map touched = writes.unite(reads);
  const isl::union_map pairs =
      touched.apply_range(writes.reverse()).unite(writes.apply_range(reads.reverse()));
  const isl::union_map time = times(program);
  const isl::union_map before =
      isl::manage(isl_union_map_lex_lt_union_map(time.copy(), time.copy()));
  return pairs.intersect(before).coalesce();
}

isl::union_map flow(const Program& program) {
  isl::union_map result = nothing();
  for (const Statement& s : program.statements) {
    for (const Access& read : s.reads) {
      for (const program::Source& source : dataflow::sources(program, s, read)) {
        if (!source.statement.empty())
          result = result.unite(isl::union_map(source.values.reverse()));
      }
    }
  }
  return result.coalesce();
}

isl::union_map common_reads(const Program& program) {
  const isl::union_map reads = all(program, &Statement::reads);
  return reads.apply_range(reads.reverse());
}

std::optional<isl::map> of_statement(const isl::union_map& maps, const std::string& name) {
  struct Search {
    const std::string& name;
    std::optional<isl::map> found;
  } search{name, {}};
  isl_union_map_foreach_map(
      maps.get(),
      [](isl_map* map, void* user) {
        auto& s = *static_cast<Search*>(user);
        const isl::map here = isl::manage(map);
        const char* tuple = isl_map_get_tuple_name(map, isl_dim_in);
        if (tuple != nullptr && s.name == tuple) s.found = here;
        return isl_stat_ok;
      },
      &search);
  return search.found;
}

bool respects(const isl::union_map& times, const isl::union_map& order) {
  const isl::union_map not_after =
      isl::manage(isl_union_map_lex_ge_union_map(times.copy(), times.copy()));
  return order.intersect(not_after).is_empty();
}

}  // namespace redblue::schedule
