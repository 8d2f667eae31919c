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
// Instances may have values of their own on the way (dataflow/clusters.hpp): Lemma 7. On staggered
// grids more words wait on each line in time (docs/methods/staggered.md).
#include <isl/set.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "bounds/bound.hpp"
#include "bounds/busiest/even_shares.hpp"
#include "bounds/facts.hpp"
#include "bounds/footprint/footprint_program.hpp"
#include "bounds/isoperimetry/lattice_growth.hpp"
#include "bounds/isoperimetry/rate.hpp"
#include "bounds/isoperimetry/rim.hpp"
#include "bounds/isoperimetry/shares.hpp"
#include "bounds/isoperimetry/staggered.hpp"
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

// The bound of one stencil: which instances it counts, its formula and its value.
class Derivation {
 public:
  // `own_values`: the arrays that hold values of the instances' own on the way. `all`: instances at
  // the boundary count, too, and each read that one lacks costs a word (Lemma 8); else they count
  // as inputs and outputs. `grid`: what the stencil is, where its words that wait count, too.
  Derivation(const std::vector<FinalValues>& finals, const Stencil& stencil,
             const LatticeGrowth& growth, const Sizes& sizes, std::vector<std::string> own_values,
             bool all = false, const Staggered* grid = nullptr)
      : finals_(finals),
        stencil_(stencil),
        growth_(growth),
        sizes_(sizes),
        own_values_(std::move(own_values)),
        all_(all),
        grid_(grid) {
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

  // Whether the instances counted are as docs/methods/staggered.md asks, and values between them
  // that nothing of their statement reads are outputs.
  bool suits_grid() const {
    return closed(counted_.front(), stencil_.steps, grid_->along) &&
           std::all_of(grid_->between.begin(), grid_->between.end(),
                       [this](const Staggered::Between& b) {
                         isl::set dead = b.last;
                         for (const FinalValues& values : finals_) {
                           if (values.statement == b.statement->name)
                             dead = dead.subtract(values.instances);
                         }
                         return dead.is_empty();
                       });
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
      if (grid_ != nullptr) {
        for (const isl::map& way : grid_->ways) complete = complete.intersect(way.domain());
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
    const auto [per_vertex, lost] = rate_formula(growth_, stencil_.charge, !own_values_.empty());
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

  void explain(Bound& bound) const {
    const auto note = [&bound](const std::string& text) { bound.ledger.push_back({text, proved}); };
    std::string steps;
    for (const Vector& step : stencil_.steps) steps += (steps.empty() ? "" : ", ") + text_of(step);
    note("which vertex computes each value read is known exactly (flow dependences by isl)");
    note("every instance counted reads those " + steps + " before it" +
         (parts() > 1 ? ", in places common to the statements" : ""));
    if (grid_ != nullptr) explain_grid(bound);
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
      note(std::string(
               "what a segment's set borders on before and after it, S + X values at most, ") +
           "grows with the set as dilates of the steps' difference body " +
           (grid_ != nullptr ? "and of a segment of these lines " : "") +
           "do (Ruzsa; Pluennecke, Brunn-Minkowski), for sets of any shape");
      note("the formula is for k = " +
           std::to_string(formula_sum(growth_, stencil_.charge).summands) +
           (grid_ != nullptr ? " such bodies or segments" : " such bodies") + " added up, with w^" +
           std::to_string(growth_.dimensions) + " = " +
           std::to_string(formula_sum(growth_, stencil_.charge).cells) +
           " cells in the sum; values at given sizes take the best k");
    }
    note(
        "instances at the boundary that lack a read or a reader count as inputs or outputs; their "
        "number is subtracted");
  }

  void explain_grid(Bound& bound) const {
    std::string names;
    for (const Staggered::Between& b : grid_->between)
      names += (names.empty() ? "" : ", ") + b.statement->name;
    bound.ledger.push_back({"values of " + names + " lie between its places: on each line along " +
                                text_of(grid_->along) + " a segment borders on " +
                                std::to_string(grid_->waiting()) + " more of them on either side",
                            proved});
  }

  const std::vector<FinalValues>& finals_;
  const Stencil& stencil_;
  const LatticeGrowth& growth_;
  const Sizes& sizes_;
  const std::vector<std::string> own_values_;
  const bool all_;
  const Staggered* const grid_;
  std::vector<isl::set> counted_;  // by part
  std::vector<isl::set> tagged_;   // as inputs, by part, and as outputs, by part
};

}  // namespace

namespace {

struct GrowingStencil {
  Stencil stencil;
  LatticeGrowth growth;
  std::optional<LatticeGrowth> growth_with_waiting;  // on a staggered grid
};

std::optional<LatticeGrowth> growth_with_waiting(const Stencil& stencil) {
  if (!stencil.staggered) return std::nullopt;
  auto growth = lattice_growth(stencil.steps,
                               Segment{stencil.staggered->along, 2 * stencil.staggered->waiting()});
  return growth && !growth->both_ways.empty() ? growth : std::nullopt;
}

// Stencils whose lattices' growth is known; where steps span fewer dimensions than loops, only if
// none span them all.
std::vector<GrowingStencil> growing_stencils(const Program& program) {
  const auto spans_all = [](const GrowingStencil& s) {
    return s.growth.dimensions == static_cast<int>(s.stencil.steps.front().size());
  };
  std::vector<GrowingStencil> result;
  for (const Stencil& stencil : stencils(program)) {
    if (const auto growth = lattice_growth(stencil.steps))
      result.push_back({stencil, *growth, growth_with_waiting(stencil)});
  }
  if (std::any_of(result.begin(), result.end(), spans_all))
    std::erase_if(result, [&](const GrowingStencil& s) { return !spans_all(s); });
  return result;
}

// Where a set that grows by fewer moves loses less at the rim of the domain: Lemma 9.
void within_rim(const std::vector<FinalValues>& finals, const Stencil& stencil, const Sizes& sizes,
                Bound& bound) {
  try {
    const double value = value_within_rim(finals, stencil, sizes);
    if (value <= *bound.value) return;
    bound.value = value;
    bound.ledger.push_back(
        {"at these sizes all instances count, and sets grow by moves that mostly stay in the "
         "domain: each that leads out of it, uncovered, costs a word",
         proved});
  } catch (const program::Uncountable&) {
    // What is lost at the rim has no formula.
  } catch (const isl::exception&) {
    // Or finding it takes too long.
  }
}

void add_stencils(const Facts& facts, const Sizes& sizes,
                  const std::vector<std::string>& own_values, std::vector<Bound>& result) {
  const auto& all = facts.once("stencils", [&] { return growing_stencils(facts.program()); });
  if (all.empty()) return;
  const std::vector<FinalValues>& finals = facts.final_values();
  for (const auto& [stencil, growth, growth_with_waiting] : all) {
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
      within_rim(finals, stencil, sizes, bound);
    }
    result.push_back(bound);
    if (growth_with_waiting && sizes.units == 1 && own_values.empty()) {
      Derivation on_grid(finals, stencil, *growth_with_waiting, sizes, {}, false,
                         &*stencil.staggered);
      if (on_grid.suits_grid()) result.push_back(on_grid.derive());
    }
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
