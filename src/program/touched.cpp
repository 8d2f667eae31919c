// SPDX-License-Identifier: BSD-3-Clause
#include "program/touched.hpp"

#include <isl/set.h>

#include <algorithm>

#include "program/checked.hpp"

namespace redblue::program {

Range range(const isl::set& set, int dimension) {
  return {whole_number(isl_set_dim_min_val(set.copy(), dimension)).value_or(0),
          whole_number(isl_set_dim_max_val(set.copy(), dimension)).value_or(0) + 1};
}

isl::set values_along(const isl::set& set, int dimension) {
  const auto at = static_cast<unsigned>(dimension);
  isl_set* values = isl_set_reset_tuple_id(set.copy());
  const auto all = static_cast<unsigned>(isl_set_dim(values, isl_dim_set));
  values = isl_set_project_out(values, isl_dim_set, at + 1, all - at - 1);
  return isl::manage(isl_set_project_out(values, isl_dim_set, 0, at));
}

std::vector<Range> touched(const Program& program, const std::string& array, const Sizes& sizes) {
  const isl::set here = at_sizes(sizes);
  std::vector<Range> result;
  for (const Statement& s : program.statements) {
    for (const auto* accesses : {&s.reads, &s.writes}) {
      for (const Access& a : *accesses) {
        if (a.array != array) continue;
        const isl::set elements =
            a.elements.intersect_domain(s.domain).range().intersect_params(here);
        if (elements.is_empty()) continue;
        const auto dimensions = static_cast<int>(isl_set_dim(elements.get(), isl_dim_set));
        for (int d = 0; d < dimensions; ++d) {
          const Range next = range(elements, d);
          if (static_cast<int>(result.size()) <= d) result.push_back(next);
          Range& all = result[static_cast<std::size_t>(d)];
          all = {std::min(all.begin, next.begin), std::max(all.end, next.end)};
        }
      }
    }
  }
  return result;
}

}  // namespace redblue::program
