// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/known_loops.hpp"

#include <isl/map.h>
#include <isl/schedule_node.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include <set>
#include <utility>

#include "program/isl_text.hpp"
#include "schedule/order.hpp"

namespace redblue::schedule {

using program::Program;

namespace {

using Names = std::set<std::pair<std::string, std::string>>;

// Statements of which one must run before the other.
Names before(const isl::union_map& order) {
  Names result;
  order.foreach_map([&result](const isl::map& pairs) {
    result.emplace(isl_map_get_tuple_name(pairs.get(), isl_dim_in),
                   isl_map_get_tuple_name(pairs.get(), isl_dim_out));
  });
  return result;
}

std::set<std::string> behind(const std::string& first, const Names& before) {
  std::set<std::string> result = {first};
  for (bool more = true; more;) {
    more = false;
    for (const auto& [from, to] : before)
      more = (result.contains(from) && result.insert(to).second) || more;
  }
  return result;
}

// Whether each statement must run, somewhere, before each other.
bool all_need_each_other(const Program& program, const isl::union_map& order) {
  const Names forward = before(order), backward = before(order.reverse());
  const std::string& first = program.statements.front().name;
  const std::size_t all = program.statements.size();
  return behind(first, forward).size() == all && behind(first, backward).size() == all;
}

// Whether nothing is left to order inside of the outermost band.
bool is_one_band(const isl::schedule& tree) {
  const isl::schedule_node outermost = below_root(tree);
  return isl_schedule_node_get_type(outermost.get()) == isl_schedule_node_band &&
         isl_schedule_node_get_type(child(outermost, 0).get()) == isl_schedule_node_leaf;
}

std::string text(const Program& program, const isl::union_map& order, const isl::union_map& close,
                 Fusion fusion) {
  const auto all = instances(program);
  return std::to_string(static_cast<int>(fusion)) +
         program::taken_text(isl_union_set_to_str(all.get())) +
         program::taken_text(isl_union_map_to_str(order.get())) +
         program::taken_text(isl_union_map_to_str(close.get()));
}

}  // namespace

std::optional<isl::schedule> KnownLoops::of(const Program& program, const isl::union_map& order,
                                            const isl::union_map& close, Fusion fusion) {
  if (fusion == Fusion::least && all_need_each_other(program, order)) {
    const auto fused = of(program, order, close, Fusion::most);
    if (fused && is_one_band(*fused)) return fused;
  }
  const auto [at, is_new] = known_.try_emplace(text(program, order, close, fusion));
  if (is_new) at->second = loops(program, order, close, fusion);
  return at->second;
}

}  // namespace redblue::schedule
