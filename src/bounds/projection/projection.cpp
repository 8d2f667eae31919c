// SPDX-License-Identifier: BSD-3-Clause
// The projection method on one statement: which elements a set of instances must find in fast
// memory, and what follows for the traffic [hong1981], [kwasniewski2021, Lemma 3.2].
#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "bounds/bound.hpp"
#include "bounds/busiest/even_shares.hpp"
#include "bounds/contraction.hpp"
#include "bounds/footprint/footprint_program.hpp"
#include "bounds/projection/images.hpp"
#include "bounds/projection/symmetric_product.hpp"
#include "bounds/projection/undominated.hpp"
#include "program/count.hpp"
#include "program/touched.hpp"

namespace redblue::bounds {

using program::Access;
using program::Program;
using program::Statement;
using symbolic::Expr;
using symbolic::Rational;

namespace {

constexpr auto assumed = Condition::Status::assumed;

class Derivation {
 public:
  // `fixed`: loops along which a set of instances is cut into slices. `used_once`: what held the
  // values that the statement, a contracted one, looks through.
  Derivation(const Program& program, const Statement& statement, const Sizes& sizes,
             const std::optional<Amount>& inputs, bool take_disjoint, std::set<int> fixed = {},
             std::vector<std::string> used_once = {})
      : program_(program),
        statement_(statement),
        sizes_(sizes),
        inputs_(inputs),
        take_disjoint_(take_disjoint),
        fixed_(std::move(fixed)),
        used_once_(std::move(used_once)) {}

  // nullopt where reuse is unlimited or nothing is left of the bound.
  std::optional<Bound> derive() {
    std::set<std::string> arrays;
    for (const Access& read : statement_.reads) {
      if (always(read)) arrays.insert(read.array);
    }
    for (const std::string& array : arrays) add_array(array);
    std::optional<Intensity> intensity = solve(renumbered(terms_), free_loops());
    const bool needs_reuse = !fixed_.empty() || !used_once_.empty();
    if (!intensity || (needs_reuse && intensity->alpha == 1)) return std::nullopt;
    if (!fixed_.empty()) slice(*intensity);
    if (mixed_) {
      note("subscripts that mix loop variables count by their plain subscripts only", proved);
    }
    for (const std::string& condition : used_once_) note(condition, proved);
    note("|H| <= product of |projection|^s (Hoelder-Brascamp-Lieb) for every set H of instances",
         proved);
    return finish(*intensity);
  }

 private:
  int free_loops() const { return static_cast<int>(statement_.iterators.size() - fixed_.size()); }

  // Terms over the loops that are not fixed, counted from 0.
  std::vector<Term> renumbered(const std::vector<Term>& terms) const {
    std::vector<Term> result = terms;
    for (Term& term : result) {
      std::erase_if(term.loops, [this](int t) { return fixed_.count(t) != 0; });
      for (int& t : term.loops) {
        t -= static_cast<int>(std::distance(fixed_.begin(), fixed_.lower_bound(t)));
      }
    }
    return result;
  }

  // Slices H_f of H, one for each of the n values of the fixed loops: |H| <= n^(1 - s) times the
  // product, s the sum of the exponents of images that show the fixed loops, at most 1
  // (docs/methods/projection.md, Lemma 4).
  void slice(Intensity& intensity) {
    Rational shown = 0;
    for (std::size_t j = 0; j < terms_.size(); ++j) {
      const auto& loops = terms_[j].loops;
      if (std::includes(loops.begin(), loops.end(), fixed_.begin(), fixed_.end()))
        shown += intensity.exponents[j];
    }
    if (shown > 1) shown = 1;
    exponent_ = (1 - shown).to_double();
    std::string names;
    Expr slices = 1;
    for (const int t : fixed_) {
      const program::Count count = program::count(program::values_along(statement_.domain, t));
      const Amount values = sizes_.amount(count);
      slices *= values.formula;
      if (sizes_.complete) slices_ *= values.value;
      names += (names.empty() ? "" : ", ") + statement_.iterators[static_cast<std::size_t>(t)];
    }
    largest_factor_ = GiNaC::pow(slices, 1 - shown);
    intensity.rho *= largest_factor_;
    note("a set of instances is cut into slices along " + names +
             "; arrays that show them are read apart by every slice (Hoelder's inequality)",
         proved);
  }

  // Read by every instance; what some instances read says nothing about a set of instances.
  bool always(const Access& read) const {
    return !read.conditional && statement_.domain.is_subset(read.elements.domain());
  }

  void note(const std::string& condition, Condition::Status status) {
    ledger_.push_back({condition, status});
  }

  void add_array(const std::string& array) {
    const VersionChains chains = version_chains(program_, array);
    if (chains.written && !add_version_ledger(array, chains)) return;
    if (!chains.written)
      note(array + " is never written: every element touched is an input", proved);
    std::vector<Image> images;
    for (const Access& read : statement_.reads) {
      if (read.array == array && always(read))
        images.push_back({&read, coordinate_loops(read, fixed_, mixed_)});
    }
    images = undominated(images);
    if (images.size() == 1 && images.front().loops.empty()) return;
    Rational weight = 1;
    if (images.size() > 1) {
      if (disjoint_over_domain(images)) {
        note("the images of " + list_of(images) + " are disjoint over the whole domain", proved);
      } else if (take_disjoint_ && !mirrored(images)) {
        note("the images of " + list_of(images) + " are disjoint within a segment", assumed);
      } else {
        weight = Rational(1) / static_cast<long>(images.size());
        note("the images of " + list_of(images) + " may overlap: their union counts as their mean",
             proved);
      }
    }
    for (const Image& image : images) add_term(terms_, image.loops, weight, image.access->text);
  }

  // Whether two of them are one image with two loops exchanged: then they are not disjoint, and
  // schedules in triangle blocks move less than if they were (Lemma dependence_projection.6).
  bool mirrored(const std::vector<Image>& images) const {
    const int loops = static_cast<int>(statement_.iterators.size());
    for (std::size_t a = 0; a < images.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        for (int p = 0; p < loops; ++p) {
          for (int q = 0; q < p; ++q) {
            if (is_mirror(images[a].access->elements, images[b].access->elements, p, q))
              return true;
          }
        }
      }
    }
    return false;
  }

  // False where the array's versions give nothing.
  bool add_version_ledger(const std::string& array, const VersionChains& chains) {
    if (chains.fresh_writes.empty()) {
      note("every write of " + array + " reads the element it overwrites: each element touched " +
               "brings one version from outside the segment",
           proved);
      return true;
    }
    const bool started_once =
        chains.fresh_writes.size() == 1 && chains.fresh_writes.front()->elements.is_injective();
    starts_are_lost_ =
        starts_are_lost_ || !started_once || program_.arrays.at(array).read_after.has_value();
    for (const Access* write : chains.fresh_writes) {
      // The written versions become inputs; each costs at most one load more.
      tagged_ += sizes_.amount(program::count(write->elements.domain()));
    }
    note("versions of " + array + " that start a chain count as inputs; their number is subtracted",
         proved);
    if (chains.read_only_in_place) {
      note("each version of " + array +
               " is read by the next update only, so computing one again cannot help",
           proved);
    } else {
      note("no value of " + array + " is computed twice", assumed);
    }
    return true;
  }

  Bound finish(const Intensity& intensity) {
    Bound bound;
    bound.method = "projection";
    bound.statement = statement_.name;
    const program::Count count = program::count(statement_.domain);
    const Amount vertices = sizes_.amount(count);
    const Expr moved = (vertices.formula / intensity.rho).expand();
    if (intensity.alpha == 1) {
      state_without_reuse(bound, moved);
    } else {
      bound.expression = segments_formula(moved, intensity.alpha) - tagged_.formula;
      bound.leading = sizes_.leading((moved - tagged_.formula).expand());
    }
    bound.intensity = intensity.rho;
    bound.segment = intensity.segment;
    // max(chi(X), X) is chi(X) from X_0 on where it is at X_0: chi(X)/X does not fall.
    if (!used_once_.empty()) bound.conditions.push_back({largest_at(intensity), intensity.segment});
    std::size_t tile = 0;
    // Slices of a set that reaches the bound are no boxes.
    for (int t = 0; !intensity.tiles.empty() && largest_factor_ == 1 &&
                    t < static_cast<int>(statement_.iterators.size());
         ++t) {
      const bool one = fixed_.count(t) != 0;
      bound.tiles.emplace_back(statement_.iterators[static_cast<std::size_t>(t)],
                               one ? Expr(1) : intensity.tiles[tile++]);
    }
    describe_projections(bound, terms_, intensity, statement_.iterators, largest_factor_,
                         "Hoelder's inequality, for the slices");
    bound.counted = {{"instances counted", vertices.formula},
                     {"values counted as inputs, subtracted", tagged_.formula}};
    if (sizes_.complete) bound.value = value(vertices.value);
    bound.busiest = busiest(vertices, intensity);
    bound.ledger = std::move(ledger_);
    return bound;
  }

  // chi(X_0).
  static Expr largest_at(const Intensity& intensity) {
    return intensity.rho * (intensity.segment - symbolic::fast_memory());
  }

  // chi(X) = c X: docs/methods/segments.md, Lemma 7.
  void state_without_reuse(Bound& bound, const Expr& moved) const {
    bound.expression = moved - tagged_.formula;
    bound.leading = sizes_.leading(bound.expression.expand());
  }

  // One of p processors computes V / p instances at least, as a set H that needs X values from
  // outside with chi(X) >= V / p [irony2004]. Of these it may own its share of the inputs, and of
  // the versions that start a chain as many as there are results that stay with it; all others it
  // receives, or sends what they become (docs/methods/busiest.md).
  std::optional<Busiest> busiest(const Amount& vertices, const Intensity& intensity) const {
    const auto& names = program_.parameters;
    const bool proved_only = std::all_of(ledger_.begin(), ledger_.end(),
                                         [](const Condition& c) { return c.status == proved; });
    if (!inputs_ || !used_once_.empty() || starts_are_lost_ || !proved_only ||
        std::count(names.begin(), names.end(), "p") != 0)
      return std::nullopt;
    Busiest result;
    result.provided =
        "each processor begins with its share of the inputs and ends with its share of the outputs";
    Amount& amount = result.words;
    const std::vector<LeastFootprint> least =
        least_of_share(statement_, terms_, intensity.exponents, vertices, sizes_, largest_factor_);
    const LeastFootprint received =
        received_by_share(vertices, intensity.constant, intensity.alpha, least,
                          inputs_->formula + tagged_.formula, sizes_, largest_factor_);
    amount.formula = received.words;
    result.conditions = received.conditions;
    if (!sizes_.complete) return result;
    const double share = vertices.value / sizes_.units;
    // Of slices HBL's own inequality is known, and what follows for large arrays.
    double needed = share < 1 ? 0 : reached_at(chi_by(chi_at), share);
    if (!fixed_.empty() && share >= 1) needed = std::max(needed, least_at(least, sizes_));
    amount.value = std::max(0.0, needed - (inputs_->value + tagged_.value) / sizes_.units);
    return result;
  }

  // At the given sizes; of slices, which may be of different shapes, only HBL's own inequality
  // holds for their sum, and of contracted statements it is convex in X, as
  // docs/methods/contraction.md wants it.
  std::function<double(double)> chi_by(const decltype(chi_at)& chi_of_loops) const {
    std::vector<double> extents = program::extents(statement_.domain, sizes_.values);
    for (auto t = fixed_.rbegin(); t != fixed_.rend(); ++t) extents.erase(extents.begin() + *t);
    if (!fixed_.empty() || !used_once_.empty()) extents.assign(extents.size(), 1e12);
    const double factor = std::pow(slices_, exponent_) * (fixed_.empty() ? 1 : 1 + 1e-9);
    return [terms = renumbered(terms_), extents, factor, &chi_of_loops](double x) {
      return factor * chi_of_loops(terms, extents, x);
    };
  }

  double value(double vertices) const {
    if (vertices <= 0) return 0;
    const auto chi = [rising = chi_by(rising_chi_at), this](double x) {
      return used_once_.empty() ? rising(x) : std::max(rising(x), x);
    };
    return std::max(0.0,
                    segments_bound(chi, vertices, sizes_.memory(), sizes_.units) - tagged_.value);
  }

  const Program& program_;
  const Statement& statement_;
  const Sizes& sizes_;
  const std::optional<Amount>& inputs_;  // of the program
  const bool take_disjoint_;
  const std::set<int> fixed_;
  const std::vector<std::string> used_once_;
  Expr largest_factor_ = 1;
  double slices_ = 1, exponent_ = 0;  // |H| <= slices^exponent HBL's product
  std::vector<Term> terms_;
  std::vector<Condition> ledger_;
  Amount tagged_;
  bool mixed_ = false;
  bool starts_are_lost_ = false;  // of a chain whose end may be no output
};

// Sets of loops that leave no subscript mixed when they stand still, none with a loop too many.
std::vector<std::set<int>> slicings(const Statement& statement) {
  std::vector<std::set<int>> mixed;
  for (const Access& read : statement.reads) {
    for (const std::set<int>& loops : subscript_loops(read)) {
      if (loops.size() > 1) mixed.push_back(loops);
    }
  }
  std::vector<std::set<int>> result;
  if (!mixed.empty()) result.emplace_back();
  for (const std::set<int>& subscript : mixed) {
    std::vector<std::set<int>> next;
    for (const std::set<int>& fixed : result) {
      for (const int left : subscript) {
        std::set<int> more = fixed;
        for (const int t : subscript) {
          if (t != left) more.insert(t);
        }
        if (std::count(next.begin(), next.end(), more) == 0 && next.size() < 64)
          next.push_back(more);
      }
    }
    result = next;
  }
  std::erase_if(result, [&](const std::set<int>& fixed) {
    return std::any_of(result.begin(), result.end(), [&fixed](const std::set<int>& other) {
      return other != fixed &&
             std::includes(fixed.begin(), fixed.end(), other.begin(), other.end());
    });
  });
  return result;
}

}  // namespace

std::vector<Bound> projections(const Program& program, const Statement& statement,
                               const Sizes& sizes, const std::optional<Amount>& inputs) {
  std::vector<Bound> result;
  for (const bool take_disjoint : {false, true}) {
    const std::optional<Bound> bound =
        Derivation(program, statement, sizes, inputs, take_disjoint).derive();
    if (!bound) continue;
    const auto far = [&sizes](const Bound& b) {
      return sizes.counts->at(b.expression, sizes.wanted.large);
    };
    const bool same = !result.empty() && far(result.front()).is_equal(far(*bound));
    if (!same) result.push_back(*bound);
  }
  for (const std::set<int>& fixed : slicings(statement)) {
    if (const auto bound = Derivation(program, statement, sizes, inputs, false, fixed).derive())
      result.push_back(*bound);
  }
  const auto through = contracted(program, statement);
  if (!through) return result;
  std::vector<std::set<int>> ways = slicings(through->statement);
  ways.emplace_back();
  for (const std::set<int>& fixed : ways) {
    Derivation derivation(program, through->statement, sizes, inputs, false, fixed,
                          through->conditions());
    if (const auto bound = derivation.derive()) result.push_back(*bound);
  }
  return result;
}

}  // namespace redblue::bounds
