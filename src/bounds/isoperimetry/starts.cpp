// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/isoperimetry/starts.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include "dataflow/step.hpp"
#include "program/operation_limit.hpp"

namespace redblue::bounds {

using dataflow::Vector;
using Maps = std::vector<std::vector<isl::map>>;  // by part and step

namespace {

isl::union_map without_identity(const isl::union_map& map) {
  isl_union_map* same = isl_union_map_copy(map.get());
  same = isl_union_set_identity(isl_union_map_domain(same));
  return map.subtract(isl::manage(same));
}

Maps starts(const Stencil& stencil) {
  const std::size_t parts = stencil.parts.size();
  isl::union_map places = isl::manage(isl_union_map_empty_ctx(program::context().get()));
  Maps back(parts);
  for (std::size_t i = 0; i < parts; ++i) {
    const StencilPart& part = stencil.parts[i];
    const isl::set& written = stencil.parts[(i + parts - 1) % parts].statement->domain;
    for (std::size_t s = 0; s < stencil.steps.size(); ++s) {
      const Vector by = *dataflow::translation(part.before[s]);
      back[i].push_back(places_behind(part.statement->domain, written, by));
      const isl::map inputs = part.starts[s].intersect_domain(part.statement->domain);
      places = places.unite(isl::union_map(back[i][s].reverse().apply_range(inputs)));
    }
  }
  isl::union_set unclear = without_identity(places.apply_range(places.reverse())).domain();
  const isl::union_set twice = without_identity(places.reverse().apply_range(places)).domain();
  unclear = unclear.unite(places.intersect_range(twice).domain());
  for (const StencilPart& part : stencil.parts)
    unclear = unclear.unite(isl::union_set(part.statement->domain));
  Maps result(parts);
  for (std::size_t i = 0; i < parts; ++i) {
    for (std::size_t s = 0; s < stencil.steps.size(); ++s) {
      const isl::map& inputs = stencil.parts[i].starts[s];
      const isl::union_set readers = isl::union_map(back[i][s]).intersect_range(unclear).domain();
      const isl::union_map clean = isl::union_map(inputs).subtract_domain(readers);
      result[i].push_back(clean.is_empty() ? inputs.subtract(inputs)
                                           : isl::manage(isl_map_from_union_map(clean.copy())));
    }
  }
  return result;
}

}  // namespace

isl::map places_behind(const isl::set& from, const isl::set& to, const Vector& by) {
  isl_multi_aff* back =
      isl_multi_aff_identity(isl_space_map_from_set(isl_set_get_space(from.get())));
  for (std::size_t t = 0; t < by.size(); ++t) {
    const int place = static_cast<int>(t);
    isl_aff* aff = isl_multi_aff_get_aff(back, place);
    back =
        isl_multi_aff_set_aff(back, place, isl_aff_add_constant_si(aff, -static_cast<int>(by[t])));
  }
  isl_map* map = isl_map_from_multi_aff(back);
  return isl::manage(isl_map_set_tuple_name(map, isl_dim_out, isl_set_get_tuple_name(to.get())));
}

Maps clean_starts(const Stencil& stencil) {
  constexpr unsigned long most_operations = 600'000;
  try {
    const program::OperationLimit limit(most_operations);
    Maps result = starts(stencil);
    program::OperationLimit::check();
    return result;
  } catch (const isl::exception&) {
    Maps none;
    for (const StencilPart& part : stencil.parts) {
      none.emplace_back();
      for (const isl::map& start : part.starts)
        none.back().push_back(isl::manage(isl_map_empty(isl_map_get_space(start.get()))));
    }
    return none;
  }
}

}  // namespace redblue::bounds
