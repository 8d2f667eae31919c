// SPDX-License-Identifier: BSD-3-Clause
#include "program/determined_loops.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>

#include <vector>

#include "program/straighten.hpp"

namespace redblue::program {

namespace {

// One piece where the pieces together are one: tiles that end early, i < min(ii + 32, n).
isl::set in_one_piece(const isl::set& set) {
  const isl::set hull = isl::manage(isl_set_from_basic_set(isl_set_simple_hull(set.copy())));
  return hull.is_subset(set) ? hull : set;
}

// Instance -> the same without the counter of loop t.
isl::map without_counter(const isl::set& domain, unsigned t) {
  isl_map* map = isl_map_project_out(isl_set_identity(domain.copy()), isl_dim_out, t, 1);
  return isl::manage(
      isl_map_set_tuple_name(map, isl_dim_out, isl_set_get_tuple_name(domain.get())));
}

// The loops that those left determine, found one after the other.
std::vector<unsigned> determined_loops(const Statement& s) {
  std::vector<unsigned> dropped;
  isl::set domain = in_one_piece(s.domain);
  for (unsigned t = 0, place = 0; t < s.iterators.size(); ++t) {
    const isl::map without = without_counter(domain, place);
    if (s.iterators.size() - dropped.size() < 2 || !without.is_injective()) {
      ++place;
      continue;
    }
    dropped.push_back(t);
    domain = without.range();
  }
  return dropped;
}

isl::map unnamed(const isl::map& map) {
  return isl::manage(
      isl_map_reset_tuple_id(isl_map_reset_tuple_id(map.copy(), isl_dim_in), isl_dim_out));
}

isl::pw_aff moved(const isl::pw_aff& value, const isl::map& to_new) {
  const isl::map map = isl::manage(isl_map_from_pw_aff(value.copy()));
  isl_pw_multi_aff* result = isl_pw_multi_aff_from_map(map.apply_domain(unnamed(to_new)).release());
  const isl::pw_aff first = isl::manage(isl_pw_multi_aff_get_pw_aff(result, 0));
  isl_pw_multi_aff_free(result);
  return first;
}

void drop(Statement& s, const std::vector<unsigned>& loops) {
  isl::map to_new = isl::manage(isl_set_identity(in_one_piece(s.domain).release()));
  for (auto t = loops.rbegin(); t != loops.rend(); ++t)
    to_new = isl::manage(isl_map_project_out(to_new.release(), isl_dim_out, *t, 1));
  to_new = isl::manage(isl_map_set_tuple_name(to_new.release(), isl_dim_out, s.name.c_str()));
  const isl::set domain = to_new.range().detect_equalities().coalesce();
  const auto simple = [&domain](const isl::map& map) {
    return isl::manage(isl_map_coalesce(isl_map_gist_domain(map.copy(), domain.copy())))
        .intersect_domain(domain);
  };
  const auto one_piece = [](const isl::map& map) {
    return isl::manage(in_one_piece(map.wrap()).unwrap().release());
  };
  s.domain = domain;
  s.schedule = simple(one_piece(s.schedule).apply_domain(to_new));
  for (auto* accesses : {&s.reads, &s.writes}) {
    for (Access& access : *accesses) {
      access.elements = simple(one_piece(access.elements).apply_domain(to_new));
      access.sources = nullptr;
    }
  }
  for (Counter& counter : s.counters) counter.value = moved(counter.value, to_new);
  for (auto t = loops.rbegin(); t != loops.rend(); ++t)
    s.iterators.erase(s.iterators.begin() + static_cast<std::ptrdiff_t>(*t));
}

}  // namespace

Program without_determined_loops(const Program& program) {
  Program result = program;
  for (Statement& s : result.statements) {
    const std::vector<unsigned> loops = determined_loops(s);
    if (!loops.empty()) drop(s, loops);
  }
  return result;
}

Program untiled(const Program& program) {
  for (const auto& straight : {straighten, straighten_outputs}) {
    const Program result = without_determined_loops(straight(program));
    for (std::size_t s = 0; s < program.statements.size(); ++s) {
      if (result.statements[s].iterators.size() < program.statements[s].iterators.size())
        return result;
    }
  }
  return program;
}

}  // namespace redblue::program
