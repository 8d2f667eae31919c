// SPDX-License-Identifier: BSD-3-Clause
// Bounds of statements that share no vertex add up [elango2014, Theorem 2].
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "bounds/bound.hpp"
#include "bounds/facts.hpp"
#include "bounds/footprint/footprint_program.hpp"
#include "bounds/projection/disjoint_parts.hpp"
#include "bounds/projection/symmetric_product.hpp"
#include "bounds/roles.hpp"

namespace redblue::bounds {

using program::Program;
using program::Statement;
using symbolic::Expr;
using symbolic::Rational;

namespace {

struct Part {
  Roles roles;
  Dropped dropped;
  std::size_t family;    // whose parts share values
  SharedRoles to_first;  // shared role -> the role of the family's first part
};

// Statements of one family read the same values in some roles, and others each for itself. They
// have one statement's problem with all vertices and chi(X) times k^(1 - E), E the sum of the
// exponents of what is not shared, for k statements, or 1 where E >= 1
// (docs/methods/disjoint_sum.md, Lemma 3).
struct Family {
  std::vector<Bound> bounds;
  std::optional<SymmetricProduct> symmetric =
      std::nullopt;  // what its two statements read from two sides

  const HblProblem& hbl() const { return *bounds.front().hbl; }

  Rational own_exponents() const {
    Rational sum = 0;
    for (const auto& [coefficient, exponent] : hbl().own) sum += exponent;
    return sum;
  }

  Expr factor() const {
    const Rational e = own_exponents();
    if (e >= 1) return 1;
    return GiNaC::pow(Expr(static_cast<long>(bounds.size())), Rational(1) - e);
  }
};

// The family's problem for all its vertices but `left_out`: chi(X), and its intensity at the best
// X.
struct Joint {
  Amount left_out;
  Expr factor;
  std::function<double(double)> chi;
  std::string why;
};

Bound solved(const Family& family, const Joint& problem, const Sizes& sizes) {
  const HblProblem& hbl = family.hbl();
  Bound result = family.bounds.front();
  Amount vertices, tagged;
  result.statement.clear();
  for (const Bound& bound : family.bounds) {
    result.statement += (result.statement.empty() ? "" : "+") + bound.statement;
    vertices += bound.hbl->vertices;
    tagged += bound.hbl->tagged;
  }
  vertices.formula -= problem.left_out.formula;
  vertices.value -= problem.left_out.value;
  result.intensity = result.intensity * problem.factor;
  if (problem.factor != 1) result.tiles.clear();
  result.counted = {{"instances counted", vertices.formula},
                    {"values counted as inputs, subtracted", tagged.formula}};
  const Expr moved = (vertices.formula / result.intensity).expand();
  result.expression = segments_formula(moved, hbl.alpha) - tagged.formula;
  result.leading = sizes.leading((moved - tagged.formula).expand());
  if (sizes.complete) {
    result.value = 0;
    if (vertices.value > 0) {
      result.value =
          std::max(0.0, segments_bound(problem.chi, vertices.value, sizes.memory(), sizes.units) -
                            tagged.value);
    }
  }
  result.ledger.push_back({result.statement + " " + problem.why, proved});
  return result;
}

double number(const Expr& e) {
  double value = 0;
  symbolic::evaluate(e, {}, value);
  return value;
}

// All vertices, the inequality with its factor.
Bound by_hoelder(const Family& family, const Sizes& sizes) {
  if (family.bounds.size() == 1) return family.bounds.front();
  const double constant = number(family.hbl().constant * family.factor());
  const double alpha = family.hbl().alpha.to_double();
  const auto chi = [=](double x) { return constant * std::pow(x, alpha) * (1 + 1e-9); };
  const Joint problem{Amount(), family.factor(), chi,
                      "read the same values in some roles: one problem for all their instances "
                      "(Hoelder)"};
  return solved(family, problem, sizes);
}

// Pairs that share a value nearby count sqrt(2), not 2. The formula's distance, more than
// sqrt(8 X / 3) + 1, keeps the best X, 3 S; at given sizes a smaller one may be better.
Bound by_sides(const Family& family, const Sizes& sizes) {
  const SymmetricProduct& symmetric = *family.symmetric;
  const Expr near_formula = sizes.counts->symbol_of(symmetric.near);
  const auto with_distance = [&](double distance) {
    Amount lost{(2 - GiNaC::sqrt(Expr(2))) * near_formula, 0};
    if (sizes.complete) {
      symbolic::Valuation values = sizes.values;
      values[distance_parameter] = static_cast<long>(distance);
      lost.value = (2 - std::sqrt(2.0)) * symmetric.near.number(values);
    }
    const Joint problem{
        lost, 1, [distance](double x) { return symmetric_product_chi(x, distance) * (1 + 1e-9); },
        "read each value of one array from two sides, far apart but for instances that count "
        "1/sqrt(2), each chain in the program's order: sets of both need as much as sets of one"};
    return solved(family, problem, sizes);
  };
  if (!sizes.complete) return with_distance(0);
  std::optional<Bound> best;
  for (const double square : {8.0, 5.5, 4.5, 4.0, 3.5, 3.0, 2.0}) {
    const Bound bound = with_distance(std::ceil(std::sqrt(square * sizes.memory())) + 1);
    if (!best || *bound.value > *best->value) best = bound;
  }
  return *best;
}

// The family's bound: of its vertices together.
Bound joint(const Family& family, const Sizes& sizes) {
  const Bound all = by_hoelder(family, sizes);
  if (!family.symmetric) return all;
  const Bound apart = by_sides(family, sizes);
  return strength(apart, sizes) > strength(all, sizes) ? apart : all;
}

// Bounds of several statements added up.
Bound total(const std::vector<Bound>& parts, const Sizes& sizes) {
  if (parts.size() == 1) {
    Bound alone = parts.front();
    alone.projections.clear();  // of one statement only
    return alone;
  }
  Bound sum;
  sum.method = "projection";
  sum.recomputation = false;
  double value = 0;
  for (const Bound& part : parts) {
    sum.statement += (sum.statement.empty() ? "" : " and ") + part.statement;
    sum.expression += part.expression;
    sum.conditions.insert(sum.conditions.end(), part.conditions.begin(), part.conditions.end());
    value += part.value.value_or(0);
    sum.intensity = part.intensity;
    sum.segment = part.segment;
    add_missing(sum.ledger, part.ledger);
    for (const auto& [loop, size] : part.tiles)
      sum.tiles.emplace_back(part.statement + "." + loop, size);
  }
  sum.ledger.push_back(
      {"no vertex plays a part in two statements' bounds, so they add up", proved});
  sum.leading = sizes.leading(sum.expression);
  if (parts.front().value) sum.value = value;
  return sum;
}

class Chooser {
 public:
  Chooser(const Facts& facts, const Sizes& sizes) : facts_(facts), sizes_(sizes) {}

  // Families of statements that share no vertex; greedily, in the program's order.
  std::vector<Family> choose() {
    for (const Statement& s : facts_.program().statements) {
      if (!s.iterators.empty()) add(s);
    }
    return families();
  }

 private:
  void add(const Statement& statement) {
    Part next{facts_.roles(statement), {}, parts_.size(), {}};
    if (!value_projection(next.roles, sizes_, {})) return;
    for (Part& part : parts_) {
      if (may_share_starts(next.roles, part.roles)) clear_starts(next.roles);
      if (may_share_starts(part.roles, next.roles)) clear_starts(part.roles);
    }
    std::vector<Dropped> theirs(parts_.size());
    std::vector<SharedRoles> shared(parts_.size());
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (!make_disjoint(next.roles, parts_[p].roles, next.dropped, theirs[p], shared[p])) return;
    }
    if (!join_family(next, shared)) return;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      append(parts_[p].dropped.instances, theirs[p].instances);
      append(parts_[p].dropped.chains, theirs[p].chains);
    }
    parts_.push_back(std::move(next));
  }

  static void append(std::vector<isl::set>& to, const std::vector<isl::set>& more) {
    to.insert(to.end(), more.begin(), more.end());
  }

  // Values may be shared with the parts of one family only, in the same roles by all of them, and
  // the statements must be alike.
  bool join_family(Part& next, const std::vector<SharedRoles>& shared) {
    const auto first = std::find_if(shared.begin(), shared.end(),
                                    [](const SharedRoles& roles) { return !roles.empty(); });
    if (first == shared.end()) return true;
    next.family = parts_[static_cast<std::size_t>(first - shared.begin())].family;
    Part& root = parts_[next.family];
    next.to_first = shared[next.family];
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (parts_[p].family != next.family) {
        if (!shared[p].empty()) return false;
        continue;
      }
      for (const auto& [role, theirs] : next.to_first) {
        const auto found = shared[p].find(role);
        if (found == shared[p].end()) return false;
        if (p == next.family) continue;
        const auto known = parts_[p].to_first.find(found->second);
        if (known == parts_[p].to_first.end() || known->second != theirs) return false;
      }
      if (shared[p].size() != next.to_first.size()) return false;
    }
    std::set<std::size_t> wanted;
    for (const auto& [role, theirs] : next.to_first) wanted.insert(theirs);
    const bool alone = std::count_if(parts_.begin(), parts_.end(), [&](const Part& part) {
                         return part.family == next.family;
                       }) == 1;
    if (!alone && wanted != shared_by(root)) return false;
    mark(next, next.to_first);
    Part marked = root;
    for (const std::size_t role : wanted) marked.roles.values[role].shared = true;
    if (!alike(next, marked) || !gains(next, marked)) return false;
    root = marked;
    return true;
  }

  // Whether the family's bound grows with one more part: not where that has few instances.
  bool gains(const Part& next, const Part& root) const {
    Family without;
    for (const Part& part : parts_) {
      if (part.family != next.family) continue;
      const Roles& roles = &part == &parts_[next.family] ? root.roles : part.roles;
      without.bounds.push_back(*value_projection(roles, sizes_, part.dropped));
    }
    Family with = without;
    with.bounds.push_back(*value_projection(next.roles, sizes_, next.dropped));
    const auto far_out = [this](const Family& family) {
      return far_strength(by_hoelder(family, sizes_.without_values()), sizes_);
    };
    return far_out(with) > far_out(without);
  }

  static void mark(Part& part, const SharedRoles& roles) {
    for (const auto& [role, other] : roles) part.roles.values[role].shared = true;
  }

  static std::set<std::size_t> shared_by(const Part& part) {
    std::set<std::size_t> roles;
    for (std::size_t r = 0; r < part.roles.values.size(); ++r) {
      if (part.roles.values[r].shared) roles.insert(r);
    }
    return roles;
  }

  // Whether the two have one optimisation problem, role by shared role.
  bool alike(const Part& next, const Part& root) const {
    const auto mine = value_projection(next.roles, sizes_, {});
    const auto first = value_projection(root.roles, sizes_, {});
    if (!mine || !first || !mine->hbl || !first->hbl) return false;
    const HblProblem& a = *mine->hbl;
    const HblProblem& b = *first->hbl;
    if (a.own != b.own || a.shared.size() != next.to_first.size() ||
        b.shared.size() != next.to_first.size())
      return false;
    return std::all_of(next.to_first.begin(), next.to_first.end(), [&](const auto& roles) {
      return a.shared.at(roles.first) == b.shared.at(roles.second);
    });
  }

  std::vector<Family> families() const {
    std::map<std::size_t, Family> result;
    std::map<std::size_t, std::vector<const Part*>> members;
    for (const Part& part : parts_) {
      if (const auto bound = value_projection(part.roles, sizes_, part.dropped)) {
        result[part.family].bounds.push_back(*bound);
        members[part.family].push_back(&part);
      }
    }
    std::vector<Family> all;
    for (auto& [first, family] : result) {
      if (family.bounds.size() == 2)
        family.symmetric = symmetric_product_of(family, members.at(first));
      all.push_back(family);
    }
    return all;
  }

  std::optional<SymmetricProduct> symmetric_product_of(
      const Family& family, const std::vector<const Part*>& members) const {
    if (!family.bounds[0].hbl || !family.bounds[1].hbl) return std::nullopt;
    return symmetric_product(members[1]->roles, *family.bounds[1].hbl, members[0]->roles,
                             *family.bounds[0].hbl, members[1]->to_first, sizes_);
  }

  const Facts& facts_;
  const Sizes& sizes_;
  std::vector<Part> parts_;
};

}  // namespace

std::optional<Bound> disjoint_sum(const Facts& facts, const Sizes& sizes) {
  const std::vector<Family> families = Chooser(facts, sizes).choose();
  if (families.empty() || (families.size() == 1 && families.front().bounds.size() == 1))
    return std::nullopt;
  std::vector<Bound> bounds;
  for (const Family& family : families) bounds.push_back(joint(family, sizes));
  return total(bounds, sizes);
}

}  // namespace redblue::bounds
