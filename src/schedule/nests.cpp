// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/nests.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <algorithm>
#include <set>

#include "schedule/independent_first.hpp"
#include "schedule/interchange.hpp"
#include "schedule/known_loops.hpp"
#include "schedule/order.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::schedule {

using program::Program;
using program::Statement;

namespace {

int place_in_text(const Statement& s) {
  const isl::set first = isl::manage(isl_map_range(
      isl_map_project_out(s.schedule.copy(), isl_dim_out, 1,
                          static_cast<unsigned>(isl_map_dim(s.schedule.get(), isl_dim_out)) - 1)));
  isl_val* value = isl_set_plain_get_val_if_fixed(first.get(), isl_dim_set, 0);
  const auto place = static_cast<int>(isl_val_get_num_si(value));
  isl_val_free(value);
  return place;
}

// The places of the outermost loops.
std::set<int> outermost(const Program& program) {
  std::set<int> result;
  for (const Statement& s : program.statements) result.insert(place_in_text(s));
  return result;
}

// The program's times with the outermost loops at the places in `group` run as one: (group,
// counter, place, rest).
isl::union_map fused(const Program& program, const std::map<int, int>& group) {
  isl::union_map result = nothing();
  for (const Statement& s : program.statements) {
    const auto all = static_cast<unsigned>(isl_map_dim(s.schedule.get(), isl_dim_out));
    const int place = place_in_text(s);
    isl_map* head = isl_map_project_out(s.schedule.copy(), isl_dim_out, 2, all > 2 ? all - 2 : 0);
    head = isl_map_drop_constraints_involving_dims(head, isl_dim_out, 0, 1);
    head = isl_map_fix_si(head, isl_dim_out, 0, group.at(place));
    isl_map* rest = isl_map_project_out(s.schedule.copy(), isl_dim_out, 1, std::min(1U, all - 1));
    result = result.unite(isl::union_map(isl::manage(isl_map_flat_range_product(head, rest))));
  }
  return result;
}

isl::union_map greedily_fused(const Program& program, const isl::union_map& order) {
  const std::set<int> places = outermost(program);
  std::map<int, int> group;
  for (const int place : places) group[place] = place;
  int current = *places.begin();
  for (const int place : places) {
    group[place] = current;
    if (place != current && !respects(fused(program, group), order)) {
      group[place] = place;
      current = place;
    }
  }
  return fused(program, group);
}

isl_schedule* behind(isl_schedule* first, const isl::schedule& second) {
  return first == nullptr ? second.copy() : isl_schedule_sequence(first, second.copy());
}

// Whether all runs in one loop whose steps need nothing of each other.
bool in_one_parallel_loop(const isl::schedule& tree) {
  const isl::schedule_node loop = below_root(tree);
  return isl_schedule_node_get_type(loop.get()) == isl_schedule_node_band &&
         isl_schedule_node_band_member_get_coincident(loop.get(), 0) == isl_bool_true;
}

// How many pairs of reads may name an element of one array.
std::size_t pairs_of_reads(const Program& program) {
  std::map<std::string, std::size_t> reads;
  for (const Statement& s : program.statements) {
    for (const program::Access& read : s.reads) ++reads[read.array];
  }
  std::size_t result = 0;
  for (const auto& [array, count] : reads) result += count * count;
  return result;
}

// Beyond them isl's scheduler takes seconds; what stencils in space read in common a flow runs
// along.
constexpr std::size_t most_pairs = 90;

class Collection {
 public:
  explicit Collection(const Program& program)
      : program_(program), outermost_(outermost(program)), close_{flow(program)} {
    if (pairs_of_reads(program) <= most_pairs)
      close_.push_back(close_.front().unite(common_reads(program)));
  }

  void add(const std::vector<Family>& families) {
    const Program variant = privatised(program_, families);
    const isl::union_map order = conflicts(variant);
    for (const Fusion fusion : {Fusion::most, Fusion::least}) {
      add_loops(variant, order, 0, fusion, families);
    }
    found_.offer({greedily_fused(variant, order), {}, {}, families});
    if (outermost_.size() > 1) {
      add_one_by_one(variant, order, families);
      add_in_groups(variant, order, families);
    }
    // Inside the program's outermost loops.
    for (const Fusion fusion : {Fusion::most, Fusion::least}) {
      add_loops(variant, order, place_and_counter, fusion, families);
    }
  }

  std::vector<Nest> take() { return found_.take(); }

 private:
  void add_loops(const Program& variant, const isl::union_map& order, int outer, Fusion fusion,
                 const std::vector<Family>& families) {
    const isl::union_map around = leading(times(program_), outer);
    const isl::union_map together = around.apply_range(around.reverse());
    for (const isl::union_map& close : close_) {
      const std::optional<isl::schedule> tree =
          loops_.of(variant, order.intersect(together), close.intersect(together), fusion);
      if (tree) found_.offer({around, *tree, bands(*tree), families});
    }
  }

  // Each of the outermost loops by itself: isl's order where its bands hold all statements and need
  // nothing of each other, else the source's, which fuses what isl's bands would run over in turn.
  void add_one_by_one(const Program& variant, const isl::union_map& order,
                      const std::vector<Family>& families) {
    isl_schedule* all = nullptr;
    bool tiled = false, as_written = false;
    for (const int place : outermost_) {
      const Part loop = part(variant, order, {place});
      const auto tree = loops_of(loop, Fusion::most);
      const bool apart = tree && nothing_between(bands(*tree), loop);
      (apart ? tiled : as_written) = true;
      all = behind(all, apart ? *tree : loop.as_written());
    }
    const isl::schedule tree = isl::manage(all);
    if (tiled && as_written) offer(tree, families, Nest::Outermost::one_by_one);
  }

  // The outermost loops in groups: a loop joins those before it where all of them may be steps of
  // one parallel loop (what a step of the first makes is used while it is near).
  void add_in_groups(const Program& variant, const isl::union_map& order,
                     const std::vector<Family>& families) {
    isl_schedule* all = nullptr;
    bool any = false;
    for (auto place = outermost_.begin(); place != outermost_.end();) {
      std::set<int> group = {*place};
      Part here = part(variant, order, group);
      isl::schedule tree = loops_of(here, Fusion::most).value_or(here.as_written());
      for (++place; place != outermost_.end(); ++place) {
        group.insert(*place);
        Part longer = part(variant, order, group);
        const auto fused = loops_of(longer, Fusion::outer);
        if (!fused || !in_one_parallel_loop(*fused) || longer.flow.is_equal(here.flow)) break;
        here = std::move(longer);
        tree = *fused;
        any = true;
      }
      all = behind(all, tree);
    }
    const isl::schedule tree = isl::manage(all);
    if (any) offer(tree, families, Nest::Outermost::in_groups);
  }

  void offer(const isl::schedule& tree, const std::vector<Family>& families,
             Nest::Outermost outermost) {
    Nest nest{leading(times(program_), 0), tree, bands(tree), families};
    nest.outermost = outermost;
    found_.offer(std::move(nest));
  }

  // Some of the outermost loops.
  struct Part {
    Program program;
    isl::union_map order, flow;

    isl::schedule as_written() const { return parallel_loops_marked(times(program), order); }
  };

  std::optional<isl::schedule> loops_of(const Part& part, Fusion fusion) {
    return loops_.of(part.program, part.order, part.flow, fusion);
  }

  Part part(const Program& variant, const isl::union_map& order,
            const std::set<int>& places) const {
    Program program = variant;
    std::erase_if(program.statements,
                  [&](const Statement& s) { return !places.contains(place_in_text(s)); });
    const isl::union_set inside = instances(program);
    const auto within = [&inside](const isl::union_map& pairs) {
      return pairs.intersect_domain(inside).intersect_range(inside);
    };
    return {std::move(program), within(order), within(close_.front())};
  }

  // Whether all statements are in bands, and no value of one is read in another.
  static bool nothing_between(const std::vector<Band>& bands, const Part& part) {
    std::map<std::string, std::size_t> of;
    for (std::size_t b = 0; b < bands.size(); ++b) {
      for (const std::string& s : bands[b].statements) of.emplace(s, b);
    }
    bool result = of.size() == part.program.statements.size();
    part.flow.foreach_map([&](const isl::map& m) {
      const char* from = isl_map_get_tuple_name(m.get(), isl_dim_in);
      const char* to = isl_map_get_tuple_name(m.get(), isl_dim_out);
      result = result && of.at(from) == of.at(to);
    });
    return result;
  }

  const Program& program_;
  std::set<int> outermost_;
  std::vector<isl::union_map>
      close_;  // what should run near each other: flow; that and common reads
  KnownLoops loops_;
  Distinct found_;
};

}  // namespace

void Distinct::offer(Nest nest) {
  const isl::union_map time = times(nest, std::vector<Tiles>(nest.bands.size()));
  for (std::size_t n = 0; n < times_.size(); ++n) {
    if (found_[n].bands.size() >= nest.bands.size() && times_[n].is_equal(time)) return;
  }
  times_.push_back(time);
  found_.push_back(std::move(nest));
}

std::vector<Nest> nests(const Program& program) {
  const std::vector<Family> all = families(program);
  std::vector<Family> needed = all;
  const std::vector<Family> none = in_place(all);
  for (Family& f : needed) {
    if (f.iterators.empty() && !f.last.empty()) f.storage = f.array;
  }
  Collection collection(program);
  collection.add(none);
  if (!same_storage(needed, none)) collection.add(needed);
  if (!same_storage(all, needed)) collection.add(all);
  return collection.take();
}

std::vector<Nest> independent_first(const Program& program, const std::vector<Nest>& nests) {
  std::vector<Nest> result;
  for (const Nest& nest : nests) {
    if (nest.bands.size() != 1 || nest.bands.front().in_order > 0) continue;
    const std::size_t loops = nest.bands.front().loops.size();
    const auto further = [loops](const Statement& s) { return s.iterators.size() > loops; };
    if (std::none_of(program.statements.begin(), program.statements.end(), further)) continue;
    result.push_back(nest);
    const isl::union_map together = nest.outer.apply_range(nest.outer.reverse());
    result.back().order = conflicts(privatised(program, nest.families)).intersect(together);
  }
  return result;
}

std::optional<isl::schedule> tree(const Nest& nest, const std::vector<Tiles>& tiles) {
  if (!nest.inner || nest.points) return std::nullopt;
  isl::schedule inner = tiled(*nest.inner, tiles);
  if (nest.order) inner = independent_first(inner, *nest.order);
  isl_union_set* all = isl_schedule_get_domain(inner.get());
  isl_multi_union_pw_aff* outer =
      isl_multi_union_pw_aff_from_union_map(isl_union_map_intersect_domain(nest.outer.copy(), all));
  if (outer == nullptr) return std::nullopt;
  if (isl_multi_union_pw_aff_dim(outer, isl_dim_out) == 0) {
    isl_multi_union_pw_aff_free(outer);
    return inner;
  }
  isl_schedule* result = isl_schedule_insert_partial_schedule(inner.copy(), outer);
  if (result == nullptr) return std::nullopt;
  return isl::manage(result);
}

isl::union_map times(const Nest& nest, const std::vector<Tiles>& tiles) {
  if (!nest.inner) return nest.outer;
  if (nest.points) {
    if (tiles.front().sizes.empty()) return product(nest.outer, *nest.points);
    return product(tile_coordinates(nest, tiles), *nest.points);
  }
  isl::schedule inner = tiled(*nest.inner, tiles);
  if (nest.order) inner = independent_first(inner, *nest.order);
  return isl::manage(
      isl_union_map_flat_range_product(nest.outer.copy(), isl_schedule_get_map(inner.get())));
}

isl::union_map tile_coordinates(const Nest& nest, const std::vector<Tiles>& tiles) {
  if (!nest.inner) return nothing();
  return isl::manage(isl_union_map_flat_range_product(
      nest.outer.copy(), tile_coordinates(tiled(*nest.inner, tiles)).release()));
}

}  // namespace redblue::schedule
