// SPDX-License-Identifier: BSD-3-Clause
// Lower bounds as values, before they are printed. Their theorems and proofs are in docs/methods.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bounds/chamber.hpp"
#include "bounds/footprint/footprint_program.hpp"
#include "program/program.hpp"
#include "redblue/analysis.hpp"
#include "symbolic/expr.hpp"

namespace redblue::bounds {

class Facts;
struct Roles;

// Of a condition in a ledger.
inline constexpr auto proved = Condition::Status::proved;

// A number of words, as a formula in Counts' symbols, and at the given ones where those are
// complete.
struct Amount {
  symbolic::Expr formula;
  double value = 0;

  Amount& operator+=(const Amount& more) {
    formula += more.formula;
    value += more.value;
    return *this;
  }
};

// What the busiest of p processors receives or sends at least, whatever its memory: the formula in
// p, the value for Sizes::units of them. `provided`: what is taken for granted about the run.
struct Busiest {
  Amount words;
  std::string provided;
  std::vector<AtLeast> conditions = {};  // the formula holds where they do, only
};

// What a projection bound is made of, for bounds of several statements together.
struct HblProblem {
  Amount vertices, tagged;  // counted, and subtracted
  symbolic::Expr constant;  // chi(X) = constant X^alpha
  symbolic::Rational alpha;
  std::map<std::size_t, symbolic::Rational> shared;  // shared role -> its projection's exponent
  // Coefficient and exponent of the other projections, sorted.
  std::vector<std::pair<symbolic::Rational, symbolic::Rational>> own;
  std::vector<Term> terms;
  std::vector<isl::set> left_out;  // instances not counted, by statement
  Amount not_tagged;               // vertices counted but for those that are tagged
};

// What a statement does without where its bound is added to others'.
struct Dropped {
  std::vector<isl::set> instances;  // not counted, and no vertices of the statement's bound
  std::vector<isl::set> chains;     // instances whose predecessors are among those: tagged
};

struct Bound {
  std::string method;
  std::string statement;
  symbolic::Expr leading;  // for large sizes; no counts' symbols, as in no other formula here
  symbolic::Expr expression;
  std::vector<AtLeast> conditions = {};  // the expression is a bound where they hold, only
  std::optional<double> value;
  double stores_value = 0;  // of the value: outputs that are stored, where the rest counts loads
  symbolic::Expr intensity;
  symbolic::Expr segment;
  std::vector<std::pair<std::string, symbolic::Expr>> tiles;
  std::vector<LowerBound::Projection> projections;
  symbolic::Expr factor = 1;              // |H| <= factor * product of the projections' powers
  std::string factor_from;                // the argument that gains it
  std::optional<symbolic::Expr> largest;  // chi(X)
  std::vector<std::pair<std::string, symbolic::Expr>> counted;  // what the expression is made of
  std::vector<Condition> ledger;
  std::optional<HblProblem> hbl;
  std::optional<Busiest> busiest;
  bool recomputation = true;  // holds when values may be computed again; else for each value once
};

// Sizes for which values are wanted; every parameter and S, or nothing is evaluated.
struct Sizes {
  symbolic::Valuation values;
  bool complete = false;
  double units = 1;              // fast memories of S words that share the work; for values only
  Wanted wanted = {};            // what formulas are for
  symbolic::Valuation far = {};  // large sizes and S, where leading terms are compared
  std::shared_ptr<Counts> counts = std::make_shared<Counts>();  // of the formulas made for these
  // Methods that gave up while they were made.
  std::shared_ptr<std::vector<GaveUp>> gave_up = std::make_shared<std::vector<GaveUp>>();
  // What methods found about processors that share the work evenly (even_shares.hpp), where units
  // are several.
  std::shared_ptr<std::vector<Busiest>> even_shares = std::make_shared<std::vector<Busiest>>();

  double memory() const;         // S, which is among the values
  Sizes without_values() const;  // for formulas only
  symbolic::Expr memories() const { return static_cast<long>(units); }
  // What stands for the count in formulas, with the number of points at the given sizes.
  Amount amount(const program::Count& count) const;
  Amount total(const std::vector<isl::set>& sets) const;  // of their points
  // The formula's leading term for large sizes.
  symbolic::Expr leading(const symbolic::Expr& formula) const;
};

// For formulas in distance_parameter and pair_distance_parameter: the distances in terms of S.
GiNaC::exmap distance_in_words();

// The part of a bound that says how its segments' sets are limited; `loops` are the names the
// terms' loops have, `factor` what chi(X) has besides the solution's, `factor_from` why.
void describe_projections(Bound& bound, const std::vector<Term>& terms, const Intensity& solution,
                          const std::vector<std::string>& loops, const symbolic::Expr& factor,
                          const std::string& factor_from);

// How strong a bound is far out, by its leading term; and at the given sizes, by its value, where
// they are complete. Which of several bounds is called the strongest rests on it, none of them.
double far_strength(const Bound& bound, const Sizes& sizes);
double strength(const Bound& bound, const Sizes& sizes);

// How many elements are read before the program writes them, or of an array where no formula counts
// these, how many are read at all; nothing where no formula counts them either.
std::optional<Amount> inputs(const program::Program& program, const Sizes& sizes);

// How many output elements are stored, of those that a formula counts.
Amount stored(const program::Program& program, const Sizes& sizes);

// Adds the stores of outputs to a bound whose segments are cut by loads (docs/methods/segments.md,
// Lemma 8): `stores` of the program it is for.
void add_stores(Bound& bound, const Amount& stores, const Sizes& sizes);

// Adds those conditions that the ledger does not have.
void add_missing(std::vector<Condition>& ledger, const std::vector<Condition>& more);

// That 0 words are moved at least: of programs in which all depends on data.
Bound nothing_known(const Sizes& sizes);

// Inputs read at least once + outputs written: every schedule moves these. Sound with and without
// recomputation.
Bound compulsory(const program::Program& program, const Sizes& sizes);

// Projection bounds of one statement: with proved conditions only and, where it differs, with the
// images of one array taken as disjoint. Empty where the statement offers unlimited reuse.
// `inputs`: of the program.
std::vector<Bound> projections(const program::Program& program, const program::Statement& statement,
                               const Sizes& sizes, const std::optional<Amount>& inputs);

// Projection bounds of one statement from its exact flow dependences, for schedules that compute
// each value once (as IOLB's): reads are told apart by who computed them, not by their array.
std::vector<Bound> dependence_projections(const Facts& facts, const program::Statement& statement,
                                          const Sizes& sizes);

// The part of dependence_projections that steps along single loops.
std::optional<Bound> value_projection(const Roles& roles, const Sizes& sizes,
                                      const Dropped& dropped);

// Wavefront bounds: values kept alive across the end of a chain, slice by slice.
std::vector<Bound> wavefronts(const Facts& facts, const Sizes& sizes);

// Bounds of statements whose outer steps pass through a reduction and a broadcast of it.
std::vector<Bound> hourglasses(const Facts& facts, const Sizes& sizes);

// Bounds of stencils: what a set of instances borders on before and after it, whatever its shape.
std::vector<Bound> isoperimetry(const Facts& facts, const Sizes& sizes);

// The same for instances with values of their own on the way (dataflow/clusters.hpp).
std::vector<Bound> isoperimetry_of_clusters(const Facts& facts, const Sizes& sizes);

// Bounds of programs whose steps wait for each other: what a step reads of an input is loaded
// again. Sound with and without recomputation.
std::vector<Bound> phases(const Facts& facts, const Sizes& sizes);

// The same for values that steps hand on to the next: each value once.
std::vector<Bound> carried(const Facts& facts, const Sizes& sizes);

// Bounds of sums over all pairs of elements of an array.
std::vector<Bound> sums_over_pairs(const Facts& facts, const Sizes& sizes);

// The bounds of statements that share no vertex, added up; nullopt where fewer than two do.
std::optional<Bound> disjoint_sum(const Facts& facts, const Sizes& sizes);

// Of products one of which reads what another computes, together; nullopt where there are none.
std::optional<Bound> linked_products(const Facts& facts, const Sizes& sizes);

// Of pairs of statements whose chains cross: each reads what both hand on, as plane rotations do
// (docs/methods/crossing_chains.md). Counts loads and stores.
std::vector<Bound> crossing_chains(const Facts& facts, const Sizes& sizes);

}  // namespace redblue::bounds
