// SPDX-License-Identifier: BSD-3-Clause
#include "program/merge.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>

namespace redblue::program {

namespace {

isl::map renamed(const isl::map& map, const std::string& name) {
  return isl::manage(isl_map_set_tuple_name(map.copy(), isl_dim_in, name.c_str()));
}

bool same_access(const Access& a, const Access& b) {
  if (a.array != b.array || a.conditional != b.conditional) return false;
  const auto aligned = [](const isl::map& map, const isl::map& model) {
    return isl::manage(
        isl_map_align_params(renamed(map, "M").release(), isl_map_get_space(model.get())));
  };
  const isl::map first = aligned(a.elements, b.elements);
  const std::vector<isl::aff> one = single_formulas(first);
  const std::vector<isl::aff> other = single_formulas(aligned(b.elements, first));
  if (one.size() != other.size()) return false;
  for (std::size_t d = 0; d < one.size(); ++d) {
    if (isl_aff_plain_is_equal(one[d].get(), other[d].get()) != isl_bool_true) return false;
  }
  return !one.empty() || isl_map_dim(a.elements.get(), isl_dim_out) == 0;
}

bool same_accesses(const std::vector<Access>& a, const std::vector<Access>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_access);
}

isl::set renamed(const isl::set& set, const std::string& name) {
  return isl::manage(isl_set_set_tuple_name(set.copy(), name.c_str()));
}

bool alike(const Statement& a, const Statement& b) {
  return a.iterators.size() == b.iterators.size() && !a.iterators.empty() &&
         same_accesses(a.reads, b.reads) && same_accesses(a.writes, b.writes) &&
         renamed(a.domain, "M").is_disjoint(renamed(b.domain, "M"));
}

std::vector<Access> united(const std::vector<Access>& a, const std::vector<Access>& b,
                           const std::string& name) {
  std::vector<Access> result = a;
  for (std::size_t i = 0; i < a.size(); ++i) {
    result[i].sources = nullptr;
    result[i].elements = renamed(a[i].elements, name).unite(renamed(b[i].elements, name));
  }
  return result;
}

Statement joined(const Statement& a, const Statement& b) {
  const std::string name = a.name + "+" + b.name;
  return {name,
          a.iterators,
          renamed(a.domain, name).unite(renamed(b.domain, name)),
          renamed(a.schedule, name).unite(renamed(b.schedule, name)),
          united(a.reads, b.reads, name),
          united(a.writes, b.writes, name),
          a.line,
          "",
          {}};
}

}  // namespace

Program merge_alike(const Program& program) {
  Program result = program;
  std::vector<Statement> statements;
  for (const Statement& s : program.statements) {
    const auto twin = std::find_if(statements.begin(), statements.end(),
                                   [&s](const Statement& known) { return alike(known, s); });
    if (twin == statements.end()) {
      statements.push_back(s);
    } else {
      const Statement both = joined(*twin, s);
      statements.erase(twin);
      statements.push_back(both);
    }
  }
  result.statements = statements;
  return result;
}

}  // namespace redblue::program
