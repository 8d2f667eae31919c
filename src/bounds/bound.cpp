// SPDX-License-Identifier: BSD-3-Clause
// What all methods share: sizes, leading terms, how strong a bound is, how it describes its
// segments.
#include "bounds/bound.hpp"

#include <algorithm>

#include "bounds/footprint/footprint_program.hpp"
#include "program/count.hpp"
#include "symbolic/formula.hpp"

namespace redblue::bounds {

double Sizes::memory() const {
  double words = 0;
  symbolic::evaluate(symbolic::fast_memory(), values, words);
  return words;
}

Sizes Sizes::without_values() const {
  Sizes result = *this;
  result.values.clear();
  result.complete = false;
  return result;
}

Amount Sizes::amount(const program::Count& count) const {
  return {counts->symbol_of(count), complete ? count.number(values) : 0};
}

Amount Sizes::total(const std::vector<isl::set>& sets) const {
  Amount sum;
  for (const isl::set& set : sets) sum += amount(program::count(set));
  return sum;
}

symbolic::Expr Sizes::leading(const symbolic::Expr& formula) const {
  try {
    return symbolic::leading_term(counts->at(formula, wanted.large).subs(distance_in_words()));
  } catch (const GiNaC::pole_error&) {
    return 0;  // what is divided by does not occur at large sizes, and so says nothing there
  }
}

void add_missing(std::vector<Condition>& ledger, const std::vector<Condition>& more) {
  for (const Condition& c : more) {
    const auto same = [&c](const Condition& known) { return known.condition == c.condition; };
    if (std::none_of(ledger.begin(), ledger.end(), same)) ledger.push_back(c);
  }
}

GiNaC::exmap distance_in_words() {
  const symbolic::Expr s = symbolic::fast_memory();
  return {{symbolic::symbol(distance_parameter), symbolic::floor(2 * GiNaC::sqrt(2 * s)) + 2},
          {symbolic::symbol(pair_distance_parameter), s}};
}

double far_strength(const Bound& bound, const Sizes& sizes) {
  double value = 0;
  symbolic::evaluate(bound.leading, sizes.far, value);
  return value;
}

double strength(const Bound& bound, const Sizes& sizes) {
  return sizes.complete ? bound.value.value_or(0) : far_strength(bound, sizes);
}

void add_stores(Bound& bound, const Amount& stores, const Sizes& sizes) {
  const bool no_reuse = bound.method == "projection" && bound.segment.is_zero();
  if (stores.formula.is_zero() || no_reuse) return;  // compulsory traffic says as much
  bound.expression += stores.formula;
  bound.leading = sizes.leading(bound.leading + stores.formula);
  if (bound.value) {
    *bound.value += stores.value;
    bound.stores_value = stores.value;
  }
  bound.counted.emplace_back("outputs, each stored once besides", stores.formula);
  bound.ledger.push_back(
      {"segments are cut by loads: every output is stored once besides", proved});
}

void describe_projections(Bound& bound, const std::vector<Term>& terms, const Intensity& solution,
                          const std::vector<std::string>& loops, const symbolic::Expr& factor,
                          const std::string& factor_from) {
  for (std::size_t j = 0; j < terms.size(); ++j) {
    LowerBound::Projection projection{terms[j].of,
                                      {},
                                      symbolic::formula(terms[j].coefficient),
                                      symbolic::formula(solution.exponents[j])};
    for (const int t : terms[j].loops) {
      projection.loops.push_back(loops[static_cast<std::size_t>(t)]);
    }
    bound.projections.push_back(projection);
  }
  if (factor != 1) {
    bound.factor = factor;
    bound.factor_from = factor_from;
  }
  bound.largest = factor * solution.constant *
                  GiNaC::pow(symbolic::symbol("X"), symbolic::Expr(solution.alpha));
}

}  // namespace redblue::bounds
