// Wavefronts in loop nests (paper 2, Lemma 2), for schedules that compute each value once: where a
// chain of one statement ends in a vertex v, and m values it was made from are read again by
// descendants of v, all m are alive when v is computed; m - S of them at least have been stored and
// are loaded later. There is one v per slice of the program (the loops the chain leaves as they
// are). What is counted are transfers of the m values, so slices, and statements, add up when they
// count different values, whatever else they share (a non-disjoint decomposition as in Theorem 4).
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <algorithm>
#include <map>

#include "bounds/bound.hpp"
#include "bounds/dependences.hpp"
#include "program/count.hpp"

namespace redblue::bounds {

using program::Access;
using program::Program;
using program::Statement;
using symbolic::Expr;

namespace {

constexpr auto proved = Condition::Status::proved;

// A read of a computed value: reading instance -> computing instance.
struct Flow {
  const Statement* reader;
  std::string writer;
  isl::map values;
};

// Slice -> instances of one statement, by statement.
using Relation = std::map<std::string, isl::map>;

void unite(Relation& relation, const std::string& statement, const isl::map& more) {
  if (more.is_empty()) return;
  const auto known = relation.find(statement);
  if (known == relation.end()) {
    relation.emplace(statement, more);
  } else {
    known->second = known->second.unite(more);
  }
}

void unite(Relation& relation, const Relation& more) {
  for (const auto& [statement, map] : more) unite(relation, statement, map);
}

// A chain through the instances of one statement, one in every slice: each instance but the first
// reads the value of the one before.
struct Chain {
  isl::map slice;  // instance -> the counters that stay the same along the chain
  isl::map after;  // instance -> itself and those behind it
  isl::set last;   // the end in each slice
};

// A wavefront with the values it counts.
struct Front {
  Bound bound;
  Relation alive;  // slice -> values
};

class Wavefront {
 public:
  Wavefront(const Program& program, const Sizes& sizes) : program_(program), sizes_(sizes) {
    for (const Statement& s : program.statements) {
      for (const Access& read : s.reads) {
        if (read.conditional) continue;
        for (const Source& source : sources(program, s, read)) {
          if (!source.statement.empty()) flows_.push_back({&s, source.statement, source.values});
        }
      }
    }
    for (const Statement& s : program.statements) {
      if (auto chain = chain_of(s)) chains_.emplace(s.name, std::move(*chain));
    }
  }

  std::optional<Front> along(const Statement& s) const {
    const auto known = chains_.find(s.name);
    if (known == chains_.end()) return std::nullopt;
    const Chain& chain = known->second;
    Relation before;  // what the end was made from
    unite(before, s.name, chain.slice.reverse());
    for (const Flow& f : flows_) {
      if (f.reader == &s) unite(before, f.writer, chain.slice.reverse().apply_range(f.values));
    }
    Relation front;
    front.emplace(s.name, chain.slice.intersect_domain(chain.last).reverse());
    Relation later;  // what needs the end
    constexpr int most_levels = 3;
    for (int level = 0; level < most_levels; ++level) {
      front = readers_of(front);
      unite(later, front);
    }
    const Relation alive = each_once(read_again(later, before));
    if (alive.empty()) return std::nullopt;
    return Front{bound(s, alive), alive};
  }

 private:
  std::optional<Chain> chain_of(const Statement& s) const {
    for (const Flow& f : flows_) {
      if (f.reader != &s || f.writer != s.name || !f.values.is_injective()) continue;
      const isl::map slice = kept_counters(f.values, s);
      const isl::set first = s.domain.subtract(f.values.domain());
      const isl::set last = s.domain.subtract(f.values.range());
      // Every instance has one before it and one behind it; with one start per slice and one end
      // they form one chain in each, in the order of time.
      if (!slice.intersect_domain(first).is_injective() ||
          !slice.intersect_domain(last).is_injective()) {
        continue;
      }
      const isl::map in_slice = slice.apply_range(slice.reverse());
      isl::map later = isl::manage(isl_map_lex_le_map(s.schedule.copy(), s.schedule.copy()));
      return Chain{slice, later.intersect(in_slice), last};
    }
    return std::nullopt;
  }

  // Instance -> the counters every step of the chain leaves as they are.
  static isl::map kept_counters(const isl::map& step, const Statement& s) {
    isl_map* identity = isl_set_identity(s.domain.copy());
    for (auto d = static_cast<int>(s.iterators.size()); d-- > 0;) {
      const isl::map equal = isl::manage(isl_map_equate(
          isl_map_universe(isl_map_get_space(step.get())), isl_dim_in, d, isl_dim_out, d));
      if (!step.is_subset(equal)) {
        identity = isl_map_project_out(identity, isl_dim_out, static_cast<unsigned>(d), 1);
      }
    }
    return isl::manage(isl_map_set_tuple_name(identity, isl_dim_out, "slice"));
  }

  // Readers of the vertices in `front`, and what follows them along their own chains.
  Relation readers_of(const Relation& front) const {
    Relation result;
    for (const Flow& f : flows_) {
      const auto known = front.find(f.writer);
      if (known == front.end()) continue;
      isl::map reached = known->second.apply_range(f.values.reverse());
      if (reached.is_empty()) continue;
      if (const auto chain = chains_.find(f.reader->name); chain != chains_.end()) {
        reached = reached.apply_range(chain->second.after);
      }
      unite(result, f.reader->name, reached);
    }
    return result;
  }

  // Values of `before` that a vertex of `after` reads, in the same slice.
  Relation read_again(const Relation& after, const Relation& before) const {
    Relation result;
    for (const Flow& f : flows_) {
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

  Bound bound(const Statement& s, const Relation& alive) const {
    isl::set used = alive.begin()->second.domain();
    Expr values = 0;
    double values_number = 0;
    for (const auto& [statement, map] : alive) {
      const program::Count count = program::count(flat(map));
      values += count.generic();
      if (sizes_.complete) values_number += count.number(sizes_.values);
      used = used.unite(map.domain());
    }
    const program::Count slices = program::count(used);
    Bound result;
    result.method = "wavefront";
    result.statement = s.name;
    result.recomputation = false;
    result.expression = (2 * values - 2 * slices.generic() * symbolic::fast_memory()).expand();
    result.leading = symbolic::leading_term(result.expression);
    if (sizes_.complete) {
      double memory = 0;
      symbolic::evaluate(symbolic::fast_memory(), sizes_.values, memory);
      memory *= sizes_.units;  // what is alive may be in any of them
      result.value = std::max(0.0, 2 * values_number - 2 * memory * slices.number(sizes_.values));
    }
    result.ledger = {
        {"the chain of " + s.name + " ends in one vertex per slice of the other loops", proved},
        {"values it was made from are read again by vertices that need that end: all are alive "
         "at once, and all but S are stored and loaded",
         proved},
        {"no value counts in two slices, so slices add up", proved}};
    return result;
  }

  static isl::set flat(const isl::map& map) {
    return isl::manage(isl_set_flatten(isl_map_wrap(map.copy())));
  }

  const Program& program_;
  const Sizes& sizes_;
  std::vector<Flow> flows_;
  std::map<std::string, Chain> chains_;  // by statement
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
  Completion(const Program& program, const Sizes& sizes)
      : sizes_(sizes), compulsory_(compulsory(program, sizes)) {
    for (const auto& [name, array] : program.arrays) {
      if (array.local) continue;
      const Statement end = final_reader(program, name);
      if (end.reads.empty()) continue;
      for (const Source& source : sources(program, end, end.reads.front())) {
        final_.emplace_back(source.statement, source.values.range());
      }
    }
  }

  void complete(Bound& bound, const std::vector<Relation>& alive) const {
    Expr more = compulsory_.expression;
    double more_number = compulsory_.value.value_or(0);
    for (const auto& [statement, writers] : final_) {
      for (const Relation& counted : alive) {
        const auto known = counted.find(statement);
        if (known == counted.end()) continue;
        const isl::set both = known->second.range().intersect(writers);
        if (both.is_empty()) continue;
        const program::Count count = program::count(both);
        more -= count.generic();
        if (sizes_.complete) more_number -= count.number(sizes_.values);
      }
    }
    bound.expression = (bound.expression + more).expand();
    bound.leading = symbolic::leading_term(bound.expression);
    if (bound.value) *bound.value += more_number;
    bound.ledger.push_back(
        {"inputs are loaded and outputs stored besides: those transfers are not counted above",
         proved});
  }

 private:
  const Sizes& sizes_;
  Bound compulsory_;
  std::vector<std::pair<std::string, isl::set>> final_;  // who writes final values
};

// Wavefronts of several statements that count no value twice, added up; nullopt for fewer than two.
std::optional<Bound> sum_of(const Program& program, const Sizes& sizes, std::vector<Front> fronts,
                            const Completion& completion) {
  const auto size = [&](const Front& f) { return strength(f.bound, program, sizes); };
  std::stable_sort(fronts.begin(), fronts.end(),
                   [&size](const Front& a, const Front& b) { return size(a) > size(b); });
  std::vector<Front> chosen;
  for (Front& front : fronts) {
    if (size(front) <= 0) continue;
    if (std::none_of(chosen.begin(), chosen.end(), [&front](const Front& other) {
          return share_values(front.alive, other.alive);
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
    sum.ledger.insert(sum.ledger.begin() + static_cast<std::ptrdiff_t>(i), more.ledger.front());
  }
  sum.ledger.push_back({"no value counts for two statements, so their wavefronts add up", proved});
  std::vector<Relation> alive;
  for (const Front& front : chosen) alive.push_back(front.alive);
  completion.complete(sum, alive);
  return sum;
}

}  // namespace

std::vector<Bound> wavefronts(const Program& program, const Sizes& sizes) {
  std::vector<Bound> result;
  std::vector<Front> fronts;
  const Wavefront wavefront(program, sizes);
  for (const Statement& s : program.statements) {
    if (auto front = wavefront.along(s)) fronts.push_back(std::move(*front));
  }
  if (fronts.empty()) return result;
  const Completion completion(program, sizes);
  for (const Front& front : fronts) {
    if (strength(front.bound, program, {}) <= 0) continue;
    result.push_back(front.bound);
    completion.complete(result.back(), {front.alive});
  }
  if (const auto sum = sum_of(program, sizes, std::move(fronts), completion)) {
    result.push_back(*sum);
  }
  return result;
}

}  // namespace redblue::bounds
