// SPDX-License-Identifier: BSD-3-Clause
// Projections along exact flow dependences, in the game without recomputation ([elango2014, Theorem
// 2]: dropping vertices and tagging some as inputs changes the traffic by at most their number).
//
// For a set H of a statement's instances, each of these brings different values into its In-set:
//  - a read whose value comes from few vertices (inputs, or fewer computed ones than there are
//    instances; those are tagged as inputs): the image of H under instance -> value;
//  - a chain x - d -> x of the statement's own values: one value per line along d that H touches.
// Instances that lack a read, or where two reads could meet in one value, are not counted. Proofs:
// docs/methods/dependence_projection.md.
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "bounds/bound.hpp"
#include "bounds/busiest/crossings.hpp"
#include "bounds/busiest/even_shares.hpp"
#include "bounds/contraction.hpp"
#include "bounds/facts.hpp"
#include "bounds/footprint/footprint_program.hpp"
#include "bounds/gave_up.hpp"
#include "bounds/projection/symmetric_product.hpp"
#include "bounds/projection/value_groups.hpp"
#include "bounds/roles.hpp"
#include "program/count.hpp"

namespace redblue::bounds {

using dataflow::axis_of;
using dataflow::independent;
using dataflow::text_of;
using dataflow::Vector;
using program::Statement;
using symbolic::Expr;
using symbolic::Rational;

namespace {

class Derivation {
 public:
  // `used_once`: of a contracted statement, what is known about the values it looks through.
  Derivation(const Roles& roles, const Sizes& sizes, std::vector<std::string> used_once = {})
      : roles_(roles),
        statement_(*roles.statement),
        sizes_(sizes),
        used_once_(std::move(used_once)) {}

  std::vector<Bound> derive() {
    std::vector<Bound> result;
    for (const auto& bound : {from_values(), used_once_.empty() ? from_steps() : std::nullopt}) {
      if (bound) result.push_back(*bound);
    }
    return result;
  }

 private:
  int loops() const { return roles_.loops(); }
  void note(const std::string& condition) { ledger_.push_back({condition, proved}); }

  void start() {
    ledger_.clear();
    terms_.clear();
    for (auto* sets : {&tagged_, &values_, &starts_, &left_out_}) sets->clear();
    symmetric_ = false;
    note("which vertex computes each value read is known exactly (flow dependences by isl)");
  }

  // Vertices that cost a word when they are computed, however often they are tagged: computed
  // values of roles; and instances that stand for what their chain brings from outside. One that
  // would stand for both is not counted.
  void tag_values(const isl::set& set) {
    if (set.is_empty()) return;
    unite(tagged_, set);
    if (is_counted(set)) unite(values_, set);
  }

  void tag_starts(const isl::set& set) {
    if (set.is_empty()) return;
    unite(tagged_, set);
    unite(starts_, set);
  }

  // Instances the bound does not count. They may be computed in a segment like all others.
  void leave_out(const isl::set& set) {
    if (!set.is_empty()) unite(left_out_, set);
  }

  // Whether its elements are among the vertices the bound counts.
  bool is_counted(const isl::set& set) const { return same_space(set, statement_.domain); }

 public:
  std::optional<Bound> from_values(const Dropped& dropped = {}) {
    take(value_groups(roles_), dropped);
    return finish(statement_.iterators);
  }

  // What the busiest of p processors receives that share the instances evenly: by all groups, or by
  // those that leave out some loop.
  std::optional<Busiest> of_even_shares(bool all) {
    const ValueGroups every = value_groups(roles_);
    const ValueGroups groups = all ? every : of_several_instances(every, loops());
    if (!all && groups.size() == every.size()) return std::nullopt;
    const std::vector<ChainRole> axial = take(groups, {});
    leave_out_tagged_twice();
    const std::optional<Intensity> intensity = solve(terms_, loops());
    if (!intensity || intensity->alpha == 1) return std::nullopt;
    Amount at_home = sizes_.total(tagged_);
    at_home += sizes_.total(inputs_of(groups, axial));
    const Amount work = counted(left_out_);
    std::vector<LeastFootprint> least;
    if (!symmetric_ && used_once_.empty())
      least = least_of_share(statement_, terms_, intensity->exponents, work, sizes_);
    const Expr gained = symmetric_ ? 1 / GiNaC::sqrt(Expr(2)) : Expr(1);
    return even_shares({statement_.name, work, at_home, intensity->constant * gained,
                        intensity->alpha, chi(), !used_once_.empty(), least},
                       sizes_);
  }

 private:
  // Sets up what a segment's set needs; returns the chains it is in terms of.
  std::vector<ChainRole> take(const ValueGroups& groups, const Dropped& dropped) {
    start();
    for (const isl::set& set : dropped.instances) leave_out(set);
    for (const isl::set& set : dropped.chains) tag_starts(set);
    std::vector<ChainRole> axial;
    for (const ChainRole& chain : roles_.chains) {
      if (chain.step.empty() || axis_of(chain.step) >= 0) axial.push_back(chain);
    }
    add_axial_chains(axial);
    add_value_groups(groups);
    for (const ChainRole& chain : axial) separate(chain, groups);
    symmetric_ = is_symmetric(groups, axial);
    const bool overlaps = std::any_of(groups.begin(), groups.end(),
                                      [](const auto& group) { return group.size() > 1; });
    if (overlaps && !symmetric_) note("the union of images that may coincide counts as their mean");
    return axial;
  }

  void leave_out_tagged_twice() {
    for (const isl::set& values : values_) {
      for (const isl::set& starts : starts_) leave_out(values.intersect(starts));
    }
  }

  void add_axial_chains(const std::vector<ChainRole>& axial) {
    for (const ChainRole& chain : axial) {
      if (chain.kept.empty()) continue;
      std::string along;
      for (int t = 0; t < loops(); ++t) {
        if (std::count(chain.kept.begin(), chain.kept.end(), t) != 0) continue;
        along += (along.empty() ? "" : ", ") + statement_.iterators[static_cast<std::size_t>(t)];
      }
      add_term(terms_, chain.kept, Rational(1) / static_cast<long>(axial.size()),
               "chains along " + along);
      tag_starts(statement_.domain.subtract(chain.domain).subtract(chain.begun()));
      note("each chain of " + statement_.name + " along " + along +
           " that is touched brings one value from outside");
    }
    if (axial.size() > 1)
      note("chains of several directions may share that value: they count as their mean");
  }

  void add_value_groups(const ValueGroups& groups) {
    for (const auto& group : groups) {
      std::string names;
      for (const ValueRole& role : group) {
        names += (names.empty() ? "" : ", ") + role.text;
        add_term(terms_, role.loops, Rational(1) / static_cast<long>(group.size()), role.text);
        leave_out(statement_.domain.subtract(role.readers()));
        if (!role.input && !role.linked) tag_values(role.range);
        for (const auto& other : groups) {
          if (&other == &group) continue;
          for (const ValueRole& o : other) {
            for (const isl::set& range : o.ranges()) leave_out(meeting(role, range));
          }
        }
      }
      note(
          "values read as " + names +
          (group.front().input ? " are inputs" : " come from few vertices, which count as inputs") +
          (group.size() > 1 ? "; they may coincide" : ""));
    }
    if (groups.size() > 1) note("reads of different places find different values");
  }

  // A chain's value from outside must be none that a read brings in: instances where it could be
  // are tagged.
  void separate(const ChainRole& chain, const ValueGroups& groups) {
    for (const auto& group : groups) {
      for (const ValueRole& role : group) {
        for (const auto& values : {chain.values, chain.from_outside()}) {
          for (const isl::map& value : values) {
            for (const isl::set& range : role.ranges()) {
              if (same_space(value.range(), range))
                tag_starts(value.intersect_range(range).domain());
            }
          }
        }
      }
    }
  }

  // The symmetric Loomis-Whitney inequality applies but for a diagonal.
  bool is_symmetric(const ValueGroups& groups, const std::vector<ChainRole>& axial) {
    const auto diagonal = diagonal_of_mirrored(roles_, groups, axial);
    if (!diagonal) return false;
    leave_out(*diagonal);
    note(
        "the two images are one image mirrored, on a triangle: 2|H| <= |union| sqrt(2 |chains|) "
        "(symmetric Loomis-Whitney); triangle blocks, all pairs of some rows, come up to it");
    return true;
  }

  // --- oblique steps: lines in as many independent directions as there are loops

  std::optional<Bound> from_steps() {
    start();
    std::vector<Vector> basis;
    for (const ChainRole& chain : roles_.chains) {
      if (chain.step.empty() || !independent(basis, chain.step)) continue;
      basis.push_back(chain.step);
      tag_starts(statement_.domain.subtract(chain.domain));
    }
    if (static_cast<int>(basis.size()) != loops() || loops() < 2) return std::nullopt;
    std::vector<std::string> names;
    for (int d = 0; d < loops(); ++d) {
      std::vector<int> others;
      for (int t = 0; t < loops(); ++t) {
        if (t != d) others.push_back(t);
      }
      names.push_back(text_of(basis[static_cast<std::size_t>(d)]));
      add_term(terms_, others, Rational(1) / loops(), "lines along " + names.back());
      note("each line along " + names.back() + " that is touched brings one value from outside");
    }
    note("lines of several directions may share that value: they count as their mean");
    oblique_ = true;
    const auto bound = finish(names);
    oblique_ = false;
    return bound;
  }

  // --- the bound

  std::optional<Bound> finish(const std::vector<std::string>& names) {
    std::optional<Intensity> intensity = solve(terms_, loops());
    if (!intensity || intensity->alpha == 1)
      return std::nullopt;  // compulsory traffic says as much
    Bound bound;
    bound.method = "projection";
    bound.statement = statement_.name;
    bound.recomputation = false;
    leave_out_tagged_twice();
    const Amount vertices = counted(left_out_);
    const Amount tagged = sizes_.total(tagged_);
    const Expr rho = symmetric_ ? intensity->rho / GiNaC::sqrt(Expr(2)) : intensity->rho;
    const Expr moved = (vertices.formula / rho).expand();
    bound.expression = segments_formula(moved, intensity->alpha) - tagged.formula;
    bound.leading = sizes_.leading((moved - tagged.formula).expand());
    bound.intensity = rho;
    bound.segment = intensity->segment;
    if (!used_once_.empty())  // max(chi(X), X) is chi(X) from X_0 on
      bound.conditions.push_back(
          {rho * (intensity->segment - symbolic::fast_memory()), intensity->segment});
    // The symmetric inequality is met by triangles, not by boxes.
    for (std::size_t t = 0; t < intensity->tiles.size() && !symmetric_; ++t)
      bound.tiles.emplace_back(names[t], intensity->tiles[t]);
    describe_projections(bound, terms_, *intensity, names,
                         symmetric_ ? 1 / GiNaC::sqrt(Expr(2)) : Expr(1),
                         "the symmetric Loomis-Whitney inequality, as the two images are one "
                         "image mirrored and the instances fill a triangle");
    bound.counted = {{"instances counted", vertices.formula},
                     {"values counted as inputs, subtracted", tagged.formula}};
    if (sizes_.complete) bound.value = value(vertices.value, tagged.value);
    bound.hbl = hbl(vertices, tagged, *intensity);
    for (const std::string& condition : used_once_) note(condition);
    note("|H| <= product of |projection|^s (Hoelder-Brascamp-Lieb) for every set H of instances");
    note(
        "vertices counted as inputs are fewer than instances by a factor of a loop; their number "
        "is subtracted");
    bound.ledger = ledger_;
    return bound;
  }

  // Nothing where a projection is of shared values and of others.
  std::optional<HblProblem> hbl(const Amount& vertices, const Amount& tagged,
                                const Intensity& intensity) const {
    if (symmetric_ || oblique_ || !used_once_.empty()) return std::nullopt;
    HblProblem result{vertices,  tagged, intensity.constant, intensity.alpha, {}, {}, terms_,
                      left_out_, {}};
    std::vector<isl::set> less = left_out_;
    for (const isl::set& set : tagged_) {
      if (is_counted(set)) unite(less, set);
    }
    result.not_tagged = counted(less);
    for (std::size_t j = 0; j < terms_.size(); ++j) {
      bool is_shared = false;
      for (std::size_t r = 0; r < roles_.values.size(); ++r) {
        if (!roles_.values[r].shared || roles_.values[r].loops != terms_[j].loops) continue;
        if (terms_[j].coefficient != 1) return std::nullopt;
        result.shared[r] = intensity.exponents[j];
        is_shared = true;
      }
      if (!is_shared) result.own.emplace_back(terms_[j].coefficient, intensity.exponents[j]);
    }
    std::sort(result.own.begin(), result.own.end(), [](const auto& a, const auto& b) {
      return a.first < b.first || (a.first == b.first && a.second < b.second);
    });
    return result;
  }

  // All instances but those.
  Amount counted(const std::vector<isl::set>& left_out) const {
    const Amount all = sizes_.amount(roles_.instances);
    const Amount less = sizes_.total(left_out);
    return {all.formula - less.formula, all.value - less.value};
  }

  double value(double vertices, double tagged) const {
    if (vertices <= 0) return 0;
    return std::max(0.0, segments_bound(chi(), vertices, sizes_.memory(), sizes_.units) - tagged);
  }

  // Of a set's projections, at the given sizes.
  std::vector<double> sides() const {
    if (!oblique_) return program::extents(statement_.domain, sizes_.values);
    return std::vector<double>(static_cast<std::size_t>(loops()),
                               roles_.instances.number(sizes_.values));
  }

  std::function<double(double)> chi() const {
    const std::vector<double> limits = sizes_.complete ? sides() : std::vector<double>();
    return [this, limits](double x) { return largest(x, limits); };
  }

  double largest(double x, const std::vector<double>& limits) const {
    const std::vector<double> unlimited(static_cast<std::size_t>(loops()), 1e12);
    // Of values used once: convex in X, as docs/methods/contraction.md wants it.
    const double general = rising_chi_at(terms_, used_once_.empty() ? limits : unlimited, x);
    const double most =
        symmetric_
            ? std::min(general, rising_chi_at(terms_, unlimited, x) / std::sqrt(2.0) * (1 + 1e-6))
            : general;
    return used_once_.empty() ? most : std::max(most, x);
  }

  const Roles& roles_;
  const Statement& statement_;
  const Sizes& sizes_;
  const std::vector<std::string> used_once_;
  std::vector<Term> terms_;
  std::vector<isl::set> tagged_;    // one set per statement
  std::vector<isl::set> values_;    // of these, instances whose values others read in a role
  std::vector<isl::set> starts_;    // of these, instances that stand for their chain
  std::vector<isl::set> left_out_;  // not counted
  std::vector<Condition> ledger_;
  bool symmetric_ = false, oblique_ = false;
};

// Nothing where some set has no count or is too intricate.
void add_even_shares(const Roles& roles, const Sizes& sizes, const std::vector<std::string>& once) {
  if (sizes.units == 1) return;
  try {
    for (const bool all : {true, false})
      note_share(sizes, Derivation(roles, sizes, once).of_even_shares(all));
    if (once.empty()) note_share(sizes, crossings_of_reads(roles, sizes));
  } catch (const program::Uncountable&) {
  } catch (const isl::exception&) {
  }
}

}  // namespace

std::vector<Bound> dependence_projections(const Facts& facts, const Statement& statement,
                                          const Sizes& sizes) {
  if (statement.iterators.empty()) return {};
  const Roles& roles = facts.roles(statement, true);
  if (roles.cut_short) note_limit(sizes, "projection", statement.name);
  std::vector<Bound> result = Derivation(roles, sizes).derive();
  if (const auto& longer = facts.with_longer_chains(statement)) {
    if (const auto bound = Derivation(*longer, sizes).from_values()) result.push_back(*bound);
  }
  add_even_shares(roles, sizes, {});
  const auto& through = facts.contracted(statement);
  if (!through) return result;
  const Roles& looked_through = facts.contracted_roles(statement);
  for (const Bound& bound : Derivation(looked_through, sizes, through->conditions()).derive())
    result.push_back(bound);
  add_even_shares(looked_through, sizes, through->conditions());
  return result;
}

std::optional<Bound> value_projection(const Roles& roles, const Sizes& sizes,
                                      const Dropped& dropped) {
  return Derivation(roles, sizes).from_values(dropped);
}

}  // namespace redblue::bounds
