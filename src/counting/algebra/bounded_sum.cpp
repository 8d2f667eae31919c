// SPDX-License-Identifier: BSD-3-Clause
// Bounds on sums without closed form: roundings replaced by what they round, and integrals.
#include <cmath>

#include "counting/algebra/guard.hpp"
#include "counting/algebra/sum.hpp"
#include "counting/algebra/terms.hpp"

namespace redblue::counting {

namespace {

// 0.693147 < ln 2 < 0.693148
const Rational& ln2_below() {
  static const Rational value(693147, 1000000);
  return value;
}
const Rational& ln2_above() {
  static const Rational value(693148, 1000000);
  return value;
}

// The summand with `function` replaced by formulas below and above it, summed.
std::optional<Range> replaced(const Expr& summand, const Expr& function, const Expr& below,
                              const Expr& above, const Symbol& i, const Expr& low, const Expr& high,
                              const Facts& facts) {
  const Facts inside = facts.with(i).with(i - low).with(high - 1 - i);
  const Expr slope = summand.coeff(function, 1);
  if (!expanded(summand - slope * function).is_zero() || slope.has(function)) return std::nullopt;
  const bool rises = inside.at_least_zero(slope);
  if (!rises && !inside.at_least_zero(-slope)) return std::nullopt;
  const auto lower = sum(slope * (rises ? below : above), i, low, high, facts);
  const auto upper = sum(slope * (rises ? above : below), i, low, high, facts);
  if (!lower || !upper) return std::nullopt;
  return Range{lower->lower, upper->upper};
}

std::optional<Range> without_rounding(const Expr& summand, const Symbol& i, const Expr& low,
                                      const Expr& high, const Facts& facts) {
  const auto found = innermost(summand, i, is_rounding);
  if (!found) return std::nullopt;
  const Expr& x = found->op(0);
  const Expr gap = rounding_gap(x);
  const bool up = symbolic::is_ceil(*found);
  return replaced(summand, *found, up ? x : Expr(x - gap), up ? Expr(x + gap) : x, i, low, high,
                  facts);
}

// `e` with the roundings of i in it replaced by formulas not below them.
std::optional<Expr> above(const Expr& e, const Symbol& i, const Facts& inside) {
  Expr result = expanded(e);
  while (const auto found = innermost(result, i, is_rounding)) {
    const Expr slope = result.coeff(*found, 1);
    const Expr& x = found->op(0);
    const bool up = symbolic::is_ceil(*found);
    if (!inside.at_least_zero(slope)) return std::nullopt;
    const Expr rest = result - slope * *found;
    if (expanded(rest).has(*found)) return std::nullopt;
    result = expanded(rest + slope * (up ? Expr(x + rounding_gap(x)) : x));
  }
  return result;
}

// max(0, b): between b and anything that is neither below b nor below 0.
std::optional<Range> without_choice(const Expr& summand, const Symbol& i, const Expr& low,
                                    const Expr& high, const Facts& facts) {
  const auto found = innermost(summand, i, is_choice);
  if (!found || !symbolic::is_maximum(*found)) return std::nullopt;
  const Facts inside = facts.with(i).with(i - low).with(high - 1 - i);
  for (const int k : {0, 1}) {
    if (!found->op(k).is_zero()) continue;
    const Expr& b = found->op(1 - k);
    const auto top = above(b, i, inside);
    if (!top || !inside.at_least_zero(*top)) return std::nullopt;
    return replaced(summand, *found, b, *top, i, low, high, facts);
  }
  return std::nullopt;
}

// coefficient * i^k * y^r * log2(y)^l with y = a i + b.
struct Integrand {
  Expr coefficient = 1;
  unsigned k = 0;
  std::optional<Expr> y;
  Rational r = 0;
  unsigned l = 0;
};

bool take(const Expr& factor, const Symbol& i, Integrand& g) {
  const auto same = [&g](const Expr& y) {
    if (g.y && !g.y->is_equal(y)) return false;
    g.y = y;
    return true;
  };
  if (!factor.has(i)) {
    g.coefficient *= factor;
    return true;
  }
  if (factor.is_equal(i)) {
    ++g.k;
    return true;
  }
  if (symbolic::is_log2(factor)) {
    ++g.l;
    return g.l == 1 && same(factor.op(0));
  }
  if (!GiNaC::is_a<GiNaC::power>(factor) || !GiNaC::is_a<Rational>(factor.op(1))) return false;
  const Rational exponent = GiNaC::ex_to<Rational>(factor.op(1));
  if (factor.op(0).is_equal(i) && exponent.is_pos_integer()) {
    g.k += static_cast<unsigned>(exponent.to_int());
    return true;
  }
  g.r = g.r + exponent;
  return same(factor.op(0));
}

std::optional<Integrand> integrand(const Expr& summand, const Symbol& i) {
  Integrand g;
  for (const Expr& factor : factors(summand)) {
    if (!take(factor, i, g)) return std::nullopt;
  }
  if (!g.y || !g.y->is_polynomial(i) || g.y->degree(i) != 1) return std::nullopt;
  return g;
}

// The integral over y of c y^s log2(y)^l: below and above, where ln 2 takes part.
Range integral(const Expr& y, const Rational& s, unsigned l, const Rational& c) {
  const auto by_sign = [&c](const Expr& e, const Rational& low, const Rational& high) {
    const bool positive = !c.is_negative();
    return Range{c * e * (positive ? low : high), c * e * (positive ? high : low)};
  };
  if (l == 0 && s == -1) return by_sign(symbolic::log2(y), ln2_below(), ln2_above());
  const Expr power = GiNaC::pow(y, s + 1) / (s + 1);
  if (l == 0) return {c * power, c * power};
  const Range part = by_sign(-power / (s + 1), 1 / ln2_above(), 1 / ln2_below());
  // by_sign took the factor for positive; it is negative: the two change places.
  return Range{c * power * symbolic::log2(y) + part.upper,
               c * power * symbolic::log2(y) + part.lower};
}

// Bounds on the integral of g from `from` to `to` (in i), without its coefficient.
std::optional<Range> integral_between(const Integrand& g, const Symbol& i, const Expr& from,
                                      const Expr& to) {
  const Expr slope = g.y->coeff(i, 1);
  const Expr shift = g.y->coeff(i, 0);
  if (!GiNaC::is_a<Rational>(slope) || !GiNaC::ex_to<Rational>(slope).is_positive()) {
    return std::nullopt;
  }
  const Symbol& y = symbolic::symbol("_y");
  const Expr polynomial = expanded(GiNaC::pow((y - shift) / slope, g.k) / slope);
  Range total;
  for (unsigned j = 0; j <= g.k; ++j) {
    const Expr c = polynomial.coeff(y, static_cast<int>(j));
    if (c.is_zero()) continue;
    if (!GiNaC::is_a<Rational>(c)) return std::nullopt;
    const Rational s = g.r + Rational(static_cast<long>(j));
    if (g.l == 1 && s == -1) return std::nullopt;
    const Rational& number = GiNaC::ex_to<Rational>(c);
    // The two ends enter with opposite signs.
    const Range last = integral(g.y->subs(i == to), s, g.l, number);
    const Range first = integral(g.y->subs(i == from), s, g.l, number);
    total = total + Range{last.lower - first.upper, last.upper - first.lower};
  }
  return total;
}

std::optional<Range> by_integral(const Expr& summand, const Symbol& i, const Expr& low,
                                 const Expr& high, const Facts& facts) {
  const auto g = integrand(summand, i);
  if (!g) return std::nullopt;
  const Facts inside = facts.with(i).with(i - low).with(high - 1 - i);
  const bool positive = inside.at_least_zero(g->coefficient);
  if (!positive && !inside.at_least_zero(-g->coefficient)) return std::nullopt;
  const Facts outside = facts.without(i);
  const Facts at_low = outside.with(low);
  const Expr y_low = g->y->subs(i == low);
  if (!at_low.at_least_zero(y_low - 1)) return std::nullopt;
  const bool rises = !g->r.is_negative();
  if (!rises && (g->k > 0 || g->l > 0)) return std::nullopt;
  // From the first to the last, each in place of the summand after (before) it.
  const auto whole = integral_between(*g, i, low, high);
  const auto shorter = integral_between(*g, i, low, high - 1);
  if (!whole || !shorter) return std::nullopt;
  Expr value = 1;
  for (const Expr& factor : factors(summand)) {
    if (factor.has(i)) value *= factor;
  }
  const Expr first = value.subs(i == low);
  const Expr some = outside.positive(high - low) ? Expr(1) : indicator(high - low);
  const Range unit = rises ? Range{some * (first + shorter->lower), whole->upper}
                           : Range{whole->lower, some * (first + shorter->upper)};
  const Expr& c = g->coefficient;
  return positive ? Range{c * unit.lower, c * unit.upper} : Range{c * unit.upper, c * unit.lower};
}

}  // namespace

std::optional<Range> bounded_sum(const Expr& summand, const Symbol& i, const Expr& low,
                                 const Expr& high, const Facts& facts) {
  if (const auto range = without_rounding(summand, i, low, high, facts)) return range;
  if (const auto range = without_choice(summand, i, low, high, facts)) return range;
  return by_integral(summand, i, low, high, facts);
}

}  // namespace redblue::counting
