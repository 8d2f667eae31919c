// SPDX-License-Identifier: BSD-3-Clause
#include "sweeps/at_sizes.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>

#include "program/checked.hpp"
#include "redblue/error.hpp"

namespace redblue::sweeps {

using program::Program;
using program::Sizes;
using program::Statement;

namespace {

void require_sizes(isl_space* space, const Sizes& sizes) {
  for (int p = 0; p < static_cast<int>(isl_space_dim(space, isl_dim_param)); ++p) {
    const std::string name = isl_space_get_dim_name(space, isl_dim_param, static_cast<unsigned>(p));
    if (sizes.count(name) == 0) throw Error("--set", "no size for " + name, "add " + name + "=100");
  }
  isl_space_free(space);
}

}  // namespace

isl::set at_sizes(const isl::set& set, const Sizes& sizes) {
  require_sizes(isl_set_get_space(set.get()), sizes);
  return isl::manage(isl_set_coalesce(program::at_sizes(set, sizes).release()));
}

isl::map at_sizes(const isl::map& map, const Sizes& sizes) {
  require_sizes(isl_map_get_space(map.get()), sizes);
  return isl::manage(isl_map_coalesce(program::at_sizes(map, sizes).release()));
}

isl::pw_aff at_sizes(const isl::pw_aff& value, const Sizes& sizes) {
  const isl::map map = at_sizes(isl::manage(isl_map_from_pw_aff(value.copy())), sizes);
  isl_pw_multi_aff* result = isl_pw_multi_aff_from_map(map.copy());
  const isl::pw_aff first = isl::manage(isl_pw_multi_aff_get_pw_aff(result, 0));
  isl_pw_multi_aff_free(result);
  return first;
}

Program at_sizes(const Program& program, const Sizes& sizes) {
  Program result = program;
  result.parameters.clear();
  result.statements.clear();
  for (const Statement& s : program.statements) {
    Statement fixed = s;
    fixed.domain = at_sizes(s.domain, sizes);
    if (fixed.domain.is_empty()) continue;
    fixed.schedule = at_sizes(s.schedule, sizes);
    for (auto* accesses : {&fixed.reads, &fixed.writes}) {
      for (program::Access& access : *accesses) access.elements = at_sizes(access.elements, sizes);
    }
    for (program::Counter& counter : fixed.counters) counter.value = at_sizes(counter.value, sizes);
    result.statements.push_back(fixed);
  }
  return result;
}

std::int64_t number(const isl::pw_aff& value, const Sizes& sizes) {
  const isl::set image = at_sizes(isl::manage(isl_map_from_pw_aff(value.copy())).range(), sizes);
  return range_of(image, 0).begin;
}

Range range_of(const isl::set& set, int dimension) {
  isl_val* low = isl_set_dim_min_val(set.copy(), dimension);
  isl_val* high = isl_set_dim_max_val(set.copy(), dimension);
  const bool finite = isl_val_is_int(low) == isl_bool_true && isl_val_is_int(high) == isl_bool_true;
  Range range;
  if (finite) range = {program::to_64_bits(low), program::sum(program::to_64_bits(high), 1)};
  isl_val_free(low);
  isl_val_free(high);
  if (!finite) throw Error("the subscripts", "no range is known for them", "write affine ones");
  return range;
}

}  // namespace redblue::sweeps
