// Bounds of statements that share no vertex add up (paper 2, Theorem 2).
#include <algorithm>

#include "bounds/bound.hpp"
#include "bounds/roles.hpp"

namespace redblue::bounds {

using program::Program;
using program::Statement;

namespace {

constexpr auto proved = Condition::Status::proved;

// Own instances whose values `other` counts as inputs, and those that read them.
bool gives_up_instances(const Roles& own, const Roles& other, std::vector<isl::set>& mine) {
  for (const ValueRole& role : other.values) {
    if (role.input || !same_space(role.range, own.statement->domain)) continue;
    const isl::set shared = role.range.intersect(own.statement->domain);
    if (!own.is_few(shared)) return false;
    mine.push_back(shared);
    for (const ChainRole& chain : own.chains) {
      mine.push_back(chain.values.back().intersect_range(shared).domain());
    }
    for (const ValueRole& value : own.values) mine.push_back(meeting(value, shared));
  }
  return true;
}

// Values both read: one of the two must do without.
bool gives_up_values(const Roles& own, const Roles& other, std::vector<isl::set>& mine,
                     std::vector<isl::set>& theirs) {
  for (const ValueRole& value : own.values) {
    for (const ValueRole& role : other.values) {
      if (!same_space(value.range, role.range) || value.range.is_disjoint(role.range)) continue;
      const isl::set here = meeting(value, role.range);
      const isl::set there = meeting(role, value.range);
      if (own.is_few(here)) {
        mine.push_back(here);
      } else if (other.is_few(there)) {
        theirs.push_back(there);
      } else {
        return false;
      }
    }
  }
  return true;
}

// What `own` and `other` must leave out so that no vertex plays a part in both; false
// where that would be too much. Then their bounds add up (paper 2, Theorem 2).
bool make_disjoint(const Roles& own, const Roles& other, std::vector<isl::set>& mine,
                   std::vector<isl::set>& theirs) {
  for (const ChainRole& chain : own.chains) {
    if (chain.values.size() > 1) return false;  // passes through another statement
  }
  for (const ChainRole& chain : other.chains) {
    if (chain.values.size() > 1) return false;
  }
  return gives_up_instances(own, other, mine) && gives_up_instances(other, own, theirs) &&
         gives_up_values(own, other, mine, theirs);
}

// Bounds of several statements added up.
Bound total(const std::vector<Bound>& parts) {
  Bound sum;
  sum.method = "projection";
  sum.recomputation = false;
  double value = 0;
  for (const Bound& part : parts) {
    sum.statement += (sum.statement.empty() ? "" : " and ") + part.statement;
    sum.expression += part.expression;
    value += part.value.value_or(0);
    sum.intensity = part.intensity;
    sum.segment = part.segment;
    for (const Condition& c : part.ledger) {
      const auto same = [&c](const Condition& known) { return known.condition == c.condition; };
      if (std::none_of(sum.ledger.begin(), sum.ledger.end(), same)) sum.ledger.push_back(c);
    }
    for (const auto& [loop, size] : part.tiles)
      sum.tiles.emplace_back(part.statement + "." + loop, size);
  }
  sum.ledger.push_back(
      {"no vertex plays a part in two statements' bounds, so they add up", proved});
  sum.leading = symbolic::leading_term(sum.expression.expand());
  if (parts.front().value) sum.value = value;
  return sum;
}

}  // namespace

std::optional<Bound> disjoint_sum(const Program& program, const Sizes& sizes) {
  struct Part {
    Roles roles;
    std::vector<isl::set> dropped;
  };
  std::vector<Part> parts;
  for (const Statement& s : program.statements) {
    if (s.iterators.empty()) continue;
    Part next{roles_of(program, s), {}};
    // Inputs at the start of a chain might be another statement's, too.
    for (ChainRole& chain : next.roles.chains) chain.starts.clear();
    if (!value_projection(next.roles, sizes, {})) continue;
    std::vector<std::vector<isl::set>> theirs(parts.size());
    bool fits = true;
    for (std::size_t p = 0; p < parts.size() && fits; ++p) {
      fits = make_disjoint(next.roles, parts[p].roles, next.dropped, theirs[p]);
    }
    if (!fits) continue;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      parts[p].dropped.insert(parts[p].dropped.end(), theirs[p].begin(), theirs[p].end());
    }
    parts.push_back(std::move(next));
  }
  if (parts.size() < 2) return std::nullopt;
  std::vector<Bound> bounds;
  for (const Part& part : parts) {
    if (const auto bound = value_projection(part.roles, sizes, part.dropped))
      bounds.push_back(*bound);
  }
  if (bounds.size() < 2) return std::nullopt;
  return total(bounds);
}

}  // namespace redblue::bounds
