// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/busiest/least_footprint.hpp"

#include <algorithm>

#include "bounds/busiest/even_shares.hpp"
#include "program/count.hpp"
#include "program/touched.hpp"

namespace redblue::bounds {

using symbolic::Expr;
using symbolic::Rational;

namespace {

// With these projections, by number, as small as their fibres allow.
LeastFootprint with_small(const std::vector<bool>& small, const std::vector<Term>& terms,
                          const std::vector<Rational>& exponents, const std::vector<Expr>& fibres,
                          const Expr& share, const Expr& factor) {
  Rational of_small = 0, of_others = 0;
  for (std::size_t j = 0; j < terms.size(); ++j) (small[j] ? of_small : of_others) += exponents[j];
  LeastFootprint result{0, {}};
  Expr others = 0;
  if (of_others > 0) {
    others = Expr(of_others) * GiNaC::pow(share, (1 - of_small) / of_others) *
             GiNaC::pow(factor, -1 / of_others);
    for (std::size_t j = 0; j < terms.size(); ++j) {
      const Expr base = small[j] ? fibres[j] : Expr(terms[j].coefficient / exponents[j]);
      others *= GiNaC::pow(base, exponents[j] / of_others);
    }
  }
  for (std::size_t j = 0; j < terms.size(); ++j) {
    if (!small[j]) continue;
    const Expr points = Expr(terms[j].coefficient) * share / fibres[j];
    result.words += points;
    if (!exponents[j].is_zero() && of_others > 0)
      result.conditions.push_back({points, others * Expr(exponents[j] / of_others)});
  }
  result.words += others;
  return result;
}

// Of each projection the most instances that share one point of it, at most.
std::vector<Expr> fibres_of(const program::Statement& statement, const std::vector<Term>& terms,
                            const Sizes& sizes) {
  std::vector<Expr> lengths;
  for (int loop = 0; loop < static_cast<int>(statement.iterators.size()); ++loop)
    lengths.push_back(
        sizes.amount(program::count(program::values_along(statement.domain, loop))).formula);
  std::vector<Expr> result;
  for (const Term& term : terms) {
    Expr fibre = 1;
    for (std::size_t loop = 0; loop < lengths.size(); ++loop) {
      if (std::count(term.loops.begin(), term.loops.end(), static_cast<int>(loop)) == 0)
        fibre *= lengths[loop];
    }
    result.push_back(fibre);
  }
  return result;
}

}  // namespace

std::vector<LeastFootprint> least_of_share(const program::Statement& statement,
                                           const std::vector<Term>& terms,
                                           const std::vector<Rational>& exponents,
                                           const Amount& instances, const Sizes& sizes,
                                           const Expr& factor) {
  constexpr std::size_t most_terms = 6;
  std::vector<std::size_t> counted;  // by the exponents
  for (std::size_t j = 0; j < terms.size(); ++j) {
    if (!exponents[j].is_zero()) counted.push_back(j);
  }
  if (counted.size() > most_terms) return {};
  const Expr share = instances.formula / symbolic::symbol("p");
  std::vector<Expr> fibres;
  try {
    fibres = fibres_of(statement, terms, sizes);
  } catch (const program::Uncountable&) {
    return {};
  }
  const std::size_t choices = std::size_t{1} << counted.size();
  std::vector<LeastFootprint> result;
  for (std::size_t choice = 0; choice < choices; ++choice) {
    std::vector<bool> small(terms.size(), true);
    for (std::size_t n = 0; n < counted.size(); ++n) small[counted[n]] = (choice >> n & 1) != 0;
    result.push_back(with_small(small, terms, exponents, fibres, share, factor));
  }
  return result;
}

LeastFootprint received_by_share(const Amount& instances, const Expr& constant,
                                 const Rational& alpha, const std::vector<LeastFootprint>& more,
                                 const Expr& at_home, const Sizes& sizes, const Expr& factor) {
  const Expr p = symbolic::symbol("p");
  const auto holds = [&sizes](const AtLeast& c) {
    return busiest_far_out(c.left, sizes) >= busiest_far_out(c.right, sizes);
  };
  const Expr inverse = Rational(1) / alpha;
  Expr words = GiNaC::pow(instances.formula / (p * constant), inverse);
  if (factor != 1)  // whose roots GiNaC would put among the constant's
    words =
        GiNaC::pow(1 / constant, inverse) * GiNaC::pow(instances.formula / (p * factor), inverse);
  LeastFootprint best{words - at_home / p, {}};
  double most = busiest_far_out(best.words, sizes) * (1 + 1e-6);
  for (const LeastFootprint& next : more) {
    const Expr received = next.words - at_home / p;
    const double here = busiest_far_out(received, sizes);
    if (here <= most || !std::all_of(next.conditions.begin(), next.conditions.end(), holds))
      continue;
    most = here;
    best = {received, next.conditions};
  }
  return best;
}

double least_at(const std::vector<LeastFootprint>& all, const Sizes& sizes) {
  symbolic::Valuation values = sizes.values;
  values["p"] = Rational(static_cast<long>(sizes.units));
  const auto at = [&](const Expr& formula) {
    double value = 0;
    symbolic::evaluate(sizes.counts->at(formula, sizes.values), values, value);
    return value;
  };
  double most = 0;
  for (const LeastFootprint& one : all) {
    if (std::all_of(one.conditions.begin(), one.conditions.end(),
                    [&at](const AtLeast& c) { return at(c.left) >= at(c.right); }))
      most = std::max(most, at(one.words));
  }
  return most;
}

}  // namespace redblue::bounds
