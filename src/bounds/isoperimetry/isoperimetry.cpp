// SPDX-License-Identifier: BSD-3-Clause
// Bounds from what a set of instances of a stencil borders on, before it and after it, in the game
// without recomputation (docs/methods/isoperimetry.md).
//
// A segment of X - S loads and stores that computes the set H has |In(H)| + |Out(H)| <= S + X.
// Where every instance x reads x - d for all d of D (D0 = D and 0) and E = { x : x + D0 in H },
//     |In(H)| + |Out(H)| >= |H - D0| - |E| >= |E + (D0 - D0)| - |E|   (Lemma 1),
// which grows like |E|^((n-1)/n) whatever the shape, and so does |H - D0| - |H|
// (lattice_growth.hpp).
// Steps through other statements' values: each stands for `charge` places at most (stencils.hpp),
// so both sides hold with charge * (S + X).
// Instances may have values of their own on the way (dataflow/clusters.hpp): Lemma 7.
#include <isl/set.h>

#include <algorithm>
#include <cmath>

#include "bounds/bound.hpp"
#include "bounds/busiest/even_shares.hpp"
#include "bounds/facts.hpp"
#include "bounds/footprint/footprint_program.hpp"
#include "bounds/isoperimetry/lattice_growth.hpp"
#include "bounds/isoperimetry/shares.hpp"
#include "bounds/isoperimetry/starts.hpp"
#include "bounds/isoperimetry/stencils.hpp"
#include "bounds/roles.hpp"
#include "dataflow/clusters.hpp"
#include "dataflow/dependences.hpp"
#include "program/count.hpp"

namespace redblue::bounds {

using dataflow::FinalValues;
using dataflow::text_of;
using dataflow::Vector;

using program::Program;
using symbolic::Expr;
using symbolic::Rational;

namespace {

constexpr double reference_memory = 1024;  // words: a formula has the k that is best here

// The next number with two decimals.
Rational rational_above(double x) {
  return Rational(static_cast<long>(std::ceil(x * 100)), 100);
}

// The bound of one stencil: which instances it counts, its formula and its value.
class Derivation {
 public:
  // `own_values`: the arrays that hold values of the instances' own on the way. `all`: instances at
  // the boundary count, too, and each read that one lacks costs a word (Lemma 8); else they count
  // as inputs and outputs.
  Derivation(const std::vector<FinalValues>& finals, const Stencil& stencil,
             const LatticeGrowth& growth, const Sizes& sizes, std::vector<std::string> own_values,
             bool all = false)
      : finals_(finals),
        stencil_(stencil),
        growth_(growth),
        sizes_(sizes),
        own_values_(std::move(own_values)),
        all_(all) {
    if (all)
      count_all_instances();
    else
      count_instances_with_all_reads();
    tag_outputs();
  }

  // From what is read alone: each line along one of n steps that the set touches brings one value
  // from outside, |H| <= |In|^(n/(n-1)).
  Bound by_reads() const {
    const int n = growth_.dimensions;
    const Expr s = symbolic::fast_memory();
    const Amount counted = total(counted_.begin(), counted_.end());
    const Amount tagged = total(tagged_.begin(), tagged_.begin() + static_cast<long>(parts()));
    Bound bound;
    bound.method = "projection";
    bound.recomputation = false;
    bound.statement = statements();
    bound.segment = n * s;
    bound.intensity = GiNaC::pow(bound.segment, Expr(Rational(n, n - 1))) / ((n - 1) * s);
    bound.expression = ((counted.formula / bound.intensity).expand() - tagged.formula).expand();
    bound.leading = sizes_.leading(bound.expression);
    if (sizes_.complete) {
      const auto chi = [n](double x) { return std::pow(x, n / (n - 1.0)) * (1 + 1e-9); };
      bound.value = std::max(
          0.0, segments_bound(chi, counted.value, sizes_.memory(), sizes_.units) - tagged.value);
    }
    bound.ledger = {
        {"which vertex computes each value read is known exactly (flow dependences by isl)",
         proved},
        {"each line along one of the steps that is touched brings one value from outside "
         "(Loomis-Whitney)",
         proved},
        {"instances at the boundary that lack a read count as inputs; their number is subtracted",
         proved}};
    return bound;
  }

  Bound derive() {
    Bound bound;
    bound.method = "isoperimetry";
    bound.recomputation = false;
    bound.statement = statements();
    state(bound);
    explain(bound);
    return bound;
  }

 private:
  std::size_t parts() const { return stencil_.parts.size(); }

  std::string statements() const {
    std::string names;
    for (const StencilPart& part : stencil_.parts)
      names += (names.empty() ? "" : "+") + part.statement->name;
    return names;
  }

  template <typename Iterator>
  Amount total(Iterator begin, Iterator end) const {
    Amount sum;
    for (; begin != end; ++begin) sum += sizes_.amount(program::count(*begin));
    return sum;
  }

  // The part whose instances read those of part i.
  std::size_t after(std::size_t i) const { return (i + 1) % parts(); }

  void count_instances_with_all_reads() {
    const std::vector<std::vector<isl::map>> starts = clean_starts(stencil_);
    for (std::size_t i = 0; i < parts(); ++i) {
      const isl::set& all = stencil_.parts[i].statement->domain;
      isl::set complete = all;
      for (std::size_t s = 0; s < stencil_.steps.size(); ++s) {
        const isl::set reads = stencil_.parts[i].before[s].domain().unite(starts[i][s].domain());
        complete = complete.intersect(reads);
      }
      counted_.push_back(complete.coalesce());
      tagged_.push_back(all.subtract(complete).coalesce());
    }
  }

  // What each lacks: a set for each read.
  void count_all_instances() {
    const std::vector<std::vector<isl::map>> starts = clean_starts(stencil_);
    for (std::size_t i = 0; i < parts(); ++i) {
      counted_.push_back(stencil_.parts[i].statement->domain);
      for (std::size_t s = 0; s < stencil_.steps.size(); ++s) {
        const isl::set reads = stencil_.parts[i].before[s].domain().unite(starts[i][s].domain());
        tagged_.push_back(counted_[i].subtract(reads).coalesce());
      }
    }
  }

  void tag_outputs() {
    for (std::size_t i = 0; i < parts(); ++i) {
      isl::set read = counted_[i];  // in all steps
      for (const isl::map& step : stencil_.parts[after(i)].before)
        read = read.intersect(step.intersect_domain(counted_[after(i)]).range());
      isl::set lacking = counted_[i].subtract(read);
      for (const FinalValues& values : finals_) {
        if (values.statement == stencil_.parts[i].statement->name)
          lacking = lacking.subtract(values.instances);
      }
      tagged_.push_back(lacking.coalesce());
    }
  }

  // Q >= V (X - S) / chi(X) - (X - S) - tagged at X = (2n - 1) S, with the k-th sum of K: Lemma 6.
  // `lost` is its lambda side / r, in parts of the whole.
  void state(Bound& bound) const {
    const int n = growth_.dimensions;
    const Expr s = symbolic::fast_memory();
    const auto [per_vertex, lost] = rate_formula();
    const Amount counted = total(counted_.begin(), counted_.end());
    const Amount tagged = total(tagged_.begin(), tagged_.end());
    bound.intensity = 1 / per_vertex;
    bound.segment = (2 * n - 1) * s;
    bound.expression = (counted.formula * per_vertex * (1 - lost) -
                        2 * (n - 1) * s * sizes_.memories() - tagged.formula)
                           .expand();
    bound.leading = sizes_.leading(bound.expression);
    if (!sizes_.complete) return;
    const double words = sizes_.memory();
    const auto chi = [&](double x) {
      // A cut may divide what one instance costs.
      const double m =
          stencil_.charge * x + (all_ ? static_cast<double>(stencil_.steps.size()) + 1 : 0);
      return own_values_.empty() ? growth_.largest(m) : growth_.largest_with_own_values(m);
    };
    bound.value =
        std::max(0.0, transfers_bound(chi, counted.value, words, sizes_.units) - tagged.value);
  }

  // Words per vertex in the leading term, and the fraction to subtract as sets are finite.
  std::pair<Expr, Expr> rate_formula() const {
    const int n = growth_.dimensions;
    const Expr s = symbolic::fast_memory();
    const Rational inverse = Rational(1) / (n - 1);
    if (!own_values_.empty()) return rate_with_own_values();
    if (growth_.both_ways.empty()) {  // chi = (m / 2)^(n/(n-1))
      const Expr half = n * stencil_.charge * s;
      return {2 * (n - 1) * s * GiNaC::pow(half, -1 - inverse), 0};
    }
    const LatticeGrowth::Sum best = formula_sum();
    // side / r = side (side / (2 c S))^(1/(n-1)), with side^n = cells / k^n
    const Rational base =
        Rational(best.cells) / (2L * stencil_.charge * Rational(best.summands).power(n));
    const Expr side_over_r = GiNaC::pow(Expr(base), inverse) * GiNaC::pow(s, -inverse);
    return {Rational(n - 1, stencil_.charge) * side_over_r,
            rational_above(lost_per_side_over_r(best)) * side_over_r};
  }

  // Of chi = m / 2 + R^n with R = (c S / side)^(1/(n-1)), side that of a k-th sum of D0, k <= n; or
  // with R^(n-1) = m / 2 where no such sum holds enough cells.
  std::pair<Expr, Expr> rate_with_own_values() const {
    const int n = growth_.dimensions;
    const Expr s = symbolic::fast_memory();
    const Rational inverse = Rational(1) / (n - 1);
    Rational best = Rational(1) / Rational(n).power(n);  // side^n
    for (const LatticeGrowth::Sum& way : growth_.one_way) {
      const Rational side = Rational(way.cells) / Rational(way.summands).power(n);
      if (way.summands <= n && side > best) best = side;
    }
    const Expr side_over_r =
        GiNaC::pow(Expr(best / stencil_.charge), inverse) * GiNaC::pow(s, -inverse);
    return {Rational(2 * (n - 1), stencil_.charge) * side_over_r, n * side_over_r};
  }

  LatticeGrowth::Sum formula_sum() const {
    return *std::max_element(growth_.both_ways.begin(), growth_.both_ways.end(),
                             [this](const auto& a, const auto& b) {
                               return rate(a, reference_memory) < rate(b, reference_memory);
                             });
  }

  // The relative loss `lost` of state() in units of side / r, r = (2 c S / side)^(1/(n-1)): first
  // what own < side costs, then what k > n costs.
  double lost_per_side_over_r(const LatticeGrowth::Sum& sum) const {
    const int n = growth_.dimensions;
    double own = 0;
    for (const LatticeGrowth::Sum& way : growth_.one_way) {
      if (way.summands <= n) own = std::max(own, way.side());
    }
    return n * std::max(0.0, 1 - own / sum.side()) +
           n / (2.0 * (n - 1)) * std::max(0, sum.summands - n);
  }

  // Words per vertex in the formula, at s words.
  double rate(const LatticeGrowth::Sum& sum, double s) const {
    const int n = growth_.dimensions;
    const double side_over_r =
        sum.side() * std::pow(sum.side() / (2 * stencil_.charge * s), 1.0 / (n - 1));
    return (n - 1.0) / stencil_.charge * side_over_r *
           (1 - lost_per_side_over_r(sum) * side_over_r);
  }

  void explain(Bound& bound) const {
    const auto note = [&bound](const std::string& text) { bound.ledger.push_back({text, proved}); };
    std::string steps;
    for (const Vector& step : stencil_.steps) steps += (steps.empty() ? "" : ", ") + text_of(step);
    note("which vertex computes each value read is known exactly (flow dependences by isl)");
    note("every instance counted reads those " + steps + " before it" +
         (parts() > 1 ? ", in places common to the statements" : ""));
    if (stencil_.charge > 1) {
      note("some through another statement's values, each of which stands for " +
           std::to_string(stencil_.charge) + " of them at most");
    }
    if (!own_values_.empty()) {
      std::string names;
      for (const std::string& name : own_values_) names += (names.empty() ? "" : ", ") + name;
      note("values of " + names +
           " belong to one instance each, which reads what they are made of");
      note(
          "half of the S + X values a segment brings and leaves limits its set on one side, where "
          "the set grows as dilates of the steps do (Pluennecke, Brunn-Minkowski), and how many "
          "instances it computes in part");
    } else if (growth_.both_ways.empty()) {
      note(
          "what a segment's set borders on before and after it, S + X values at most, holds both "
          "ends of each line along one of the steps (Loomis-Whitney)");
    } else {
      note(
          "what a segment's set borders on before and after it, S + X values at most, grows with "
          "the set as dilates of the steps' difference body do (Ruzsa; Pluennecke, "
          "Brunn-Minkowski), for sets of any shape");
      note("the formula is for k = " + std::to_string(formula_sum().summands) +
           " such bodies added up, with w^" + std::to_string(growth_.dimensions) + " = " +
           std::to_string(formula_sum().cells) +
           " cells in the sum; values at given sizes take the best k");
    }
    note(
        "instances at the boundary that lack a read or a reader count as inputs or outputs; their "
        "number is subtracted");
  }

  const std::vector<FinalValues>& finals_;
  const Stencil& stencil_;
  const LatticeGrowth& growth_;
  const Sizes& sizes_;
  const std::vector<std::string> own_values_;
  const bool all_;
  std::vector<isl::set> counted_;  // by part
  std::vector<isl::set> tagged_;   // as inputs, by part, and as outputs, by part
};

}  // namespace

namespace {

struct GrowingStencil {
  Stencil stencil;
  LatticeGrowth growth;
};

// Stencils whose lattices' growth is known; where steps span fewer dimensions than loops, only if
// none span them all.
std::vector<GrowingStencil> growing_stencils(const Program& program) {
  const auto spans_all = [](const GrowingStencil& s) {
    return s.growth.dimensions == static_cast<int>(s.stencil.steps.front().size());
  };
  std::vector<GrowingStencil> result;
  for (const Stencil& stencil : stencils(program)) {
    if (const auto growth = lattice_growth(stencil.steps)) result.push_back({stencil, *growth});
  }
  if (std::any_of(result.begin(), result.end(), spans_all))
    std::erase_if(result, [&](const GrowingStencil& s) { return !spans_all(s); });
  return result;
}

void add_stencils(const Facts& facts, const Sizes& sizes,
                  const std::vector<std::string>& own_values, std::vector<Bound>& result) {
  const auto& all = facts.once("stencils", [&] { return growing_stencils(facts.program()); });
  if (all.empty()) return;
  const std::vector<FinalValues>& finals = facts.final_values();
  for (const auto& [stencil, growth] : all) {
    Derivation derivation(finals, stencil, growth, sizes, own_values);
    Bound bound = derivation.derive();
    if (bound.value && stencil.charge == 1 && own_values.empty()) {
      const Bound whole = Derivation(finals, stencil, growth, sizes, own_values, true).derive();
      if (*whole.value > *bound.value) {
        bound.value = whole.value;
        bound.ledger.push_back(
            {"at these sizes all instances count, and each read that one lacks costs a word, and "
             "each instance that lacks a reader",
             proved});
      }
    }
    result.push_back(bound);
    // Loads alone, for machines whose stores are no traffic; of single statements the projections
    // by dependences say it.
    if (stencil.parts.size() > 1 && own_values.empty()) result.push_back(derivation.by_reads());
    if (sizes.units > 1 && own_values.empty())
      note_share(sizes, crossings_of_stencil(stencil, sizes));
  }
}

}  // namespace

std::vector<Bound> isoperimetry(const Facts& facts, const Sizes& sizes) {
  std::vector<Bound> result;
  add_stencils(facts, sizes, {}, result);
  return result;
}

std::vector<Bound> isoperimetry_of_clusters(const Facts& facts, const Sizes& sizes) {
  struct Clusters {
    dataflow::Clustered made;
    Facts facts{made.program};
  };
  const auto& clusters = facts.once("clusters", [&] {
    return std::make_shared<const Clusters>(dataflow::clustered(facts.program()));
  });
  std::vector<Bound> result;
  if (!clusters->made.values.empty())
    add_stencils(clusters->facts, sizes, clusters->made.values, result);
  return result;
}

}  // namespace redblue::bounds
