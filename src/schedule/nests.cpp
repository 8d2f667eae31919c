// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/nests.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <algorithm>
#include <functional>
#include <set>

#include "schedule/independent_first.hpp"
#include "schedule/interchange.hpp"
#include "schedule/order.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::schedule {

using program::Program;
using program::Statement;

namespace {

using Change = std::function<isl_map*(const Statement&)>;

isl::union_map for_all(const Program& program, const Change& change) {
  isl::union_map result = nothing();
  for (const Statement& s : program.statements) {
    result = result.unite(isl::union_map(isl::manage(change(s))));
  }
  return result;
}

// The first `dimensions` of every time.
isl::union_map leading(const Program& program, unsigned dimensions) {
  return for_all(program, [dimensions](const Statement& s) {
    const auto all = static_cast<unsigned>(isl_map_dim(s.schedule.get(), isl_dim_out));
    const unsigned kept = std::min(all, dimensions);
    return isl_map_project_out(s.schedule.copy(), isl_dim_out, kept, all - kept);
  });
}

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
  return for_all(program, [&group](const Statement& s) {
    const auto all = static_cast<unsigned>(isl_map_dim(s.schedule.get(), isl_dim_out));
    const int place = place_in_text(s);
    isl_map* head = isl_map_project_out(s.schedule.copy(), isl_dim_out, 2, all > 2 ? all - 2 : 0);
    head = isl_map_drop_constraints_involving_dims(head, isl_dim_out, 0, 1);
    head = isl_map_fix_si(head, isl_dim_out, 0, group.at(place));
    isl_map* rest = isl_map_project_out(s.schedule.copy(), isl_dim_out, 1, std::min(1U, all - 1));
    return isl_map_flat_range_product(head, rest);
  });
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

// Each order once, or again where storage leaves more of it to tile.
class Distinct {
 public:
  void offer(Nest nest) {
    const isl::union_map time = times(nest, std::vector<Tiles>(nest.bands.size()));
    for (std::size_t n = 0; n < times_.size(); ++n) {
      if (found_[n].bands.size() >= nest.bands.size() && times_[n].is_equal(time)) return;
    }
    times_.push_back(time);
    found_.push_back(std::move(nest));
  }

  std::vector<Nest> take() { return std::move(found_); }

 private:
  std::vector<Nest> found_;
  std::vector<isl::union_map> times_;
};

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
    if (outermost_.size() > 1) add_one_by_one(variant, order, families);
    // Inside the program's outermost loops (a time begins with their place and counter).
    for (const Fusion fusion : {Fusion::most, Fusion::least}) {
      add_loops(variant, order, 2, fusion, families);
    }
  }

  std::vector<Nest> take() { return found_.take(); }

 private:
  void add_loops(const Program& variant, const isl::union_map& order, unsigned outer, Fusion fusion,
                 const std::vector<Family>& families) {
    const isl::union_map around = leading(program_, outer);
    const isl::union_map together = around.apply_range(around.reverse());
    for (const isl::union_map& close : close_) {
      const std::optional<isl::schedule> tree =
          loops(variant, order.intersect(together), close.intersect(together), fusion);
      if (tree) found_.offer({around, *tree, bands(*tree), families});
    }
  }

  // Each of the outermost loops by itself: isl's order where its bands hold all statements and need
  // nothing of each other, else the source's, which fuses what isl's bands would run over in turn.
  void add_one_by_one(const Program& variant, const isl::union_map& order,
                      const std::vector<Family>& families) {
    const isl::union_map source = times(variant);
    isl_schedule* all = nullptr;
    bool tiled = false, as_written = false;
    for (const int place : outermost_) {
      Program part = variant;
      std::erase_if(part.statements, [&](const Statement& s) { return place_in_text(s) != place; });
      const isl::union_set inside = instances(part);
      const auto within = [&](const isl::union_map& pairs) {
        return pairs.intersect_domain(inside).intersect_range(inside);
      };
      const auto tree = loops(part, within(order), within(close_.front()), Fusion::most);
      const bool apart = tree && nothing_between(bands(*tree), within(close_.front()), part);
      (apart ? tiled : as_written) = true;
      const isl::schedule here =
          apart ? *tree : parallel_loops_marked(source.intersect_domain(inside), within(order));
      all = all == nullptr ? here.copy() : isl_schedule_sequence(all, here.copy());
    }
    const isl::schedule tree = isl::manage(all);
    if (!tiled || !as_written) return;
    Nest nest{leading(program_, 0), tree, bands(tree), families};
    nest.partly_as_written = true;
    found_.offer(std::move(nest));
  }

  // Whether all statements are in bands, and no value of one is read in another.
  static bool nothing_between(const std::vector<Band>& bands, const isl::union_map& flow,
                              const Program& program) {
    std::map<std::string, std::size_t> of;
    for (std::size_t b = 0; b < bands.size(); ++b) {
      for (const std::string& s : bands[b].statements) of.emplace(s, b);
    }
    bool result = of.size() == program.statements.size();
    flow.foreach_map([&](const isl::map& m) {
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
  Distinct found_;
};

// No family has storage of its own.
std::vector<Family> in_place(std::vector<Family> families) {
  for (Family& f : families) f.put_back();
  return families;
}

bool same_storage(const std::vector<Family>& a, const std::vector<Family>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](const Family& x, const Family& y) {
    return x.storage == y.storage && x.iterators == y.iterators;
  });
}

// Whether instances of a statement at the same outer time agree in iterator d.
bool is_given(const Statement& s, const isl::map& outer, int d) {
  const isl::map together =
      isl::manage(isl_map_apply_range(outer.copy(), isl_map_reverse(outer.copy())))
          .intersect_domain(s.domain);
  const isl::map same = isl::manage(isl_map_equate(together.copy(), isl_dim_in, d, isl_dim_out, d));
  return together.is_subset(same);
}

// Instances without the iterators that the outer times give: S[k, j, i] -> S[j, i].
isl::map inner_part(const Statement& s, const isl::map& outer) {
  isl_map* part = isl_set_identity(s.domain.copy());
  for (int d = static_cast<int>(s.iterators.size()) - 1; d >= 0; --d) {
    if (is_given(s, outer, d))
      part = isl_map_project_out(part, isl_dim_out, static_cast<unsigned>(d), 1);
  }
  return isl::manage(isl_map_set_tuple_name(part, isl_dim_out, s.name.c_str()));
}

// Storage without the subscripts that the outer times give: every step of the outer loops uses it
// again.
std::vector<Family> used_again(const Program& program, std::vector<Family> families,
                               const isl::union_map& outer) {
  for (Family& f : families) {
    std::erase_if(f.iterators, [&](int d) {
      return std::any_of(f.writers.begin(), f.writers.end(), [&](std::size_t writer) {
        const Statement& s = program.statements[writer];
        return is_given(s, *of_statement(outer, s.name), d);
      });
    });
    if (f.iterators.empty()) f.put_back();
  }
  return families;
}

// isl's orders inside the program's outermost loops, of which each time has so many dimensions.
void add_inside(const Program& program, unsigned outer, const std::vector<Family>& families,
                Distinct& found) {
  const Program variant = privatised(program, families);
  const isl::union_map order = conflicts(variant), close = flow(program);
  const isl::union_map around = leading(program, outer);
  const isl::union_map together = around.apply_range(around.reverse());
  Program inside = variant;
  isl::union_map parts = nothing();
  for (Statement& s : inside.statements) {
    const isl::map part = inner_part(s, *of_statement(around, s.name));
    parts = parts.unite(isl::union_map(part));
    s.domain = part.range();
  }
  const auto of_parts = [&](const isl::union_map& pairs) {
    return pairs.intersect(together).apply_domain(parts).apply_range(parts);
  };
  for (const Fusion fusion : {Fusion::most, Fusion::least}) {
    const auto tree = loops(inside, of_parts(order), of_parts(close), fusion);
    if (!tree) continue;
    isl_schedule* all = isl_schedule_pullback_union_pw_multi_aff(
        tree->copy(), isl_union_pw_multi_aff_from_union_map(parts.copy()));
    const isl::schedule whole =
        isl::manage(isl_schedule_intersect_domain(all, instances(program).release()));
    found.offer({around, whole, bands(whole), families});
  }
}

}  // namespace

std::vector<Nest> nests_inside(const Program& program) {
  constexpr unsigned place_and_counter = 2;
  const std::vector<Family> all = schedule::families(program), none = in_place(all);
  Distinct found;
  for (const unsigned outer : {place_and_counter, 2 * place_and_counter}) {
    add_inside(program, outer, none, found);
    const std::vector<Family> again = used_again(program, all, leading(program, outer));
    if (!same_storage(again, none)) add_inside(program, outer, again, found);
  }
  return found.take();
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
