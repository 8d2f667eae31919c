// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/known_loops.hpp"

#include <isl/map.h>
#include <isl/schedule_node.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <vector>

#include "program/isl_text.hpp"
#include "schedule/order.hpp"

namespace redblue::schedule {

using program::Program;

namespace {

// Whether each statement must run, somewhere, before each other.
bool all_need_each_other(const Program& program, const isl::union_map& order) {
  std::map<std::string, std::size_t> number;
  for (const program::Statement& s : program.statements) number.emplace(s.name, number.size());
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> before(number.size());
  order.foreach_map([&](const isl::map& pairs) {
    boost::add_edge(number.at(isl_map_get_tuple_name(pairs.get(), isl_dim_in)),
                    number.at(isl_map_get_tuple_name(pairs.get(), isl_dim_out)), before);
  });
  std::vector<std::size_t> component(number.size());
  return boost::strong_components(before, component.data()) == 1;
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
