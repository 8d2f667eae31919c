// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/inside/index_sets.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include <utility>
#include <vector>

#include "schedule/order.hpp"

namespace redblue::schedule {

using program::Program;
using program::Statement;

namespace {

int iterators(const isl::set& instances) {
  return isl_set_dim(instances.get(), isl_dim_set);
}

// Whether the part holds one value, in a step, of an iterator of which there are several.
bool is_slice(const isl::set& part, const isl::set& instances, const isl::map& outer) {
  for (int d = 0; d < iterators(instances); ++d) {
    if (!is_given(instances, outer, d) && is_given(part, outer, d)) return true;
  }
  return false;
}

// Whether the value is the same for all of a step.
bool is_constant(isl_aff* value, const isl::set& instances, const isl::map& outer) {
  bool result = true;
  for (int d = 0; d < iterators(instances); ++d) {
    if (isl_aff_involves_dims(value, isl_dim_in, static_cast<unsigned>(d), 1) == isl_bool_true)
      result = result && is_given(instances, outer, d);
  }
  return result;
}

// The instances whose iterator d is below the middle, where that of each one's partner in `pairs`
// is c - it, with c the same for all of a step; the others mirrored.
std::optional<Cut> at_the_middle(const isl::map& pairs, const isl::set& instances,
                                 const isl::map& outer, int d) {
  if (isl_map_is_single_valued(pairs.get()) != isl_bool_true) return std::nullopt;
  const std::vector<isl::aff> partner = program::single_formulas(pairs);
  if (static_cast<int>(partner.size()) <= d || is_given(instances, outer, d)) return std::nullopt;
  const isl::aff& other = partner[static_cast<std::size_t>(d)];
  isl_aff* c = isl_aff_add_coefficient_si(other.copy(), isl_dim_in, d, 1);
  if (!is_constant(c, instances, outer)) {
    isl_aff_free(c);
    return std::nullopt;
  }
  const isl::set below = isl::manage(isl_aff_lt_set(
      isl_aff_add_coefficient_si(isl_aff_sub(isl_aff_copy(c), isl_aff_copy(c)), isl_dim_in, d, 2),
      c));
  isl_multi_aff* mirror =
      isl_multi_aff_identity_on_domain_space(isl_space_copy(instances.get_space().get()));
  mirror = isl_multi_aff_set_aff(mirror, d, other.copy());
  const isl::map mirrored = isl::manage(isl_map_from_multi_aff(mirror));
  return Cut{below.intersect(instances), mirrored};
}

class Cutting {
 public:
  Cutting(const Program& program, const isl::union_map& outer) : outer_(outer) {
    for (const Statement& s : program.statements) instances_.emplace(s.name, s.domain);
  }

  void look_at(const isl::map& pairs) {
    const std::string earlier = isl_map_get_tuple_name(pairs.get(), isl_dim_in);
    const std::string later = isl_map_get_tuple_name(pairs.get(), isl_dim_out);
    if (earlier == later) return;
    const isl::set needed = pairs.domain();
    if (is_slice(needed, instances_.at(earlier), *of_statement(outer_, earlier))) {
      cuts_.emplace(earlier, Cut{needed, {}});
      return;
    }
    pairs.foreach_basic_map([&](const isl::basic_map& piece) {
      cut_at_the_middle(earlier, isl::map(piece));
      cut_at_the_middle(later, isl::map(piece).reverse());
    });
  }

  Cuts take() { return std::move(cuts_); }

 private:
  void cut_at_the_middle(const std::string& statement, const isl::map& pairs) {
    const isl::set& all = instances_.at(statement);
    for (int d = 0; d < iterators(all); ++d) {
      const auto cut = at_the_middle(pairs, all, *of_statement(outer_, statement), d);
      if (cut) cuts_.emplace(statement, *cut);
    }
  }

  const isl::union_map& outer_;
  std::map<std::string, isl::set> instances_;
  Cuts cuts_;
};

// Adds some instances of a statement, which are elsewhere in a mirror.
void add_part(const Statement& s, const std::string& name, const isl::set& instances,
              const std::optional<isl::map>& mirrored, const isl::map& outer, Parts& result) {
  isl_map* part = mirrored ? isl_map_intersect_domain(mirrored->copy(), instances.copy())
                           : isl_set_identity(instances.copy());
  Statement inner{name, {}, {}, {}, {}, {}};
  for (int d = iterators(instances) - 1; d >= 0; --d) {
    if (is_given(instances, outer, d)) {
      part = isl_map_project_out(part, isl_dim_out, static_cast<unsigned>(d), 1);
    } else {
      inner.iterators.insert(inner.iterators.begin(), s.iterators[static_cast<std::size_t>(d)]);
    }
  }
  const isl::map of = isl::manage(isl_map_set_tuple_name(part, isl_dim_out, name.c_str()));
  inner.domain = of.range();
  inner.schedule = of.reverse().apply_range(s.schedule);
  result.program.statements.push_back(std::move(inner));
  result.of = result.of.unite(isl::union_map(of));
}

isl::schedule_node parent(const isl::schedule_node& node) {
  return isl::manage(isl_schedule_node_parent(node.copy()));
}

// A tree of parts as one of the statements, node by node: isl pulls back only what gives each
// statement one part.
class OfStatements {
 public:
  explicit OfStatements(const isl::union_map& parts) : parts_(parts) {}

  isl::schedule of(const isl::schedule& tree) const {
    const isl::schedule one = isl::manage(isl_schedule_from_domain(parts_.domain().release()));
    return isl::manage(
        isl_schedule_node_get_schedule(filled(below_root(one), below_root(tree)).get()));
  }

 private:
  // The leaf with what `from` holds.
  isl::schedule_node filled(const isl::schedule_node& leaf, const isl::schedule_node& from) const {
    switch (isl_schedule_node_get_type(from.get())) {
      case isl_schedule_node_band:
        return with_band(leaf, from);
      case isl_schedule_node_sequence:
      case isl_schedule_node_set:
        return with_sequence(leaf, from);
      default:
        return leaf;
    }
  }

  isl::schedule_node with_band(const isl::schedule_node& leaf,
                               const isl::schedule_node& from) const {
    const isl::union_map steps =
        isl::manage(isl_schedule_node_band_get_partial_schedule_union_map(from.get()));
    isl_schedule_node* band = isl_schedule_node_insert_partial_schedule(
        leaf.copy(), isl_multi_union_pw_aff_from_union_map(parts_.apply_range(steps).release()));
    for (int m = 0; m < isl_schedule_node_band_n_member(from.get()); ++m)
      band = isl_schedule_node_band_member_set_coincident(
          band, m, isl_schedule_node_band_member_get_coincident(from.get(), m));
    band = isl_schedule_node_band_set_permutable(band,
                                                 isl_schedule_node_band_get_permutable(from.get()));
    return parent(filled(child(isl::manage(band), 0), child(from, 0)));
  }

  isl::schedule_node with_sequence(const isl::schedule_node& leaf,
                                   const isl::schedule_node& from) const {
    const int children = isl_schedule_node_n_children(from.get());
    isl_union_set_list* filters = isl_union_set_list_alloc(program::context().get(), children);
    for (int c = 0; c < children; ++c) {
      const isl::union_set inside =
          isl::manage(isl_schedule_node_filter_get_filter(child(from, c).get()));
      filters = isl_union_set_list_add(filters, inside.apply(parts_.reverse()).release());
    }
    isl::schedule_node node = isl::manage(isl_schedule_node_insert_sequence(leaf.copy(), filters));
    for (int c = 0; c < children; ++c)
      node = parent(parent(filled(child(child(node, c), 0), child(child(from, c), 0))));
    return node;
  }

  const isl::union_map& parts_;
};

}  // namespace

bool is_given(const isl::set& instances, const isl::map& outer, int d) {
  const isl::map together =
      isl::manage(isl_map_apply_range(outer.copy(), isl_map_reverse(outer.copy())))
          .intersect_domain(instances)
          .intersect_range(instances);
  return together.is_subset(
      isl::manage(isl_map_equate(together.copy(), isl_dim_in, d, isl_dim_out, d)));
}

Cuts cuts(const Program& program, const isl::union_map& outer, const isl::union_map& order) {
  Cutting cutting(program, outer);
  order.foreach_map([&](const isl::map& pairs) { cutting.look_at(pairs); });
  return cutting.take();
}

Parts inner_parts(const Program& program, const isl::union_map& outer, const Cuts& cuts) {
  Parts result{{}, nothing()};
  for (const Statement& s : program.statements) {
    const isl::map steps = *of_statement(outer, s.name);
    const auto cut = cuts.find(s.name);
    if (cut == cuts.end()) {
      add_part(s, s.name, s.domain, {}, steps, result);
      continue;
    }
    const auto& [first, mirrored] = cut->second;
    add_part(s, s.name + "_first", first, {}, steps, result);
    add_part(s, s.name + "_other", s.domain.subtract(first), mirrored, steps, result);
  }
  return result;
}

std::optional<Nest> nest_inside(const isl::union_map& outer, const Parts& parts,
                                const isl::union_map& order, const isl::union_map& close,
                                Fusion fusion, const std::vector<Family>& families) {
  const isl::union_map together = outer.apply_range(outer.reverse());
  const auto of_parts = [&](const isl::union_map& pairs) {
    return pairs.intersect(together).apply_domain(parts.of).apply_range(parts.of);
  };
  const auto tree = loops(parts.program, of_parts(order), of_parts(close), fusion);
  if (!tree) return std::nullopt;
  const isl::schedule whole = OfStatements(parts.of).of(*tree);
  return Nest{outer, whole, bands(whole), families};
}

}  // namespace redblue::schedule
