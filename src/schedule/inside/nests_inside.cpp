// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/inside/nests_inside.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "schedule/inside/index_sets.hpp"
#include "schedule/order.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::schedule {

using program::Program;
using program::Statement;

namespace {

// Storage without the subscripts that the outer times give: every step of the outer loops uses it
// again.
std::vector<Family> used_again(const Program& program, std::vector<Family> families,
                               const isl::union_map& outer) {
  for (Family& f : families) {
    std::erase_if(f.iterators, [&](int d) {
      return std::any_of(f.writers.begin(), f.writers.end(), [&](std::size_t writer) {
        const Statement& s = program.statements[writer];
        return is_given(s.domain, *of_statement(outer, s.name), d);
      });
    });
    if (f.iterators.empty()) f.put_back();
  }
  return families;
}

// isl's orders inside the program's outermost loops, of which each time has so many dimensions.
void add_inside(const Program& program, int outer, const std::vector<Family>& families,
                Distinct& found) {
  const Program variant = privatised(program, families);
  const isl::union_map order = conflicts(variant), close = flow(program);
  const isl::union_map around = leading(times(program), outer);
  const Parts parts = inner_parts(program, around);
  for (const Fusion fusion : {Fusion::most, Fusion::least}) {
    auto nest = nest_inside(around, parts, order, close, fusion, families);
    if (nest) found.offer(std::move(*nest));
  }
}

}  // namespace

std::vector<Nest> nests_inside(const Program& program) {
  const std::vector<Family> all = schedule::families(program), none = in_place(all);
  Distinct found;
  for (const int outer : {place_and_counter, 2 * place_and_counter}) {
    add_inside(program, outer, none, found);
    const std::vector<Family> again = used_again(program, all, leading(times(program), outer));
    if (!same_storage(again, none)) add_inside(program, outer, again, found);
  }
  return found.take();
}

}  // namespace redblue::schedule
