// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/search/loop_parts.hpp"

#include <isl/aff.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "program/isl_text.hpp"
#include "schedule/tiling.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::schedule {

namespace {

std::string text_of_band(isl_schedule_node* band, const isl::union_set& part) {
  isl_multi_union_pw_aff* loops = isl_multi_union_pw_aff_intersect_domain(
      isl_schedule_node_band_get_partial_schedule(band), part.copy());
  isl_union_set* options = isl_schedule_node_band_get_ast_build_options(band);
  std::string result = program::taken_text(isl_multi_union_pw_aff_to_str(loops)) +
                       program::taken_text(isl_union_set_to_str(options));
  isl_multi_union_pw_aff_free(loops);
  isl_union_set_free(options);
  result += std::to_string(isl_schedule_node_band_get_permutable(band));
  for (int m = 0; m < isl_schedule_node_band_n_member(band); ++m) {
    result += std::to_string(isl_schedule_node_band_member_get_coincident(band, m));
  }
  return result;
}

isl::union_set filter_of(const isl::schedule_node& node) {
  return isl::manage(isl_schedule_node_filter_get_filter(node.get()));
}

// All that isl's loops of a part depend on, empty where it has no instance there; nothing where an
// order is of other nodes than these.
std::optional<std::string> text_of(const isl::schedule_node& node, const isl::union_set& part) {
  std::string result;
  isl::union_set inside = part;
  switch (isl_schedule_node_get_type(node.get())) {
    case isl_schedule_node_leaf:
    case isl_schedule_node_mark:
      break;
    case isl_schedule_node_filter:
      inside = part.intersect(filter_of(node));
      if (inside.is_empty()) return "";
      result = program::taken_text(isl_union_set_to_str(inside.get()));
      break;
    case isl_schedule_node_band:
      result = text_of_band(node.get(), part);
      break;
    case isl_schedule_node_sequence:
      result = "sequence";
      break;
    case isl_schedule_node_set:
      result = "set";
      break;
    default:
      return std::nullopt;
  }
  for (int c = 0; c < isl_schedule_node_n_children(node.get()); ++c) {
    const auto text = text_of(child(node, c), inside);
    if (!text) return std::nullopt;
    if (!text->empty()) result += "(" + *text + ")";
  }
  return result;
}

// Of a band whose outermost loop has one step for each statement: its instances by step.
std::map<long, isl::union_set> steps_of(const isl::schedule_node& band) {
  std::map<long, isl::union_set> result;
  bool single = true;
  const isl::union_map loops =
      isl::manage(isl_schedule_node_band_get_partial_schedule_union_map(band.get()));
  loops.foreach_map([&](const isl::map& map) {
    const std::optional<long> value = single ? fixed_value(map, 0) : std::nullopt;
    single = value.has_value();
    if (!single) return;
    const auto [step, is_new] = result.try_emplace(*value, map.domain());
    if (!is_new) step->second = step->second.unite(isl::union_set(map.domain()));
  });
  if (!single) result.clear();
  return result;
}

// Instances that run one part after the other, whatever they are.
std::vector<isl::union_set> parts_of(const isl::schedule_node& top, const isl::union_set& all) {
  std::vector<isl::union_set> result;
  const auto type = isl_schedule_node_get_type(top.get());
  if (type == isl_schedule_node_sequence) {
    for (int c = 0; c < isl_schedule_node_n_children(top.get()); ++c)
      result.push_back(filter_of(child(top, c)));
  } else if (type == isl_schedule_node_band && isl_schedule_node_band_n_member(top.get()) > 0) {
    for (const auto& [step, instances] : steps_of(top)) result.push_back(instances);
  }
  return result.empty() ? std::vector{all} : result;
}

// `part` goes into `all`, its outermost loops in order into `outermost`.
void add(const LoopProgram& part, LoopProgram& all, std::vector<std::size_t>& outermost) {
  const std::size_t before = all.nodes.size();
  const LoopNode& root = part.nodes[part.root];
  const bool several = root.kind == LoopNode::Kind::block;
  for (std::size_t n = 0; n < part.nodes.size(); ++n) {
    if (several && n == part.root) continue;  // the last one
    all.nodes.push_back(part.nodes[n]);
    for (std::size_t& child : all.nodes.back().children) child += before;
  }
  if (several) {
    for (const std::size_t child : root.children) outermost.push_back(before + child);
  } else {
    outermost.push_back(before + part.root);
  }
  all.counters = std::max(all.counters, part.counters);
  if (part.most_touches > all.most_touches) {
    all.most_touches = part.most_touches;
    all.busiest = part.busiest;
  }
}

}  // namespace

LoopProgram loop_program(const program::Program& program, const isl::schedule& tree,
                         const program::Sizes& sizes, const Placement& placement,
                         KnownParts& known) {
  const isl::schedule_node top = below_root(tree);
  LoopProgram result;
  result.name = program.name;
  result.elements = placement.elements;
  result.output = placement.output;
  result.arrays = placement.arrays;
  LoopNode all;
  for (const isl::union_set& part :
       parts_of(top, isl::manage(isl_schedule_get_domain(tree.get())))) {
    const std::optional<std::string> text = text_of(top, part);
    if (!text) return loop_program(program, tree, sizes, placement);
    auto place = known.find(*text);
    if (place == known.end()) {
      const isl::schedule alone =
          isl::manage(isl_schedule_intersect_domain(tree.copy(), part.copy()));
      LoopProgram loops = loop_program(program, alone, sizes, placement);
      loops.output.clear();
      loops.arrays.clear();
      place = known.emplace(*text, std::move(loops)).first;
    }
    add(place->second, result, all.children);
  }
  result.root = all.children.size() == 1 ? all.children.front() : result.nodes.size();
  if (all.children.size() != 1) result.nodes.push_back(std::move(all));
  return result;
}

}  // namespace redblue::schedule
