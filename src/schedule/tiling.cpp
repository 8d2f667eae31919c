// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/tiling.hpp"

#include <isl/aff.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/options.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>

#include "program/isl_text.hpp"
#include "schedule/order.hpp"

namespace redblue::schedule {

namespace {

constexpr const char* point_loops = "point loops";

using OnNode = std::function<isl::schedule_node(const isl::schedule_node&)>;

isl::schedule bottom_up(const isl::schedule& tree, const OnNode& change) {
  OnNode copy = change;
  return isl::manage(isl_schedule_map_schedule_node_bottom_up(
      tree.copy(),
      [](isl_schedule_node* node, void* user) {
        return (*static_cast<OnNode*>(user))(isl::manage(node)).release();
      },
      &copy));
}

bool is_permutable(const isl::schedule_node& band) {
  return isl_schedule_node_band_get_permutable(band.get()) == isl_bool_true;
}

// Of the first loops, which are parallel.
int parallel_loops(const isl::schedule_node& band) {
  int result = 0;
  while (result < isl_schedule_node_band_n_member(band.get()) &&
         isl_schedule_node_band_member_get_coincident(band.get(), result) == isl_bool_true)
    ++result;
  return result;
}

bool tileable(const isl::schedule_node& node) {
  return isl_schedule_node_get_type(node.get()) == isl_schedule_node_band &&
         isl_schedule_node_band_n_member(node.get()) >= 2 &&
         (is_permutable(node) || parallel_loops(node) > 0);
}

std::vector<isl::set> sets_of(const isl::union_set& all) {
  std::vector<isl::set> result;
  isl_union_set_foreach_set(
      all.get(),
      [](isl_set* set, void* user) {
        static_cast<std::vector<isl::set>*>(user)->push_back(isl::manage(set));
        return isl_stat_ok;
      },
      &result);
  return result;
}

Band described(const isl::schedule_node& node) {
  Band band;
  const isl::multi_union_pw_aff all =
      isl::manage(isl_schedule_node_band_get_partial_schedule(node.get()));
  for (int m = 0; m < isl_schedule_node_band_n_member(node.get()); ++m) {
    const isl::union_pw_aff loop =
        isl::manage(isl_multi_union_pw_aff_get_union_pw_aff(all.get(), m));
    band.loops.push_back(program::taken_text(isl_union_pw_aff_to_str(loop.get())));
  }
  for (const isl::set& s : sets_of(isl::manage(isl_schedule_node_get_domain(node.get())))) {
    band.statements.emplace_back(isl_set_get_tuple_name(s.get()));
  }
  if (!is_permutable(node))
    band.in_order = static_cast<int>(band.loops.size()) - parallel_loops(node);
  band.around = isl::manage(isl_schedule_node_get_prefix_schedule_union_map(node.get()));
  band.steps = isl::manage(isl_schedule_node_band_get_partial_schedule_union_map(node.get()));
  return band;
}

isl::schedule_node reordered(const isl::schedule_node& node, const std::vector<int>& order) {
  const isl::multi_union_pw_aff all =
      isl::manage(isl_schedule_node_band_get_partial_schedule(node.get()));
  isl_multi_union_pw_aff* next = all.copy();
  for (int m = 0; m < static_cast<int>(order.size()); ++m) {
    next = isl_multi_union_pw_aff_set_union_pw_aff(
        next, m,
        isl_multi_union_pw_aff_get_union_pw_aff(all.get(), order[static_cast<std::size_t>(m)]));
  }
  isl_schedule_node* changed = isl_schedule_node_delete(node.copy());
  changed = isl_schedule_node_insert_partial_schedule(changed, next);
  return isl::manage(isl_schedule_node_band_set_permutable(changed, 1));
}

isl::schedule_node cut(const isl::schedule_node& node, const std::vector<std::int64_t>& sizes) {
  isl_multi_val* values = isl_multi_val_zero(isl_schedule_node_band_get_space(node.get()));
  for (std::size_t m = 0; m < sizes.size(); ++m) {
    values = isl_multi_val_set_val(values, static_cast<int>(m),
                                   isl_val_int_from_si(program::context().get(), sizes[m]));
  }
  isl_schedule_node* tiled = isl_schedule_node_band_tile(node.copy(), values);
  // A mark says where the point loops begin.
  isl_schedule_node* points = isl_schedule_node_child(tiled, 0);
  isl_id* mark = isl_id_alloc(program::context().get(), point_loops, nullptr);
  return isl::manage(isl_schedule_node_parent(isl_schedule_node_insert_mark(points, mark)));
}

}  // namespace

namespace {

// Null where isl's scheduler gives up, as it does on some orders with remainders ("unable to carry
// dependences").
isl_schedule* scheduled(const program::Program& program, const isl::union_map& order,
                        const isl::union_map& close) {
  isl_schedule_constraints* constraints =
      isl_schedule_constraints_on_domain(instances(program).release());
  constraints = isl_schedule_constraints_set_validity(constraints, order.copy());
  constraints = isl_schedule_constraints_set_coincidence(constraints, order.copy());
  constraints = isl_schedule_constraints_set_proximity(constraints, close.copy());
  return isl_schedule_constraints_compute_schedule(constraints);
}

// More pairs, without remainders, none of which the program's own order turns round.
isl::union_map widened(const program::Program& program, const isl::union_map& order) {
  isl::union_map all = nothing();
  isl_union_map_foreach_map(
      order.get(),
      [](isl_map* map, void* user) {
        isl_basic_map* hull = isl_map_simple_hull(isl_map_remove_divs(map));
        auto& sum = *static_cast<isl::union_map*>(user);
        sum = sum.unite(isl::manage(isl_union_map_from_basic_map(hull)));
        return isl_stat_ok;
      },
      &all);
  return in_program_order(program, all);
}

}  // namespace

std::optional<isl::schedule> loops(const program::Program& program, const isl::union_map& order,
                                   const isl::union_map& close, Fusion fusion) {
  isl_ctx* ctx = program::context().get();
  isl_options_set_schedule_serialize_sccs(ctx, fusion == Fusion::least ? 1 : 0);
  isl_options_set_schedule_maximize_band_depth(ctx, fusion == Fusion::outer ? 0 : 1);
  isl_options_set_tile_scale_tile_loops(ctx, 0);
  isl_options_set_tile_shift_point_loops(ctx, 0);
  isl_schedule* tree = scheduled(program, order, close);
  if (tree == nullptr) tree = scheduled(program, widened(program, order), close);
  if (tree == nullptr) return std::nullopt;
  return isl::manage(tree);
}

isl::schedule_node child(const isl::schedule_node& node, int n) {
  return isl::manage(isl_schedule_node_get_child(node.get(), n));
}

isl::schedule_node below_root(const isl::schedule& tree) {
  return child(isl::manage(isl_schedule_get_root(tree.get())), 0);
}

bool has_band(const isl::schedule_node& node) {
  bool found = false;
  isl_schedule_node_foreach_descendant_top_down(
      node.get(),
      [](isl_schedule_node* n, void* user) {
        if (isl_schedule_node_get_type(n) == isl_schedule_node_band)
          *static_cast<bool*>(user) = true;
        return isl_bool_true;
      },
      &found);
  return found;
}

std::vector<Band> bands(const isl::schedule& tree) {
  std::vector<Band> result;
  bottom_up(tree, [&result](const isl::schedule_node& node) {
    if (tileable(node)) result.push_back(described(node));
    return node;
  });
  return result;
}

isl::schedule at_bands(const isl::schedule& tree, const OnNode& change) {
  return bottom_up(tree, [&change](const isl::schedule_node& node) {
    return tileable(node) ? change(node) : node;
  });
}

isl::schedule tiled(const isl::schedule& tree, const std::vector<Tiles>& tiles) {
  std::size_t number = 0;
  return bottom_up(tree, [&](const isl::schedule_node& node) {
    if (!tileable(node)) return node;
    const Tiles& chosen = tiles.at(number++);
    return chosen.sizes.empty() ? node : cut(reordered(node, chosen.order), chosen.sizes);
  });
}

isl::schedule at_point_loops(const isl::schedule& tiled, const OnNode& change) {
  return bottom_up(tiled, [&change](const isl::schedule_node& node) {
    if (isl_schedule_node_get_type(node.get()) != isl_schedule_node_mark) return node;
    const isl::schedule_node points = child(node, 0);
    return isl::manage(isl_schedule_node_parent(change(points).release()));
  });
}

isl::union_map tile_coordinates(const isl::schedule& tree) {
  isl::union_map result = nothing();
  bottom_up(tree, [&result](const isl::schedule_node& node) {
    if (isl_schedule_node_get_type(node.get()) != isl_schedule_node_mark) return node;
    const isl::union_map prefix =
        isl::manage(isl_schedule_node_get_prefix_schedule_union_map(node.get()));
    const isl::union_set inside = isl::manage(isl_schedule_node_get_domain(node.get()));
    result = result.unite(prefix.intersect_domain(inside));
    return node;
  });
  return result;
}

}  // namespace redblue::schedule
