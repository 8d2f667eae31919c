// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/bands/tree.hpp"

#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/union_map.h>

#include "schedule/order.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::schedule::codegen {

namespace {

// Every instance at one place.
isl::union_map at_place(const isl::union_set& instances, int place) {
  isl::union_map result = nothing();
  instances.foreach_set([&](const isl::set& set) {
    const isl::set point(program::context(), "{ [" + std::to_string(place) + "] }");
    result = result.unite(
        isl::union_map(isl::manage(isl_map_from_domain_and_range(set.copy(), point.copy()))));
  });
  return result;
}

class Collector {
 public:
  explicit Collector(const program::Program& program) : program_(program), parts_{{}, nothing()} {}

  void visit(const isl::schedule_node& node, const isl::union_map& prefix) {
    switch (isl_schedule_node_get_type(node.get())) {
      case isl_schedule_node_band:
        return band(node, prefix);
      case isl_schedule_node_sequence:
      case isl_schedule_node_set: {
        const auto children = static_cast<int>(isl_schedule_node_n_children(node.get()));
        for (int c = 0; c < children; ++c) {
          const isl::schedule_node child = isl::manage(isl_schedule_node_get_child(node.get(), c));
          const isl::union_set inside = isl::manage(isl_schedule_node_get_domain(
              isl::manage(isl_schedule_node_get_child(child.get(), 0)).get()));
          visit(child, product(prefix.intersect_domain(inside), at_place(inside, c)));
        }
        return;
      }
      case isl_schedule_node_leaf:
        parts_.rest = parts_.rest.unite(prefix);
        return;
      default:
        visit(isl::manage(isl_schedule_node_get_child(node.get(), 0)), prefix);
    }
  }

  Parts take() { return std::move(parts_); }

 private:
  void band(const isl::schedule_node& node, const isl::union_map& prefix) {
    const isl::union_map loops =
        isl::manage(isl_schedule_node_band_get_partial_schedule_union_map(node.get()));
    const isl::schedule_node child = isl::manage(isl_schedule_node_get_child(node.get(), 0));
    const bool permutable = isl_schedule_node_band_get_permutable(node.get()) == isl_bool_true ||
                            isl_schedule_node_band_n_member(node.get()) == 1;
    if (has_band(child) || !permutable) return visit(child, product(prefix, loops));
    LeafBand leaf{{},
                  prefix,
                  loops,
                  isl::manage(isl_schedule_node_get_subtree_schedule_union_map(child.get())),
                  static_cast<int>(isl_schedule_node_band_n_member(node.get()))};
    for (std::size_t s = 0; s < program_.statements.size(); ++s) {
      if (of_statement(loops, program_.statements[s].name)) leaf.statements.push_back(s);
    }
    // Where isl puts statements side by side, nothing orders them: any order will do.
    if (leaf.statements.size() > 1 && longest(leaf.suffix) == 0) {
      leaf.suffix = nothing();
      for (std::size_t n = 0; n < leaf.statements.size(); ++n) {
        const isl::set& domain = program_.statements[leaf.statements[n]].domain;
        leaf.suffix = leaf.suffix.unite(at_place(isl::union_set(domain), static_cast<int>(n)));
      }
    }
    parts_.bands.push_back(std::move(leaf));
  }

  const program::Program& program_;
  Parts parts_;
};

}  // namespace

Parts parts_of(const program::Program& program, const Nest& nest) {
  Collector collector(program);
  if (nest.inner) {
    collector.visit(isl::manage(isl_schedule_get_root(nest.inner->get())), nest.outer);
    return collector.take();
  }
  return {{}, nest.outer};
}

}  // namespace redblue::schedule::codegen
