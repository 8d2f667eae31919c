// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/independent_first.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <algorithm>

#include "schedule/order.hpp"
#include "schedule/tiling.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::schedule {

namespace {

// Instance -> the iterators that no loop of the band steps through.
isl::map loops_inside(const isl::set& instances, const isl::union_map& band) {
  isl_map* result = isl_set_identity(instances.copy());
  const auto steps = of_statement(band, isl_set_get_tuple_name(instances.get()));
  for (int d = isl_set_dim(instances.get(), isl_dim_set) - 1; d >= 0; --d) {
    const auto at = static_cast<unsigned>(d);
    if (!steps || isl_map_involves_dims(steps->get(), isl_dim_in, at, 1))
      result = isl_map_project_out(result, isl_dim_out, at, 1);
  }
  return isl::manage(isl_map_reset_tuple_id(result, isl_dim_out));
}

isl::map behind(int flag, const isl::map& map) {
  isl_map* result = isl_map_insert_dims(map.copy(), isl_dim_out, 0, 1);
  return isl::manage(isl_map_fix_si(result, isl_dim_out, 0, flag));
}

// Above point loops.
isl::schedule_node split(const isl::schedule_node& points, const isl::union_map& order) {
  const isl::union_map tile =
      isl::manage(isl_schedule_node_get_prefix_schedule_union_map(points.get()));
  const isl::union_set inside = isl::manage(isl_schedule_node_get_domain(points.get()));
  const isl::union_map band =
      isl::manage(isl_schedule_node_band_get_partial_schedule_union_map(points.get()));
  const isl::union_map tiles = tile.intersect_domain(inside);
  const isl::union_set needing = order.intersect(tiles.apply_range(tiles.reverse())).range();
  isl::union_map times = nothing();
  inside.foreach_set([&](const isl::set& all) {
    const isl::map loops = loops_inside(all, band);
    const isl::map none = isl::manage(isl_map_from_domain(all.copy()));
    const isl::union_set here(all);
    const isl::union_set first =
        isl_map_dim(loops.get(), isl_dim_out) > 0 ? here.subtract(needing) : here.subtract(here);
    here.subtract(first).foreach_set([&](const isl::set& s) {
      times = times.unite(isl::union_map(behind(1, none.intersect_domain(s))));
    });
    first.foreach_set([&](const isl::set& s) {
      times = times.unite(isl::union_map(behind(0, loops.intersect_domain(s))));
    });
  });
  const isl::union_map same_length = padded(times, longest(times));
  return isl::manage(isl_schedule_node_insert_partial_schedule(
      points.copy(), isl_multi_union_pw_aff_from_union_map(same_length.copy())));
}

}  // namespace

isl::schedule independent_first(const isl::schedule& tiled, const isl::union_map& order) {
  return at_point_loops(tiled,
                        [&](const isl::schedule_node& points) { return split(points, order); });
}

}  // namespace redblue::schedule
