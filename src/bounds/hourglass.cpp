// SPDX-License-Identifier: BSD-3-Clause
// The hourglass pattern [eyrauddubois2024], without recomputation:
// in every step of an outer loop k, a reduction along loop i feeds a broadcast along it, so that
// every instance at k needs, through the neck, all those along i at k - 1.
//
// Let a segment compute U at (k', i', j) and (k", i", j), k' < k". It computes all of U at
// (k, ., j) with k' < k < k" (docs/methods/hourglass.md, Lemma 1): for each j its set H consists of
// whole slices along i, but for the first and the last k (Lemma 2):
//  - of whole slices, a projection on loops with i counts M points for each point without i, M the
//    length of i, so they are M times the reduced problem's largest set;
//  - the others are at most 2 on each chain along k that H touches.
// With several fast memories the slices between may be computed by another: nothing is said then.
#include <isl/constraint.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <cmath>

#include "bounds/bound.hpp"
#include "bounds/facts.hpp"
#include "bounds/footprint/footprint_program.hpp"
#include "bounds/gave_up.hpp"
#include "bounds/roles.hpp"
#include "dataflow/data_flow.hpp"
#include "dataflow/step.hpp"
#include "program/count.hpp"

namespace redblue::bounds {

using dataflow::axis_of;
using dataflow::DataFlow;
using dataflow::Relation;
using dataflow::unite;

using program::Statement;
using symbolic::Expr;
using symbolic::Rational;

namespace {

struct Neck {
  int outer;         // k
  int across;        // i
  long step;         // of k, from an instance to what needs it: 1 or -1
  isl::set counted;  // instances, with the same values of i for all values of the other loops
};

// Pairs of instances one step of loop k apart, and the same in all other loops but i.
isl::map one_step_later(const isl::set& domain, const Neck& neck) {
  isl_map* pairs = isl_map_from_domain_and_range(domain.copy(), domain.copy());
  const int loops = static_cast<int>(isl_set_dim(domain.get(), isl_dim_set));
  for (int d = 0; d < loops; ++d) {
    if (d == neck.across) continue;
    isl_constraint* c =
        isl_constraint_alloc_equality(isl_local_space_from_space(isl_map_get_space(pairs)));
    c = isl_constraint_set_coefficient_si(c, isl_dim_in, d, 1);
    c = isl_constraint_set_coefficient_si(c, isl_dim_out, d, -1);
    c = isl_constraint_set_constant_si(c, d == neck.outer ? static_cast<int>(neck.step) : 0);
    pairs = isl_map_add_constraint(pairs, c);
  }
  return isl::manage(pairs);
}

// Instances a statement's instances lead to, a few reads away.
isl::map descendants(const DataFlow& flow, const Statement& s) {
  constexpr int most_levels = 4;
  Relation front = {{s.name, isl::manage(isl_set_identity(s.domain.copy()))}};
  Relation reached;
  for (int level = 0; level < most_levels; ++level) {
    front = flow.readers_of(front);
    // A stencil of many points reaches as many places from each of these again.
    for (auto& [statement, map] : front) map = map.coalesce();
    unite(reached, front);
  }
  const auto own = reached.find(s.name);
  const isl::map none =
      isl::manage(isl_map_empty(isl_space_map_from_set(isl_set_get_space(s.domain.get()))));
  return own == reached.end() ? none : own->second;
}

// Whether the set is whole along loop i wherever it has a point of the domain.
bool is_whole(const isl::set& set, const isl::set& domain, int across) {
  const isl::set column =
      isl::manage(isl_set_eliminate(set.copy(), isl_dim_set, static_cast<unsigned>(across), 1));
  return column.intersect(domain).is_subset(set);
}

// Those whose i every value of the other loops has.
isl::set common_part(const isl::set& domain, int across) {
  const auto loops = static_cast<unsigned>(isl_set_dim(domain.get(), isl_dim_set));
  const auto i = static_cast<unsigned>(across);
  const auto along = [&](const isl::set& set) {
    isl_set* others = isl_set_eliminate(set.copy(), isl_dim_set, 0, i);
    return isl::manage(isl_set_eliminate(others, isl_dim_set, i + 1, loops - i - 1));
  };
  const isl::set column = isl::manage(isl_set_eliminate(domain.copy(), isl_dim_set, i, 1));
  const isl::set missing = column.intersect(along(domain)).subtract(domain);
  return domain.subtract(along(missing)).coalesce();
}

// Those in the first half of loop k's values, or in the second one.
isl::set half(const isl::set& domain, int outer, bool first) {
  const auto loops = static_cast<unsigned>(isl_set_dim(domain.get(), isl_dim_set));
  const auto k = static_cast<unsigned>(outer);
  isl_set* values = isl_set_project_out(domain.copy(), isl_dim_set, k + 1, loops - k - 1);
  values = isl_set_project_out(values, isl_dim_set, 0, k);
  isl_set* ends = isl_set_flat_product(isl_set_lexmin(isl_set_copy(values)),
                                       isl_set_lexmax(isl_set_copy(values)));
  isl_set_free(values);
  isl_set* all = isl_set_flat_product(isl_set_reset_tuple_id(domain.copy()), ends);
  isl_constraint* c =
      isl_constraint_alloc_inequality(isl_local_space_from_space(isl_set_get_space(all)));
  const int sign = first ? 1 : -1;
  c = isl_constraint_set_coefficient_si(c, isl_dim_set, outer, -2 * sign);
  c = isl_constraint_set_coefficient_si(c, isl_dim_set, static_cast<int>(loops), sign);
  c = isl_constraint_set_coefficient_si(c, isl_dim_set, static_cast<int>(loops) + 1, sign);
  all = isl_set_project_out(isl_set_add_constraint(all, c), isl_dim_set, loops, 2);
  isl_id* name = isl_set_get_tuple_id(domain.get());
  return domain.intersect(isl::manage(isl_set_set_tuple_id(all, name)));
}

// What a neck may count: all that every slice has; or, where slices become shorter with k, what
// those of one half of its values have.
std::vector<isl::set> products(const isl::set& domain, int outer, int across) {
  const isl::set all = common_part(domain, across);
  if (domain.is_subset(all)) return {all};
  std::vector<isl::set> result;
  for (const isl::set& set : {all, common_part(half(domain, outer, true), across),
                              common_part(half(domain, outer, false), across)}) {
    if (!set.is_empty()) result.push_back(set);
  }
  return result;
}

program::Count length(const isl::set& domain, int across) {
  const auto loops = static_cast<unsigned>(isl_set_dim(domain.get(), isl_dim_set));
  const auto i = static_cast<unsigned>(across);
  isl_set* along = isl_set_project_out(domain.copy(), isl_dim_set, i + 1, loops - i - 1);
  return program::count(isl::manage(isl_set_project_out(along, isl_dim_set, 0, i)));
}

// Whether no two of the instances that begin a chain along a loop lie on one line along it: then
// the chains have no gaps.
bool is_one_chain(const isl::set& first, int along) {
  isl_map* line = isl_set_identity(first.copy());
  line = isl_map_project_out(line, isl_dim_out, static_cast<unsigned>(along), 1);
  return isl::manage(line).is_injective();
}

std::vector<Neck> necks(const DataFlow& flow, const Roles& roles) {
  std::vector<Neck> result;
  const Statement& s = *roles.statement;
  std::optional<isl::map> reached;
  for (const ChainRole& chain : roles.chains) {
    const int outer = chain.step.empty() ? -1 : axis_of(chain.step);
    const long step = outer < 0 ? 0 : chain.step[static_cast<std::size_t>(outer)];
    if (std::abs(step) != 1) continue;
    if (!is_one_chain(s.domain.subtract(chain.domain), outer)) continue;
    if (!reached) reached = descendants(flow, s);
    for (int across = 0; across < roles.loops(); ++across) {
      const Neck neck{outer, across, step, s.domain};
      if (across == outer || !one_step_later(s.domain, neck).is_subset(*reached)) continue;
      for (const isl::set& counted : products(s.domain, outer, across))
        result.push_back({outer, across, step, counted});
    }
  }
  return result;
}

// The problem of whole slices: terms with loop i, without it; each counts M times as much. Terms
// that never had it are left out, as they count less than these do for segments short against M^2.
std::vector<Term> terms_of_slices(const std::vector<Term>& terms, int across) {
  std::vector<Term> result;
  for (Term term : terms) {
    if (std::erase(term.loops, across) == 0 || term.loops.empty()) continue;
    for (int& loop : term.loops) loop -= loop > across ? 1 : 0;
    add_term(result, term.loops, term.coefficient, term.of);
  }
  return result;
}

class Derivation {
 public:
  Derivation(const Statement& s, const Neck& neck, const Bound& projection, const Sizes& sizes)
      : s_(s),
        neck_(neck),
        projection_(projection),
        hbl_(*projection.hbl),
        sizes_(sizes),
        slices_(terms_of_slices(hbl_.terms, neck.across)),
        length_(length(neck.counted, neck.across)) {}

  std::optional<Bound> derive() {
    const int loops = static_cast<int>(s_.iterators.size()) - 1;
    const auto chains = std::find_if(hbl_.terms.begin(), hbl_.terms.end(), [&](const Term& term) {
      return static_cast<int>(term.loops.size()) == loops &&
             std::count(term.loops.begin(), term.loops.end(), neck_.outer) == 0;
    });
    const bool whole =
        std::all_of(hbl_.left_out.begin(), hbl_.left_out.end(), [&](const isl::set& set) {
          return !same_space(set, s_.domain) ||
                 is_whole(set.intersect(neck_.counted), neck_.counted, neck_.across);
        });
    const auto intensity = solve(slices_, loops);
    if (chains == hbl_.terms.end() || !whole || !intensity || intensity->alpha == 1)
      return std::nullopt;
    per_chain_ = Rational(2) / chains->coefficient;
    Bound bound = projection_;
    state(bound, *intensity);
    if (sizes_.complete) bound.value = value();
    return bound;
  }

 private:
  void state(Bound& bound, const Intensity& intensity) const {
    const Expr s = symbolic::fast_memory();
    // A whole number of words for every S.
    const Rational memories = Rational(1) / (intensity.alpha - 1);
    const Expr x = s + symbolic::floor(memories + 1 - Rational(1) / memories.denom()) * s;
    const Expr m = sizes_.amount(length_).formula;
    const Expr whole = intensity.constant * GiNaC::pow(m, Expr(Rational(1) - intensity.alpha)) *
                       GiNaC::pow(x, Expr(intensity.alpha));
    const Expr others = per_chain_ * x;
    bound.method = "hourglass";
    bound.segment = x;
    bound.intensity = ((whole + others) / (x - s)).expand();
    bound.expression = hbl_.vertices.formula / bound.intensity - hbl_.tagged.formula;
    bound.leading = sizes_.leading((hbl_.vertices.formula * (x - s) / others).expand());
    bound.conditions.push_back({m, 1});
    bound.tiles.clear();
    bound.projections.clear();
    const Expr any = symbolic::symbol("X");
    bound.largest = intensity.constant * GiNaC::pow(m, Expr(Rational(1) - intensity.alpha)) *
                        GiNaC::pow(any, Expr(intensity.alpha)) +
                    per_chain_ * any;
    bound.factor = 1;
    bound.counted = {
        {"instances counted", hbl_.vertices.formula},
        {"length of the loop along " + s_.iterators[static_cast<std::size_t>(neck_.across)], m},
        {"values counted as inputs, subtracted", hbl_.tagged.formula}};
    const std::string& k = s_.iterators[static_cast<std::size_t>(neck_.outer)];
    const std::string& i = s_.iterators[static_cast<std::size_t>(neck_.across)];
    bound.ledger.push_back({"every instance needs all along " + i + " one step of " + k +
                                " before (hourglass): a segment's set is whole along " + i +
                                " but for the first and last " + k + " of each chain",
                            proved});
  }

  double value() const {
    const double m = length_.number(sizes_.values);
    std::vector<Term> terms = slices_;
    for (Term& term : terms) term.coefficient *= Rational(static_cast<long>(m));
    std::vector<double> sides = program::extents(neck_.counted, sizes_.values);
    sides.erase(sides.begin() + neck_.across);
    if (m < 1 || hbl_.vertices.value <= 0) return 0;
    const double per_chain = per_chain_.to_double();
    const auto chi = [&](double x) {
      return (m * rising_chi_at(terms, sides, x) + per_chain * x) * (1 + 1e-9);
    };
    return std::max(0.0, segments_bound(chi, hbl_.vertices.value, sizes_.memory(), sizes_.units) -
                             hbl_.tagged.value);
  }

  const Statement& s_;
  Neck neck_;
  const Bound& projection_;
  const HblProblem& hbl_;
  const Sizes& sizes_;
  std::vector<Term> slices_;
  program::Count length_;
  Rational per_chain_ = 2;
};

}  // namespace

std::vector<Bound> hourglasses(const Facts& facts, const Sizes& sizes) {
  constexpr unsigned long most_operations = 300'000;  // to find a statement's necks
  std::vector<Bound> result;
  if (sizes.units > 1) return result;
  for (const Statement& s : facts.program().statements) {
    if (s.iterators.size() < 2) continue;
    const Roles& roles = facts.roles(s);
    std::vector<Neck> found;
    try {
      found = facts.once(
          s.name + ": necks", [&] { return necks(facts.flow(), roles); }, most_operations);
    } catch (const isl::exception&) {
      note_limit(sizes, "hourglass", s.name);
      continue;  // no neck is known
    }
    for (const Neck& neck : found) {
      const isl::set rest = s.domain.subtract(neck.counted);
      const auto projection = value_projection(roles, sizes, {{rest}, {}});
      if (!projection || !projection->hbl) continue;
      if (const auto bound = Derivation(s, neck, *projection, sizes).derive())
        result.push_back(*bound);
    }
  }
  return result;
}

}  // namespace redblue::bounds
