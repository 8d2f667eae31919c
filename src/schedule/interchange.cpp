// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/interchange.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include <utility>
#include <vector>

#include "program/isl_text.hpp"
#include "schedule/tiling.hpp"

namespace redblue::schedule {

namespace {

using Loop = isl::union_pw_aff;  // instance -> the step that it belongs to
enum class End { first, last };

bool is_band(const isl::schedule_node& node) {
  return isl_schedule_node_get_type(node.get()) == isl_schedule_node_band;
}

isl::union_set instances(const isl::schedule_node& node) {
  return isl::manage(isl_schedule_node_get_domain(node.get()));
}

Loop member(const isl::schedule_node& band, int m) {
  const isl::multi_union_pw_aff all =
      isl::manage(isl_schedule_node_band_get_partial_schedule(band.get()));
  return isl::manage(isl_multi_union_pw_aff_get_union_pw_aff(all.get(), m));
}

isl::union_map steps(const Loop& loop) {
  return isl::manage(isl_union_map_from_union_pw_aff(loop.copy()));
}

int members(const isl::schedule_node& band) {
  return isl_schedule_node_band_n_member(band.get());
}

// The first or last step of a loop, of whatever instance; 0 where there is none.
isl::pw_aff end_of(const Loop& loop, const isl::union_set& instances, End end) {
  const isl::set all = isl::manage(isl_set_from_union_set(instances.apply(steps(loop)).release()));
  const isl::pw_aff value = isl::manage(end == End::first ? isl_set_dim_min(all.copy(), 0)
                                                          : isl_set_dim_max(all.copy(), 0));
  const isl::set known = isl::manage(isl_pw_aff_domain(value.copy()));
  const isl::set unknown = isl::manage(isl_set_complement(known.copy()));
  const isl::pw_aff zero(program::context(), "{ [(0)] }");
  return isl::manage(
      isl_pw_aff_union_add(value.copy(), isl_pw_aff_intersect_params(zero.copy(), unknown.copy())));
}

// The chain of loops inside of a node.
class Chain {
 public:
  // Goes down from there, taking the loops out of the tree.
  explicit Chain(isl::schedule_node node) : node_(std::move(node)) {
    while (true) {
      if (is_band(node_)) {
        take();
      } else if (!into_the_only_loops()) {
        return;
      }
    }
  }

  const std::vector<Loop>& loops() const { return loops_; }
  const isl::schedule_node& node() const { return node_; }
  int depth() const { return depth_; }

 private:
  struct Beside {
    isl::union_set instances;
    End end;
  };

  void take() {
    const isl::union_set inside = instances(node_);
    for (int m = 0; m < members(node_); ++m) {
      const Loop own = member(node_, m);
      Loop all = own;
      for (const Beside& b : beside_)
        all = isl::manage(isl_union_pw_aff_union_add(
            all.copy(), isl_union_pw_aff_pw_aff_on_domain(b.instances.copy(),
                                                          end_of(own, inside, b.end).release())));
      loops_.push_back(all);
    }
    node_ = isl::manage(isl_schedule_node_delete(node_.copy()));
  }

  // Down to the next loops, where these are in one place; what is beside them is noted.
  bool into_the_only_loops() {
    const int children = isl_schedule_node_n_children(node_.get());
    int found = -1;
    for (int c = 0; c < children; ++c) {
      if (!has_band(child(node_, c))) continue;
      if (found >= 0) return false;
      found = c;
    }
    if (found < 0) return false;
    for (int c = 0; c < children; ++c) {
      if (c == found) continue;
      const isl::schedule_node inside = child(child(node_, c), 0);
      beside_.push_back({instances(inside), c < found ? End::first : End::last});
    }
    node_ = child(node_, found);
    ++depth_;
    return true;
  }

  isl::schedule_node node_;
  int depth_ = 0;
  std::vector<Beside> beside_;
  std::vector<Loop> loops_;
};

bool is_parallel(const isl::schedule_node& band, int m) {
  return isl_schedule_node_band_member_get_coincident(band.get(), m) == isl_bool_true;
}

// The band of these loops around the node, of which the first ones are parallel.
isl::schedule_node with_loops(const isl::schedule_node& node, const std::vector<Loop>& loops,
                              int parallel) {
  isl_union_pw_aff_list* list = isl_union_pw_aff_list_alloc(program::context().get(), 0);
  for (const Loop& loop : loops) list = isl_union_pw_aff_list_add(list, loop.copy());
  isl_space* space = isl_union_set_get_space(instances(node).get());
  space = isl_space_add_dims(isl_space_set_from_params(space), isl_dim_set,
                             static_cast<unsigned>(loops.size()));
  isl_schedule_node* band = isl_schedule_node_insert_partial_schedule(
      node.copy(), isl_multi_union_pw_aff_from_union_pw_aff_list(space, list));
  for (int m = 0; m < parallel; ++m)
    band = isl_schedule_node_band_member_set_coincident(band, m, 1);
  return isl::manage(band);
}

// The band with the loops inside of it, its parallel loops first; nothing where it has none, or
// has no loops inside.
std::optional<isl::schedule_node> changed(const isl::schedule_node& band) {
  std::vector<Loop> loops, others;
  for (int m = 0; m < members(band); ++m)
    (is_parallel(band, m) ? loops : others).push_back(member(band, m));
  if (loops.empty()) return std::nullopt;
  const Chain inside(child(band, 0));
  if (inside.loops().empty()) return std::nullopt;
  const auto parallel = static_cast<int>(loops.size());
  loops.insert(loops.end(), others.begin(), others.end());
  loops.insert(loops.end(), inside.loops().begin(), inside.loops().end());
  isl_schedule_node* node = isl_schedule_node_ancestor(inside.node().copy(), inside.depth() + 1);
  return with_loops(isl::manage(isl_schedule_node_delete(node)), loops, parallel);
}

bool is_constant(const Loop& loop) {
  const isl::set all = isl::manage(isl_set_from_union_set(steps(loop).range().release()));
  return isl_set_is_singleton(all.get()) == isl_bool_true;
}

bool carries_none(const Loop& loop, const isl::union_map& order) {
  return order.is_subset(steps(loop).apply_range(steps(loop).reverse()));
}

}  // namespace

isl::schedule parallel_loops_marked(const isl::union_map& times, const isl::union_map& order) {
  const isl::multi_union_pw_aff all =
      isl::manage(isl_multi_union_pw_aff_from_union_map(times.copy()));
  std::vector<Loop> loops;
  for (int d = 0; d < static_cast<int>(isl_multi_union_pw_aff_dim(all.get(), isl_dim_out)); ++d) {
    const Loop loop = isl::manage(isl_multi_union_pw_aff_get_union_pw_aff(all.get(), d));
    if (!is_constant(loop)) loops.push_back(loop);
  }
  int parallel = 0;
  while (parallel < static_cast<int>(loops.size()) &&
         carries_none(loops[static_cast<std::size_t>(parallel)], order))
    ++parallel;
  const isl::schedule one = isl::manage(isl_schedule_from_domain(times.domain().release()));
  return isl::manage(
      isl_schedule_node_get_schedule(with_loops(below_root(one), loops, parallel).get()));
}

std::optional<Nest> parallel_loops_inside(const Nest& nest) {
  if (!nest.inner || nest.order || nest.points) return std::nullopt;
  bool any = false;
  const isl::schedule tree = at_bands(*nest.inner, [&any](const isl::schedule_node& band) {
    const std::optional<isl::schedule_node> next = changed(band);
    any = any || next;
    return next.value_or(band);
  });
  if (!any) return std::nullopt;
  Nest result{nest.outer, tree, bands(tree), nest.families};
  result.outermost = nest.outermost;
  return result;
}

}  // namespace redblue::schedule
