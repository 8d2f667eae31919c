// SPDX-License-Identifier: BSD-3-Clause
// Wavefronts in loop nests [elango2014, Lemma 2], for schedules that compute each value once: where
// a chain of one statement ends in a vertex v, and m values it was made from are read again by
// descendants of v, all m are alive when v is computed; m - S of them at least have been stored and
// are loaded later. There is one v per slice of the program (the loops the chain leaves as they
// are). What is counted are transfers of the m values, so slices, and statements, add up when they
// count different values, whatever else they share (a non-disjoint decomposition as in Theorem 4).
// Inputs of the program that were read before v and are read again by its descendants are alive,
// too; those not in fast memory are loaded once more between v and that reader. Slices count
// different loads where the reader comes before the next slice's v that counts the same input.
// Proofs: docs/methods/wavefront.md.
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <algorithm>

#include "bounds/bound.hpp"
#include "bounds/facts.hpp"
#include "bounds/gave_up.hpp"
#include "bounds/roles.hpp"
#include "dataflow/data_flow.hpp"
#include "dataflow/dependences.hpp"
#include "program/count.hpp"
#include "program/operation_limit.hpp"

namespace redblue::bounds {

using dataflow::Chain;
using dataflow::DataFlow;
using dataflow::FinalValues;
using dataflow::Flow;
using dataflow::InputRead;
using dataflow::Relation;
using dataflow::unite;

using program::Statement;
using symbolic::Expr;

namespace {

// What is alive at the ends of a statement's chains.
struct Ends {
  Relation alive;          // slice -> values
  Relation inputs;         // slice -> inputs loaded again
  bool cut_short = false;  // of some inputs nothing is known
};

// A wavefront with the values it counts.
struct Front {
  Bound bound;
  const Ends* ends;
};

class Wavefront {
 public:
  Wavefront(const Facts& facts, const Sizes& sizes)
      : facts_(facts), sizes_(sizes), flow_(facts.flow()) {}

  std::optional<Front> along(const Statement& s) const {
    constexpr unsigned long most_operations = 1'000'000;
    const auto& found = facts_.once(
        s.name + ": wavefront", [&] { return ends_of(s); }, most_operations);
    if (!found) return std::nullopt;
    if (found->cut_short) note_limit(sizes_, "wavefront", s.name);
    return Front{bound(s, found->alive, found->inputs), &*found};
  }

 private:
  std::optional<Ends> ends_of(const Statement& s) const {
    const auto known = flow_.chains.find(s.name);
    if (known == flow_.chains.end()) return std::nullopt;
    const Chain& chain = known->second;
    Relation before;  // what the end was made from
    unite(before, s.name, chain.slice.reverse());
    for (const Flow& f : flow_.flows) {
      if (f.reader == &s) unite(before, f.writer, chain.slice.reverse().apply_range(f.values));
    }
    Relation front;
    front.emplace(s.name, chain.slice.intersect_domain(chain.last).reverse());
    Relation later;  // what needs the end
    constexpr int most_levels = 4;
    for (int level = 0; level < most_levels; ++level) {
      front = flow_.readers_of(front);
      unite(later, front);
    }
    Ends ends;
    ends.alive = each_once(read_again(later, before));
    if (ends.alive.empty()) return std::nullopt;
    add_loaded_again(ends, chain, before, later);
    return ends;
  }

  // Values of `before` that a vertex of `after` reads, in the same slice.
  Relation read_again(const Relation& after, const Relation& before) const {
    Relation result;
    for (const Flow& f : flow_.flows) {
      const auto reader = after.find(f.reader->name);
      const auto writer = before.find(f.writer);
      if (reader == after.end() || writer == before.end()) continue;
      unite(result, f.writer, reader->second.apply_range(f.values).intersect(writer->second));
    }
    return result;
  }

  // A value alive in several slices counts in the first.
  static Relation each_once(const Relation& alive) {
    Relation result;
    for (const auto& [statement, map] : alive) {
      result.emplace(statement, map.is_injective() ? map : map.reverse().lexmin().reverse());
    }
    return result;
  }

  // Inputs read before a slice's end and after it, where the loads after different ends differ.
  void add_loaded_again(Ends& ends, const Chain& chain, const Relation& before,
                        const Relation& later) const {
    Relation seen;  // slice -> elements read by what the end was made from
    for (const InputRead& read : flow_.inputs) {
      const auto reader = before.find(read.reader->name);
      if (reader != before.end())
        unite(seen, read.array, reader->second.apply_range(read.elements));
    }
    const program::Count slices = program::count(chain.slice.range());
    for (const auto& [array, elements] : seen) {
      if (is_few(elements.domain(), slices)) continue;
      try {
        const program::OperationLimit limit;
        const isl::set counted = differing_loads(array, elements.wrap(), before, later);
        if (!counted.is_empty()) ends.inputs.emplace(array, counted.unwrap());
      } catch (const isl::exception&) {
        ends.cut_short = true;  // these inputs are not counted
      }
    }
  }

  // Pairs (slice, element) of `seen` whose element is read by a vertex that needs the slice's end
  // and, where a later slice counts it as well, comes before the end of that.
  isl::set differing_loads(const std::string& array, const isl::set& seen, const Relation& before,
                           const Relation& later) const {
    const isl::map slice_of = isl::manage(isl_map_domain_map(seen.unwrap().release()));
    const isl::map element_of = isl::manage(isl_map_range_map(seen.unwrap().release()));
    std::vector<std::pair<std::string, isl::map>> readers;  // pair -> reader
    isl::set all = seen.subtract(seen);
    for (const InputRead& read : flow_.inputs) {
      const auto reader = later.find(read.reader->name);
      if (read.array != array || reader == later.end()) continue;
      const isl::map pairs = reader->second.reverse().range_product(read.elements).reverse();
      readers.emplace_back(read.reader->name, pairs.intersect_domain(seen));
      all = all.unite(readers.back().second.domain());
    }
    const isl::set slices = all.unwrap().domain();
    const isl::map earlier = isl::manage(isl_set_lex_lt_set(slices.copy(), slices.copy()));
    const isl::map next = slice_of.apply_range(earlier)
                              .apply_range(slice_of.reverse())
                              .intersect(element_of.apply_range(element_of.reverse()))
                              .intersect_domain(all)
                              .intersect_range(all)
                              .lexmin();
    isl::set counted = all.subtract(next.domain());
    for (const auto& [name, pairs] : readers) {
      const auto known = before.find(name);
      if (known == before.end()) continue;
      const isl::map in_time = next.apply_range(slice_of).apply_range(known->second);
      counted = counted.unite(pairs.intersect(in_time).domain());
    }
    // The next pair in the row must be among them, or nothing says which end comes first.
    constexpr int most_rounds = 3;
    for (int round = 0; round < most_rounds; ++round) {
      const isl::set loose = next.intersect_range(all.subtract(counted)).domain();
      const isl::set bad = counted.intersect(loose);
      if (bad.is_empty()) return counted.coalesce();
      counted = counted.subtract(bad);
    }
    return all.subtract(all);
  }

  Bound bound(const Statement& s, const Relation& alive, const Relation& inputs) const {
    isl::set used = alive.begin()->second.domain();
    Amount values;
    const auto add = [&](const Relation& relation, int transfers) {
      for (const auto& [name, map] : relation) {
        const Amount count = sizes_.amount(program::count(flat(map)));
        values += {transfers * count.formula, transfers * count.value};
        used = used.unite(map.domain());
      }
    };
    add(alive, 2);
    add(inputs, 1);
    const Amount slices = sizes_.amount(program::count(used));
    Bound result;
    result.method = "wavefront";
    result.statement = s.name;
    result.recomputation = false;
    // What is alive may be in any of the memories.
    result.expression =
        (values.formula - 2 * slices.formula * symbolic::fast_memory() * sizes_.memories())
            .expand();
    result.leading = sizes_.leading(result.expression);
    result.counted = {
        {"values alive at the ends, each stored and loaded: transfers", values.formula},
        {"ends of chains, at each of which S values need not be moved", slices.formula}};
    if (sizes_.complete) {
      const double memory = sizes_.memory() * sizes_.units;
      result.value = std::max(0.0, values.value - 2 * memory * slices.value);
    }
    result.ledger = {
        {"the chain of " + s.name + " ends in one vertex per slice of the other loops", proved},
        {"values it was made from are read again by vertices that need that end: all are alive "
         "at once, and all but S are stored and loaded",
         proved},
        {"no value counts in two slices, so slices add up", proved}};
    for (const auto& [array, map] : inputs) {
      result.ledger.push_back({"elements of " + array +
                                   ", inputs read on both sides of an end, are alive with them and "
                                   "loaded again between this end and the next",
                               proved});
    }
    return result;
  }

  static isl::set flat(const isl::map& map) {
    return isl::manage(isl_set_flatten(isl_map_wrap(map.copy())));
  }

  const Facts& facts_;
  const Sizes& sizes_;
  const DataFlow& flow_;
};

bool share_values(const Relation& a, const Relation& b) {
  return std::any_of(a.begin(), a.end(), [&b](const auto& entry) {
    const auto other = b.find(entry.first);
    return other != b.end() && !entry.second.range().is_disjoint(other->second.range());
  });
}

// Adds the compulsory traffic to wavefronts: the first load of an input and the last store of an
// output are no transfers they count, as these are of computed values; outputs among those apart.
class Completion {
 public:
  Completion(const Facts& facts, const Sizes& sizes)
      : sizes_(sizes),
        compulsory_(compulsory(facts.program(), sizes)),
        final_(facts.final_values()) {}

  void complete(Bound& bound, const std::vector<Relation>& alive) const {
    Amount more{compulsory_.expression, compulsory_.value.value_or(0)};
    for (const auto& [statement, writers] : final_) {
      for (const Relation& counted : alive) {
        const auto known = counted.find(statement);
        if (known == counted.end()) continue;
        const isl::set both = known->second.range().intersect(writers);
        if (both.is_empty()) continue;
        const Amount count = sizes_.amount(program::count(both));
        more += {-count.formula, -count.value};
      }
    }
    bound.expression = (bound.expression + more.formula).expand();
    bound.counted.emplace_back("inputs and outputs moved besides", more.formula);
    bound.leading = sizes_.leading(bound.expression);
    if (bound.value) *bound.value += more.value;
    bound.ledger.push_back(
        {"inputs are loaded and outputs stored besides: those transfers are not counted above",
         proved});
  }

 private:
  const Sizes& sizes_;
  Bound compulsory_;
  const std::vector<FinalValues>& final_;
};

// Wavefronts of several statements that count no value twice, added up; nullopt for fewer than two.
std::optional<Bound> sum_of(const Sizes& sizes, std::vector<Front> fronts,
                            const Completion& completion) {
  const auto size = [&](const Front& f) { return strength(f.bound, sizes); };
  std::stable_sort(fronts.begin(), fronts.end(),
                   [&size](const Front& a, const Front& b) { return size(a) > size(b); });
  std::vector<Front> chosen;
  for (Front& front : fronts) {
    if (size(front) <= 0) continue;
    if (std::none_of(chosen.begin(), chosen.end(), [&front](const Front& other) {
          return share_values(front.ends->alive, other.ends->alive) ||
                 share_values(front.ends->inputs, other.ends->inputs);
        })) {
      chosen.push_back(std::move(front));
    }
  }
  if (chosen.size() < 2) return std::nullopt;
  Bound sum = chosen.front().bound;
  for (std::size_t i = 1; i < chosen.size(); ++i) {
    const Bound& more = chosen[i].bound;
    sum.statement += " and " + more.statement;
    sum.expression += more.expression;
    if (sum.value) *sum.value += *more.value;
    sum.counted.insert(sum.counted.end(), more.counted.begin(), more.counted.end());
    sum.ledger.insert(sum.ledger.begin() + static_cast<std::ptrdiff_t>(i), more.ledger.front());
  }
  sum.ledger.push_back({"no value counts for two statements, so their wavefronts add up", proved});
  std::vector<Relation> alive;
  for (const Front& front : chosen) alive.push_back(front.ends->alive);
  completion.complete(sum, alive);
  return sum;
}

}  // namespace

std::vector<Bound> wavefronts(const Facts& facts, const Sizes& sizes) {
  std::vector<Bound> result;
  std::vector<Front> fronts;
  const Wavefront wavefront(facts, sizes);
  for (const Statement& s : facts.program().statements) {
    try {
      const program::OperationLimit limit;
      if (auto front = wavefront.along(s)) fronts.push_back(std::move(*front));
    } catch (const isl::exception&) {
      note_limit(sizes, "wavefront", s.name);  // no front is known along it
    }
  }
  if (fronts.empty()) return result;
  const Completion completion(facts, sizes);
  for (const Front& front : fronts) {
    if (far_strength(front.bound, sizes) <= 0) continue;
    result.push_back(front.bound);
    completion.complete(result.back(), {front.ends->alive});
  }
  if (const auto sum = sum_of(sizes, std::move(fronts), completion)) {
    result.push_back(*sum);
  }
  return result;
}

}  // namespace redblue::bounds
