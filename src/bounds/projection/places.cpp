// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/projection/places.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>

#include "bounds/roles.hpp"
#include "program/program.hpp"

namespace redblue::bounds {

isl::map without_outputs(const isl::map& map, unsigned first, unsigned count) {
  isl_map* rest = isl_map_reset_tuple_id(map.copy(), isl_dim_out);
  return isl::manage(isl_map_project_out(rest, isl_dim_out, first, count));
}

isl::map coordinate(const isl::map& map, unsigned which) {
  const auto all = static_cast<unsigned>(isl_map_dim(map.get(), isl_dim_out));
  return without_outputs(without_outputs(map, which + 1, all - which - 1), 0, which);
}

std::optional<unsigned> moved_by(const isl::map& values, int axis) {
  const std::vector<isl::aff> formulas = program::single_formulas(values);
  std::optional<unsigned> moved;
  for (unsigned d = 0; d < formulas.size(); ++d) {
    isl_aff* f = formulas[d].get();
    if (!isl_aff_involves_dims(f, isl_dim_in, static_cast<unsigned>(axis), 1)) continue;
    const isl::val by = isl::manage(isl_aff_get_coefficient_val(f, isl_dim_in, axis));
    const bool is_unit = by.is_one() || by.is_negone();
    if (moved || !is_unit || isl_aff_dim(f, isl_dim_div) != 0) return std::nullopt;
    moved = d;
  }
  return moved;
}

isl::set without(const isl::set& all, const std::vector<isl::set>& parts) {
  isl::set rest = all;
  for (const isl::set& part : parts) {
    if (same_space(part, all)) rest = rest.subtract(part);
  }
  return rest;
}

bool determines_instances(const isl::map& one, const isl::map& other) {
  return isl::manage(isl_map_range_product(one.copy(), other.copy())).is_injective();
}

bool is_contiguous(const isl::set& counted, const isl::set& all, int axis) {
  isl_map* later = isl_map_universe(isl_space_map_from_set(isl_set_get_space(all.get())));
  for (int d = 0; d < static_cast<int>(isl_set_dim(all.get(), isl_dim_set)); ++d) {
    later = d == axis ? isl_map_order_lt(later, isl_dim_in, d, isl_dim_out, d)
                      : isl_map_equate(later, isl_dim_in, d, isl_dim_out, d);
  }
  const isl::map after = isl::manage(later);
  const isl::set between = counted.apply(after).intersect(counted.apply(after.reverse()));
  return between.intersect(all).is_subset(counted);
}

}  // namespace redblue::bounds
