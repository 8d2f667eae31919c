// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/time_maps.hpp"

#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/val.h>

#include <algorithm>

#include "schedule/order.hpp"

namespace redblue::schedule {

isl::union_map product(const isl::union_map& first, const isl::union_map& second) {
  return isl::manage(isl_union_map_flat_range_product(first.copy(), second.copy()));
}

namespace {

std::optional<long> taken(isl_val* value) {
  const bool whole = isl_val_is_int(value) == isl_bool_true;
  const long number = whole ? isl_val_get_num_si(value) : 0;
  isl_val_free(value);
  if (!whole) return std::nullopt;
  return number;
}

}  // namespace

std::optional<long> fixed_value(const isl::map& map, int dimension) {
  const std::optional<long> seen = taken(
      isl_map_plain_get_val_if_fixed(map.get(), isl_dim_out, static_cast<unsigned>(dimension)));
  if (seen) return seen;
  // Several pieces may agree without isl seeing it.
  const isl::set range = map.range();
  const std::optional<long> low = taken(isl_set_dim_min_val(range.copy(), dimension));
  if (!low) return std::nullopt;
  const std::optional<long> high = taken(isl_set_dim_max_val(range.copy(), dimension));
  return low == high ? low : std::nullopt;
}

isl::union_map leading(const isl::union_map& times, int count) {
  isl::union_map result = nothing();
  times.foreach_map([&](const isl::map& m) {
    const auto all = static_cast<unsigned>(isl_map_dim(m.get(), isl_dim_out));
    const auto kept = std::min(all, static_cast<unsigned>(count));
    result = result.unite(
        isl::union_map(isl::manage(isl_map_project_out(m.copy(), isl_dim_out, kept, all - kept))));
  });
  return result;
}

int longest(const isl::union_map& times) {
  int most = 0;
  times.foreach_map([&most](const isl::map& m) {
    most = std::max(most, static_cast<int>(isl_map_dim(m.get(), isl_dim_out)));
  });
  return most;
}

isl::union_map padded(const isl::union_map& times, int length) {
  isl::union_map result = nothing();
  times.foreach_map([&](const isl::map& m) {
    const auto own = static_cast<unsigned>(isl_map_dim(m.get(), isl_dim_out));
    isl_map* longer = isl_map_add_dims(isl_map_reset_tuple_id(m.copy(), isl_dim_out), isl_dim_out,
                                       static_cast<unsigned>(length) - own);
    for (auto d = own; d < static_cast<unsigned>(length); ++d)
      longer = isl_map_fix_si(longer, isl_dim_out, d, 0);
    result = result.unite(isl::union_map(isl::manage(longer)));
  });
  return result;
}

}  // namespace redblue::schedule
