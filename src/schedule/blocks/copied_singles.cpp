// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/blocks/copied_singles.hpp"

#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include "schedule/blocks/block_maps.hpp"
#include "schedule/order.hpp"

namespace redblue::schedule::codegen {

using program::Program;
using program::Statement;

namespace {

std::vector<std::string> numbered(const std::vector<int>& iterators) {
  std::vector<std::string> names;
  for (const int d : iterators) names.push_back("x" + std::to_string(d));
  return names;
}

// Step[others, row, column, sums] -> what the copy of that step is made for: others, row tile,
// column, sums.
isl::map copy_of_step(const Blocked& block) {
  const Contraction& c = block.contraction;
  std::vector<std::string> step = numbered(c.others), copy = step;
  step.insert(step.end(), {"r0", "v0"});
  copy.insert(copy.end(), {tile("r0", block.sizes.row_tile), "v0"});
  for (const std::string& sum : numbered(c.sums)) {
    step.push_back(sum);
    copy.push_back(sum);
  }
  return map("{ Step[" + list(step) + "] -> [" + list(copy) + "] }");
}

}  // namespace

isl::union_map with_copied_singles(const Program& program, const Blocked& block,
                                   const isl::map& steps, const isl::union_map& single) {
  if (block.copied.is_empty()) return single;
  const Statement& s = program.statements[block.contraction.statement];
  const isl::map copy = copy_of_step(block);
  const isl::set found = steps.apply_range(copy).intersect_range(block.copied.apply(copy)).domain();
  const std::vector<std::string> iterators = names("x", s.iterators.size());
  std::vector<std::string> longer = iterators;
  longer.push_back(
      tile(iterators[static_cast<std::size_t>(block.contraction.columns)], block.sizes.columns));
  const isl::map renamed = map("{ " + s.name + "[" + list(iterators) + "] -> " + copied_single +
                               "[" + list(longer) + "] }");
  // Not those that run before all blocks, and their copies.
  const auto slot = static_cast<unsigned>(block.tile_depth);
  isl::union_map result = nothing();
  single.foreach_map([&](const isl::map& m) {
    if (isl_map_get_tuple_name(m.get(), isl_dim_in) != s.name) {
      result = result.unite(isl::union_map(m));
      return;
    }
    const isl::map here = isl::manage(isl_map_fix_si(m.copy(), isl_dim_out, slot, slot_of_blocks))
                              .intersect_domain(found);
    result = result.unite(isl::union_map(m.subtract(here)))
                 .unite(isl::union_map(here.apply_domain(renamed)));
  });
  return result;
}

isl::union_map of_statement_again(const isl::union_map& times, const Statement& s) {
  isl::union_map result = nothing();
  times.foreach_map([&](const isl::map& m) {
    isl_map* own = m.copy();
    if (isl_map_get_tuple_name(own, isl_dim_in) == std::string(copied_single)) {
      const auto last = static_cast<unsigned>(s.iterators.size());
      own = isl_map_set_tuple_name(isl_map_project_out(own, isl_dim_in, last, 1), isl_dim_in,
                                   s.name.c_str());
    }
    result = result.unite(isl::union_map(isl::manage(own)));
  });
  return result;
}

}  // namespace redblue::schedule::codegen
