// SPDX-License-Identifier: BSD-3-Clause
#include <isl/map.h>
#include <isl/set.h>

#include "schedule/blocks/block_maps.hpp"
#include "schedule/blocks/call_tiles.hpp"
#include "schedule/order.hpp"

namespace redblue::schedule::codegen {

using program::Statement;

isl::map bounds_of(const CallBand& band, const isl::union_map& tiles) {
  const Product& p = *band.product;
  const Statement& s = band.program->statements[p.statement];
  const isl::map here = of_statement(tiles, s.name)->intersect_domain(s.domain).reverse();
  const std::vector<std::string> x = names("x", s.iterators.size());
  const auto values = [&](int d) {
    return here.apply_range(
        map("{ " + s.name + "[" + list(x) + "] -> [" + x[static_cast<std::size_t>(d)] + "] }"));
  };
  isl_map* result = nullptr;
  const auto add = [&result](isl_map* next) {
    result = result == nullptr ? next : isl_map_flat_range_product(result, next);
  };
  for (const int d : {p.rows, p.columns, p.sum}) {
    add(isl_map_lexmin(values(d).release()));
    add(isl_map_lexmax(values(d).release()));
  }
  for (const int d : p.outer) add(values(d).release());
  return isl::manage(result);
}

bool separable(const CallBand& band, int iterator) {
  const Product& p = *band.product;
  const Statement& s = band.program->statements[p.statement];
  const std::vector<std::string> x = names("x", s.iterators.size());
  std::vector<std::string> outer;
  for (const int d : p.outer) outer.push_back(x[static_cast<std::size_t>(d)]);
  std::vector<std::string> free = x;
  free[static_cast<std::size_t>(iterator)] = "y";
  const std::string instance = s.name + "[" + list(x) + "]";
  const isl::set others =
      s.domain.apply(map("{ " + instance + " -> " + s.name + "[" + list(free) + "] }"));
  const isl::map steps =
      map("{ " + instance + " -> [" + list(outer) + "] }").intersect_domain(s.domain).reverse();
  const isl::map values = steps.apply_range(
      map("{ " + instance + " -> [" + x[static_cast<std::size_t>(iterator)] + "] }"));
  const isl::map ends = isl::manage(
      isl_map_flat_range_product(isl_map_lexmin(values.copy()), isl_map_lexmax(values.copy())));
  const isl::map inside = map(
      "{ " + instance + " -> [l, h] : l <= " + x[static_cast<std::size_t>(iterator)] + " <= h }");
  const isl::set between = map("{ " + instance + " -> [" + list(outer) + "] }")
                               .apply_range(ends)
                               .intersect(inside)
                               .domain();
  return others.intersect(between).is_equal(s.domain);
}

}  // namespace redblue::schedule::codegen
