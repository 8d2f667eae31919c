// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/bands/pieces.hpp"

#include <isl/map.h>
#include <isl/union_map.h>

#include "schedule/bands/parallel.hpp"
#include "schedule/blocks/block_maps.hpp"
#include "schedule/order.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::schedule::codegen {

using program::Access;
using program::Program;
using program::Statement;

namespace {

// Instances that write what another instance reads, both of one loop.
isl::union_set writers(const Statement& s, const isl::union_map& around) {
  const isl::union_map write(s.writes.front().elements);
  isl::union_map readers = nothing();
  for (const Access& read : s.reads)
    readers = readers.unite(write.apply_range(isl::union_map(read.elements).reverse()));
  const isl::union_map together = readers.intersect(around.apply_range(around.reverse()));
  const isl::union_map itself =
      isl::manage(isl_union_set_identity(isl::union_set(s.domain).release()));
  return together.subtract(itself).domain();
}

}  // namespace

std::optional<isl::union_map> independent_pieces(const Program& program, const LeafBand& band,
                                                 int member_index, const isl::union_map& around,
                                                 const isl::union_map& order) {
  if (band.statements.size() != 1) return std::nullopt;
  const Statement& s = program.statements[band.statements.front()];
  const isl::union_map own_around = around.intersect_domain(isl::union_set(s.domain));
  const isl::union_map step = member(band, member_index);
  const isl::union_set at = writers(s, own_around);
  if (at.is_empty()) return std::nullopt;
  // What runs around the loop -> the one step of the loop that writes.
  const isl::union_map where = own_around.reverse().intersect_range(at).apply_range(step);
  if (!where.is_single_valued()) return std::nullopt;
  const isl::union_map cut = own_around.apply_range(where);
  const isl::union_map both = product(step, cut);
  const isl::union_map piece(
      map("{ [m, at] -> [0] : m < at; [m, at] -> [1] : m = at; "
          "[m, at] -> [2] : m > at }"));
  const isl::union_map uncut = step.subtract_domain(cut.domain());
  const isl::union_map pieces =
      both.apply_range(piece).unite(uncut.apply_range(isl::union_map(map("{ [m] -> [0] }"))));
  const isl::union_set own = isl::union_set(s.domain);
  const isl::union_map inside = order.intersect_domain(own).intersect_range(own);
  if (!any_order(inside, product(product(own_around, pieces), step))) return std::nullopt;
  return pieces.coalesce();
}

}  // namespace redblue::schedule::codegen
