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

std::int64_t strip_of(const InnerLoop& inner) {
  std::int64_t size = longest_strip;
  while (size > in_wavefront && static_cast<double>(size) * inner.far_in_line > lines_that_stay)
    size /= 2;
  return size;
}

double cycles_of(const InnerLoop& inner, const std::vector<std::int64_t>& tiles) {
  const auto is_small = [](std::int64_t size) { return size > 0 && size <= small_tile; };
  const auto lines_stay = [&] {
    const std::int64_t size = tiles[static_cast<std::size_t>(inner.member)];
    return size > 0 && size <= strip_of(inner);
  };
  double near = 0;  // of the far ones
  if (!tiles.empty() && std::all_of(tiles.begin(), tiles.end(), is_small))
    near = inner.far;
  else if (!tiles.empty() && lines_stay())
    near = inner.far_in_line;
  return (inner.independent && inner.far == 0 ? in_vector
          : inner.independent                 ? 1.0
                                              : waits) +
         to_next * inner.next + to_far_in_tile * near + to_far * (inner.far - near);
}

InnerLoop own_inner_loop(const Statement& s, const isl::union_map& order) {
  InnerLoop inner;
  const int last = static_cast<int>(s.iterators.size()) - 1;
  if (last < 0) return inner;
  count_accesses(s, inner, 1, [last](const Access& access) { return stride_of(access, last); });
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
