// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/projection/pairs.hpp"

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <set>

#include "bounds/projection/images.hpp"
#include "bounds/projection/places.hpp"

namespace redblue::bounds {

using program::Access;
using program::Statement;

isl::map Pairs::positions() const {
  const isl::map row = coordinate(both.front().row.intersect_domain(counted), along);
  const isl::map place = coordinate(both.front().place.intersect_domain(counted), along);
  return isl::manage(isl_map_flat_range_product(row.copy(), place.copy()));
}

namespace {

// Instances -> those that differ along `axis` only.
isl_map* beside(const isl::set& domain, int axis) {
  isl_map* result = isl_map_universe(isl_space_map_from_set(isl_set_get_space(domain.get())));
  for (int d = 0; d < static_cast<int>(isl_set_dim(domain.get(), isl_dim_set)); ++d) {
    if (d != axis) result = isl_map_equate(result, isl_dim_in, d, isl_dim_out, d);
  }
  return result;
}

// Instances -> the one a step away.
isl::map step(const isl::set& domain, int axis, int by) {
  isl_map* result = beside(domain, axis);
  isl_local_space* local = isl_local_space_from_space(isl_map_get_space(result));
  isl_constraint* c = isl_constraint_alloc_equality(local);
  c = isl_constraint_set_coefficient_si(c, isl_dim_in, axis, 1);
  c = isl_constraint_set_coefficient_si(c, isl_dim_out, axis, -1);
  return isl::manage(isl_map_add_constraint(result, isl_constraint_set_constant_si(c, by)));
}

bool meet(const isl::set& a, const isl::set& b) {
  return same_space(a, b) && !a.is_disjoint(b);
}

// From the first array's elements to the values read with them.
isl::map with_place(const Pairs& pairs, const isl::map& values) {
  return pairs.both.front().place.intersect_domain(pairs.counted).reverse().apply_range(values);
}

isl::map with_first(const Pairs& pairs, const BothSides& sides) {
  const isl::map row = pairs.both.front().row.intersect_domain(pairs.counted);
  return row.reverse().apply_range(sides.row).unite(with_place(pairs, sides.place));
}

isl::set values_of(const BothSides& sides) {
  return sides.row.range().unite(sides.place.range());
}

// Array by array.
std::vector<isl::set> values_of(const Pairs& pairs) {
  std::vector<isl::set> all;
  for (const BothSides& sides : pairs.both) all.push_back(values_of(sides));
  for (const isl::map& values : pairs.placed) all.push_back(values.range());
  return all;
}

// By the statement or by one whose values it looks through.
bool is_computed_by(const isl::set& values, const Pairs& pairs) {
  return same_space(values, pairs.statement->domain) ||
         std::any_of(pairs.makers.begin(), pairs.makers.end(),
                     [&](const auto& made) { return same_space(values, made.second.range()); });
}

// Whether no value but those that both read of the same array plays a part for both.
bool share_only_arrays(const Pairs& one, const Pairs& other) {
  const std::vector<isl::set> mine = values_of(one);
  const std::vector<isl::set> theirs = values_of(other);
  for (std::size_t k = 0; k < mine.size(); ++k) {
    if (is_computed_by(mine[k], other) || is_computed_by(theirs[k], one)) return false;
    for (std::size_t l = 0; l < theirs.size(); ++l) {
      if (k != l && meet(mine[k], theirs[l])) return false;
    }
  }
  const auto apart = [](const std::vector<isl::set>& starts, const std::vector<isl::set>& others) {
    return std::none_of(starts.begin(), starts.end(), [&](const isl::set& start) {
      return std::any_of(others.begin(), others.end(),
                         [&](const isl::set& values) { return meet(start, values); });
    });
  };
  return !is_computed_by(one.statement->domain, other) &&
         !is_computed_by(other.statement->domain, one) && apart(one.starts, theirs) &&
         apart(other.starts, mine) && apart(one.starts, other.starts);
}

class Finder {
 public:
  Finder(const Roles& roles, const ChainRole& chain, int axis, const isl::set* first)
      : roles_(roles),
        domain_(roles.statement->domain),
        chain_(chain),
        axis_(axis),
        preferred_(first) {}

  std::optional<Pairs> find() {
    for (const int by : {-1, 1}) {
      if (!follow_chain(by)) continue;
      for (std::size_t r = 0; r < roles_.values.size(); ++r) {
        for (std::size_t p = 0; p < roles_.values.size(); ++p) {
          if (r != p && begin(r, p)) return finished();
        }
      }
    }
    return std::nullopt;
  }

 private:
  // Along unit steps; instances without one that do not begin with an input are tagged.
  bool follow_chain(int by) {
    pairs_ = Pairs{roles_.statement, axis_, domain_, {}, 0, {}, {}, {}};
    const isl::map unit = chain_.values.back().intersect(step(domain_, axis_, by));
    isl::set lacking = domain_.subtract(unit.domain());
    for (const isl::map& start : chain_.starts) {
      if (may_be_read(start.range())) continue;
      pairs_.starts.push_back(start.range());
      lacking = lacking.subtract(start.domain());
    }
    if (!roles_.is_few(lacking)) return false;
    if (!lacking.is_empty()) pairs_.tagged.push_back(lacking);
    chained_ = domain_.subtract(lacking);
    pairs_.counted = chained_;
    return true;
  }

  bool may_be_read(const isl::set& values) const {
    return std::any_of(roles_.values.begin(), roles_.values.end(),
                       [&](const ValueRole& role) { return meet(role.range, values); });
  }

  bool stands_still(const isl::map& values) const {
    const auto formulas = program::single_formulas(values);
    return !formulas.empty() && std::none_of(formulas.begin(), formulas.end(), [&](const auto& f) {
      return isl_aff_involves_dims(f.get(), isl_dim_in, static_cast<unsigned>(axis_), 1);
    });
  }

  // The role's values where all roles taken have one, as formulas of the loops alone.
  isl::map shown(const isl::map& values) const {
    return isl::manage(isl_map_gist_domain(values.copy(), domain_.copy()));
  }

  bool is_usable(std::size_t role) const {
    const ValueRole& value = roles_.values[role];
    if (same_space(value.range, domain_)) return false;  // chains' values might be among them
    return roles_.is_few(domain_.subtract(value.values.domain())) &&
           std::none_of(taken_.begin(), taken_.end(),
                        [&](std::size_t t) { return meet(roles_.values[t].range, value.range); });
  }

  bool are_sides(std::size_t row, std::size_t place) const {
    const ValueRole& r = roles_.values[row];
    const ValueRole& p = roles_.values[place];
    return same_space(r.range, p.range) && is_usable(row) && is_usable(place) &&
           stands_still(shown(r.values)) && moved_by(shown(p.values), axis_).has_value();
  }

  void take(std::size_t role) {
    taken_.push_back(role);
    const ValueRole& value = roles_.values[role];
    pairs_.counted = pairs_.counted.intersect(value.values.domain());
    if (!value.input) pairs_.tagged.push_back(value.range);
  }

  // Two roles whose elements give the positions: on one line, and no two instances at one pair.
  bool begin(std::size_t row, std::size_t place) {
    taken_.clear();
    if (!are_sides(row, place)) return false;
    if (preferred_ != nullptr && !meet(*preferred_, roles_.values[row].range)) return false;
    const isl::map& r = roles_.values[row].values;
    const isl::map& p = roles_.values[place].values;
    const unsigned along = *moved_by(shown(p), axis_);
    const isl::set all = pairs_.counted.intersect(r.domain()).intersect(p.domain());
    const auto line = [&](const isl::map& values) {
      return without_outputs(values.intersect_domain(all), along, 1);
    };
    if (!line(r).is_equal(line(p)) || !determines_instances(r, p)) return false;
    pairs_.along = along;
    pairs_.both.push_back({r, p});
    take(row);
    take(place);
    return true;
  }

  void add_other_sides() {
    for (std::size_t r = 0; r < roles_.values.size(); ++r) {
      for (std::size_t p = 0; p < roles_.values.size(); ++p) {
        if (r == p || !are_sides(r, p)) continue;
        const BothSides sides{roles_.values[r].values, roles_.values[p].values};
        const isl::map with = with_first(pairs_, sides);
        if (!with.is_single_valued() || !with.is_injective()) continue;
        pairs_.both.push_back(sides);
        take(r);
        take(p);
      }
    }
  }

  void add_placed() {
    for (std::size_t v = 0; v < roles_.values.size(); ++v) {
      const isl::map& values = roles_.values[v].values;
      if (!is_usable(v) || !with_place(pairs_, values).is_injective()) continue;
      pairs_.placed.push_back(values);
      take(v);
    }
  }

  std::optional<Pairs> finished() {
    add_other_sides();
    add_placed();
    if (!is_contiguous(pairs_.counted, chained_, axis_)) return std::nullopt;
    return pairs_;
  }

  const Roles& roles_;
  const isl::set domain_;
  const ChainRole& chain_;
  const int axis_;
  const isl::set* preferred_;
  isl::set chained_;  // instances with a step before them, or an input
  std::vector<std::size_t> taken_;
  Pairs pairs_;
};

}  // namespace

std::optional<Pairs> pairs_of(const Roles& roles, const isl::set* first) {
  for (const ChainRole& chain : roles.chains) {
    if (chain.values.size() != 1) continue;  // passes through another statement
    for (int axis = 0; axis < roles.loops(); ++axis) {
      if (auto found = Finder(roles, chain, axis, first).find()) return found;
    }
  }
  return std::nullopt;
}

bool may_be_pairs(const Statement& statement) {
  const auto shows = [](const Access& access, int loop) {
    const auto all = subscript_loops(access);
    return std::any_of(all.begin(), all.end(),
                       [loop](const std::set<int>& loops) { return loops.count(loop) != 0; });
  };
  for (int t = 0; t < static_cast<int>(statement.iterators.size()); ++t) {
    if (std::any_of(statement.writes.begin(), statement.writes.end(),
                    [&](const Access& write) { return shows(write, t); }))
      continue;
    for (const Access& row : statement.reads) {
      for (const Access& place : statement.reads) {
        if (row.array == place.array && !shows(row, t) && shows(place, t)) return true;
      }
    }
  }
  return false;
}

bool order_as(const Pairs& one, Pairs& other) {
  if (one.along != other.along || one.both.size() != other.both.size() ||
      one.placed.size() != other.placed.size())
    return false;
  for (std::size_t k = 0; k < one.both.size(); ++k) {
    const auto from = other.both.begin() + static_cast<std::ptrdiff_t>(k);
    const auto found = std::find_if(from, other.both.end(), [&](const BothSides& theirs) {
      return meet(values_of(one.both[k]), values_of(theirs));
    });
    if (found == other.both.end()) return false;
    std::iter_swap(from, found);
  }
  for (std::size_t k = 0; k < one.placed.size(); ++k) {
    const auto from = other.placed.begin() + static_cast<std::ptrdiff_t>(k);
    const auto found = std::find_if(from, other.placed.end(), [&](const isl::map& theirs) {
      return meet(one.placed[k].range(), theirs.range());
    });
    if (found == other.placed.end()) return false;
    std::iter_swap(from, found);
  }
  return true;
}

bool agree(const Pairs& one, const Pairs& other) {
  if (!share_only_arrays(one, other)) return false;
  for (std::size_t k = 0; k < one.both.size(); ++k) {
    if (!same_space(one.both[k].row.range(), other.both[k].row.range())) return false;
    const isl::map with = with_first(one, one.both[k]).unite(with_first(other, other.both[k]));
    if (!with.is_single_valued() || !with.is_injective()) return false;
  }
  for (std::size_t k = 0; k < one.placed.size(); ++k) {
    if (!same_space(one.placed[k].range(), other.placed[k].range()) ||
        !with_place(one, one.placed[k]).unite(with_place(other, other.placed[k])).is_injective())
      return false;
  }
  return true;
}

namespace {

// Instances -> pairs of elements of the first array.
isl::map pairs_at(const Pairs& pairs) {
  isl::map row = pairs.both.front().row.intersect_domain(pairs.counted);
  return isl::manage(isl_map_range_product(row.release(), pairs.both.front().place.copy()));
}

}  // namespace

bool share_a_pair(const Pairs& one, const Pairs& other) {
  return !pairs_at(one).range().is_disjoint(pairs_at(other).range());
}

bool use_at_one_pair(const Pairs& one, const Pairs& other) {
  for (const auto& [maker, used] : one.makers) {
    const auto theirs = other.makers.find(maker);
    if (theirs == other.makers.end()) continue;
    const isl::map here = used.reverse().apply_range(pairs_at(one));
    const isl::map there = theirs->second.reverse().apply_range(pairs_at(other));
    if (!here.unite(there).is_single_valued()) return false;
  }
  return true;
}

}  // namespace redblue::bounds
