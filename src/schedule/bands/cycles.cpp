// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/bands/cycles.hpp"

#include <isl/map.h>

#include <algorithm>

namespace redblue::schedule::codegen {

using program::Access;
using program::Statement;

double division_cycles(const Statement& s, const InnerLoop& inner) {
  return divisions(s) * (inner.independent ? per_division : per_division + waits_for_division);
}

double cycles_of(const InnerLoop& inner, const std::vector<std::int64_t>& tiles) {
  const auto is_small = [](std::int64_t size) { return size > 0 && size <= small_tile; };
  const bool small = !tiles.empty() &&
                     (inner.in_wavefront ? is_small(tiles[static_cast<std::size_t>(inner.member)])
                                         : std::all_of(tiles.begin(), tiles.end(), is_small));
  return (inner.independent && inner.far == 0 ? in_vector
          : inner.independent                 ? 1.0
                                              : waits) +
         to_next * inner.next + (small ? to_far_in_tile : to_far) * inner.far;
}

InnerLoop own_inner_loop(const Statement& s, const isl::union_map& order) {
  InnerLoop inner;
  const int last = static_cast<int>(s.iterators.size()) - 1;
  if (last < 0) return inner;
  count_accesses(s, inner, [last](const Access& access) { return stride_of(access, last); });
  inner.independent = true;
  order.foreach_map([&](const isl::map& pairs) {
    const std::string from = isl_map_get_tuple_name(pairs.get(), isl_dim_in);
    const std::string to = isl_map_get_tuple_name(pairs.get(), isl_dim_out);
    if (from != s.name || to != s.name) return;
    isl_map* same = pairs.copy();
    for (int d = 0; d < last; ++d) same = isl_map_equate(same, isl_dim_in, d, isl_dim_out, d);
    inner.independent = inner.independent && isl_map_is_empty(same) == isl_bool_true;
    isl_map_free(same);
  });
  return inner;
}

}  // namespace redblue::schedule::codegen
