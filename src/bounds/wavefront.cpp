// Wavefronts in loop nests (paper 2, Lemma 2 with Theorem 2), for schedules that compute each value
// once: where a chain of one statement ends in a vertex v, and m values it was made from are read
// again by descendants of v, all m are alive when v is computed, and m - S of them at least are
// stored and loaded. One v per slice of the program (all loops but the chain's); slices share no
// vertex, so they add up.
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <algorithm>
#include <map>

#include "bounds/bound.hpp"
#include "bounds/dependences.hpp"
#include "bounds/step.hpp"
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
      if (const auto step = chain_step(s)) steps_.emplace(s.name, *step);
    }
  }

  std::optional<Bound> along(const Statement& s) const {
    const auto step = steps_.find(s.name);
    if (step == steps_.end() || axis_of(step->second) < 0 || s.iterators.size() < 2) {
      return std::nullopt;
    }
    const isl::map slice = slices(s, axis_of(step->second));
    const isl::map next_in_chain = shift(s, step->second, "n = 1");
    const isl::set first = s.domain.subtract(next_in_chain.range());
    const isl::set last = s.domain.subtract(next_in_chain.domain());
    // One chain per slice: one start, one end.
    if (!slice.intersect_domain(first).is_injective() ||
        !slice.intersect_domain(last).is_injective()) {
      return std::nullopt;
    }
    Relation before;  // what the end was made from
    unite(before, s.name, slice.reverse());
    for (const Flow& f : flows_) {
      if (f.reader == &s) unite(before, f.writer, slice.reverse().apply_range(f.values));
    }
    Relation front;
    front.emplace(s.name, slice.intersect_domain(last).reverse());
    const Relation end = front;
    std::vector<Relation> levels;  // what needs the end, by distance
    std::optional<Bound> best;
    constexpr int most_levels = 3;
    for (int level = 0; level < most_levels; ++level) {
      front = readers_of(front);
      levels.push_back(front);
      Relation later;
      for (const Relation& l : levels) unite(later, l);
      const Relation alive = read_again(later, before);
      if (alive.empty()) continue;
      Relation parts = needed(levels, later, alive);
      unite(parts, end);
      const std::optional<Bound> next = bound(s, alive, parts, slice);
      if (!next) break;  // the slices run into each other
      best = next;
    }
    return best;
  }

 private:
  // The step of the statement's own chain, where every instance but the first of a line has one and
  // lines have no gaps.
  std::optional<Vector> chain_step(const Statement& s) const {
    for (const Flow& f : flows_) {
      if (f.reader != &s || f.writer != s.name) continue;
      const auto step = translation(f.values);
      if (!step) continue;
      const isl::map next = shift(s, *step, "n = 1");
      const bool gapless = shift(s, *step, "n >= 2").domain().is_subset(next.domain());
      if (gapless && next.range().is_subset(f.values.domain())) return step;
    }
    return std::nullopt;
  }

  // x -> x + n d within the statement's domain, for the n of a condition like "n = 1".
  static isl::map shift(const Statement& s, const Vector& d, const std::string& n) {
    std::string from, to, steps;
    for (std::size_t t = 0; t < d.size(); ++t) {
      const std::string i = std::to_string(t);
      from += (t == 0 ? "x" : ", x") + i;
      to += (t == 0 ? "y" : ", y") + i;
      steps += " and y" + i + " = x" + i + " + " + "(" + std::to_string(d[t]) + " * n)";
    }
    const std::string text = "{ [" + from + "] -> [" + to + "] : exists (n : " + n + steps + ") }";
    isl_map* map = isl::map(program::context(), text).release();
    map = isl_map_set_tuple_name(map, isl_dim_in, s.name.c_str());
    map = isl_map_set_tuple_name(map, isl_dim_out, s.name.c_str());
    return isl::manage(map).intersect_domain(s.domain).intersect_range(s.domain);
  }

  // Instance -> its loop counters without the chain's.
  static isl::map slices(const Statement& s, int axis) {
    isl_map* identity = isl_set_identity(s.domain.copy());
    identity = isl_map_project_out(identity, isl_dim_out, static_cast<unsigned>(axis), 1);
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
      if (const auto step = steps_.find(f.reader->name); step != steps_.end()) {
        reached = reached.unite(reached.apply_range(shift(*f.reader, step->second, "n >= 0")));
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

  // Those of `later` that read a value of `alive` in the same slice, and the ways from the end to
  // them.
  Relation needed(const std::vector<Relation>& levels, const Relation& later,
                  const Relation& alive) const {
    Relation result;
    for (const Flow& f : flows_) {
      const auto reader = later.find(f.reader->name);
      const auto writer = alive.find(f.writer);
      if (reader == later.end() || writer == alive.end()) continue;
      unite(result, f.reader->name,
            writer->second.apply_range(f.values.reverse()).intersect(reader->second));
    }
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
      unite(result, read_again(result, *level));
    }
    return result;
  }

  std::optional<Bound> bound(const Statement& s, const Relation& alive, const Relation& after,
                             const isl::map& slice) const {
    // Every vertex that plays a part belongs to one slice.
    Relation all = after;
    unite(all, alive);
    unite(all, s.name, slice.reverse());
    for (const auto& [statement, map] : all) {
      if (!map.is_injective()) return std::nullopt;
    }
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
      result.value = std::max(0.0, 2 * values_number - 2 * memory * slices.number(sizes_.values));
    }
    result.ledger = {
        {"the chain of " + s.name + " ends in one vertex per slice of the outer loops", proved},
        {"values it was made from are read again by vertices that need that end: all are alive "
         "at once, and all but S are stored and loaded",
         proved},
        {"no vertex plays a part in two slices, so slices add up", proved}};
    return result;
  }

  static isl::set flat(const isl::map& map) {
    return isl::manage(isl_set_flatten(isl_map_wrap(map.copy())));
  }

  const Program& program_;
  const Sizes& sizes_;
  std::vector<Flow> flows_;
  std::map<std::string, Vector> steps_;  // statement -> the step of its own chain
};

}  // namespace

std::vector<Bound> wavefronts(const Program& program, const Sizes& sizes) {
  std::vector<Bound> result;
  const Wavefront wavefront(program, sizes);
  for (const Statement& s : program.statements) {
    if (const auto bound = wavefront.along(s)) result.push_back(*bound);
  }
  return result;
}

}  // namespace redblue::bounds
