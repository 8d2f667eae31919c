#include <isl/flow.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include <map>

#include "bounds/bound.hpp"
#include "program/count.hpp"
#include "redblue/error.hpp"

namespace redblue::bounds {

using program::Access;
using program::Program;
using program::Statement;
using symbolic::Expr;

namespace {

using Elements = std::map<std::string, isl::set>;  // array -> elements of it

void unite(Elements& elements, const std::string& array, const isl::set& more) {
  const auto known = elements.find(array);
  if (known == elements.end()) {
    elements.emplace(array, more);
  } else {
    known->second = known->second.unite(more);
  }
}

// Elements that some instance reads before any instance writes them.
Elements live_in(const Program& program) {
  isl::union_map writes = isl::manage(isl_union_map_empty_ctx(program::context().get()));
  isl::union_map schedule = writes;
  for (const Statement& s : program.statements) {
    for (const Access& w : s.writes) writes = writes.unite(isl::union_map(w.elements));
    schedule = schedule.unite(isl::union_map(s.schedule));
  }
  Elements result;
  for (const Statement& s : program.statements) {
    for (const Access& read : s.reads) {
      if (read.conditional) continue;
      const isl::union_map reads(read.elements);
      isl_union_access_info* info = isl_union_access_info_from_sink(reads.copy());
      info = isl_union_access_info_set_must_source(info, writes.copy());
      info = isl_union_access_info_set_schedule_map(info, schedule.copy());
      isl_union_flow* flow = isl_union_access_info_compute_flow(info);
      const isl::union_map fresh = isl::manage(isl_union_flow_get_must_no_source(flow));
      isl_union_flow_free(flow);
      if (fresh.is_empty()) continue;
      unite(result, read.array, isl::manage(isl_set_from_union_set(fresh.range().release())));
    }
  }
  return result;
}

Elements outputs(const Program& program) {
  Elements result;
  for (const Statement& s : program.statements) {
    for (const Access& write : s.writes) {
      if (!program.arrays.at(write.array).local) unite(result, write.array, write.elements.range());
    }
  }
  return result;
}

// Nothing for sets with holes that are no stride (images of 2 h + r, r up to a parameter).
std::optional<program::Count> counted(const isl::set& set) {
  try {
    return program::count(set);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<Amount> inputs(const Program& program, const Sizes& sizes) {
  Amount result;
  for (const auto& [array, set] : live_in(program)) {
    const auto count = counted(set);
    if (!count) return std::nullopt;
    result.formula += count->generic();
    if (sizes.complete) result.value += count->number(sizes.values);
  }
  return result;
}

Bound compulsory(const Program& program, const Sizes& sizes) {
  Bound bound;
  bound.method = "compulsory";
  bound.ledger.push_back(
      {"every input that is read must be loaded once", Condition::Status::proved});
  bound.ledger.push_back(
      {"every element written must end in slow memory", Condition::Status::proved});
  double value = 0;
  const auto add = [&](const Elements& elements) {
    for (const auto& [array, set] : elements) {
      const auto count = counted(set);
      if (!count) {
        bound.ledger.push_back({"elements of " + array + " are left out: no formula counts them",
                                Condition::Status::proved});
        continue;
      }
      std::string condition;
      bound.expression += count->generic(&condition);
      if (!condition.empty()) {
        bound.ledger.push_back(
            {"the formula is for sizes in " + condition, Condition::Status::proved});
      }
      if (sizes.complete) value += count->number(sizes.values);
    }
  };
  add(live_in(program));
  add(outputs(program));
  bound.expression = bound.expression.expand();
  bound.leading = symbolic::leading_term(bound.expression);
  if (sizes.complete) bound.value = value;
  return bound;
}

}  // namespace redblue::bounds
