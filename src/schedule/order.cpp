// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/order.hpp"

#include <isl/map.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include <algorithm>
#include <map>
#include <ranges>

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

// Instance -> element.
struct Touched {
  isl::union_map reads = nothing(), writes = nothing();
  isl::union_map all() const { return writes.unite(reads); }
};

void add_accesses(const Program& program, std::size_t index,
                  std::map<std::string, Touched>& groups) {
  const Statement& s = program.statements[index];
  const auto update =
      std::find_if(program.commuting.begin(), program.commuting.end(),
                   [index](const program::Update& u) { return u.statement == index; });
  // Other storage may have come between what the update reads and what it writes.
  const bool commutes = update != program.commuting.end() &&
                        s.reads[update->read].elements.is_equal(s.writes.front().elements);
  const auto group = [&](bool own) -> Touched& {
    return groups[commutes && own ? update->function : ""];
  };
  for (std::size_t r = 0; r < s.reads.size(); ++r) {
    isl::union_map& reads = group(commutes && r == update->read).reads;
    reads = reads.unite(isl::union_map(s.reads[r].elements));
  }
  for (const Access& a : s.writes) {
    isl::union_map& writes = group(true).writes;
    writes = writes.unite(isl::union_map(a.elements));
  }
}

using Compare = isl_map* (*)(isl_map*, isl_map*);

// The pairs of instances whose times compare so, for two statements at a time: most have no pairs.
// Times of different length compare in every way.
isl::union_map where(const isl::union_map& pairs, const isl::union_map& times, Compare compare) {
  std::multimap<std::string, isl::map> of_statements;
  times.foreach_map([&of_statements](const isl::map& time) {
    of_statements.emplace(isl_map_get_tuple_name(time.get(), isl_dim_in), time);
  });
  const auto times_of = [&of_statements](const isl::map& of, isl_dim_type end) {
    const auto [first, behind] = of_statements.equal_range(isl_map_get_tuple_name(of.get(), end));
    return std::ranges::subrange(first, behind);
  };
  isl::union_map result = nothing();
  pairs.foreach_map([&](const isl::map& all) {
    for (const auto& [from, one] : times_of(all, isl_dim_in)) {
      for (const auto& [to, other] : times_of(all, isl_dim_out)) {
        const bool told =
            isl_map_dim(one.get(), isl_dim_out) == isl_map_dim(other.get(), isl_dim_out);
        const isl::map here =
            told ? all.intersect(isl::manage(compare(one.copy(), other.copy()))) : all;
        if (!here.is_empty()) result = result.unite(isl::union_map(here));
      }
    }
  });
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
  std::map<std::string, Touched> groups;  // of each function's commuting updates; "": all else
  for (std::size_t s = 0; s < program.statements.size(); ++s) add_accesses(program, s, groups);
  isl::union_map pairs = nothing();
  for (const auto& [function, a] : groups) {
    for (const auto& [other, b] : groups) {
      if (function == other && !function.empty()) continue;
      pairs = pairs.unite(a.all().apply_range(b.writes.reverse()))
                  .unite(a.writes.apply_range(b.reads.reverse()));
    }
  }
  return in_program_order(program, pairs).coalesce();
}

isl::union_map in_program_order(const Program& program, const isl::union_map& pairs) {
  return where(pairs, times(program), isl_map_lex_lt_map);
}

isl::union_map one_at_a_time(const Program& program) {
  Program ordered = program;
  ordered.commuting.clear();
  return conflicts(ordered);
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
  return where(order, times, isl_map_lex_ge_map).is_empty();
}

}  // namespace redblue::schedule
