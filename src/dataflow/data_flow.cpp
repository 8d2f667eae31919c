// SPDX-License-Identifier: BSD-3-Clause
#include "dataflow/data_flow.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include "dataflow/dependences.hpp"

namespace redblue::dataflow {

using program::Access;
using program::Program;
using program::Statement;

namespace {

// Instance -> the counters every step of the chain leaves as they are.
isl::map kept_counters(const isl::map& step, const Statement& s) {
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

std::optional<Chain> chain_of(const Statement& s, const std::vector<Flow>& flows) {
  for (const Flow& f : flows) {
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

}  // namespace

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

DataFlow::DataFlow(const Program& program) {
  for (const Statement& s : program.statements) {
    for (const Access& read : s.reads) {
      if (read.conditional) continue;
      for (const Source& source : sources(program, s, read)) {
        if (source.statement.empty()) {
          inputs.push_back({&s, read.array, source.values});
        } else {
          flows.push_back({&s, source.statement, source.values});
        }
      }
    }
  }
  for (const Statement& s : program.statements) {
    if (auto chain = chain_of(s, flows)) chains.emplace(s.name, std::move(*chain));
  }
}

Relation DataFlow::readers_of(const Relation& front) const {
  Relation result;
  for (const Flow& f : flows) {
    const auto known = front.find(f.writer);
    if (known == front.end()) continue;
    isl::map reached = known->second.apply_range(f.values.reverse());
    if (reached.is_empty()) continue;
    if (const auto chain = chains.find(f.reader->name); chain != chains.end()) {
      reached = reached.apply_range(chain->second.after);
    }
    unite(result, f.reader->name, reached);
  }
  return result;
}

}  // namespace redblue::dataflow
