// SPDX-License-Identifier: BSD-3-Clause
#include "counting/algebra/sum.hpp"

#include <set>

#include "counting/algebra/guard.hpp"
#include "counting/algebra/terms.hpp"

namespace redblue::counting {

namespace {

using Kind = FirstFailure::Kind;

constexpr int longest_unrolled = 64;
constexpr int most_residues = 12;
constexpr int deepest = 12;
constexpr int most_proofs = 400;
constexpr int most_parts = 48;  // a formula of more says nothing to anybody

thread_local int depth = 0;
thread_local int parts = 0;  // of the sum asked for
struct Deeper {
  Deeper() { ++depth; }
  ~Deeper() { --depth; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
};

// A symbol for counters inside sums, one for each depth.
const Symbol& inner_counter() {
  return symbolic::symbol("_s" + std::to_string(depth));
}

std::optional<Range> both(const std::optional<Range>& a, const std::optional<Range>& b) {
  if (!a || !b) return std::nullopt;
  return *a + *b;
}

std::optional<Range> unrolled(const Expr& f, const Symbol& i, const Expr& low, const Expr& high,
                              const Facts& facts) {
  if (!GiNaC::is_a<Rational>(low)) return std::nullopt;
  const Expr length = expanded(high - low);
  if (!GiNaC::is_a<Rational>(length)) return std::nullopt;
  const Rational& n = GiNaC::ex_to<Rational>(length);
  if (!n.is_integer() || n > longest_unrolled) return std::nullopt;
  Expr total = 0;
  for (int k = 0; k < n.to_int(); ++k) total += simplified(f.subs(i == low + k), facts);
  return Range{expanded(total), expanded(total)};
}

// Where the choice changes from one side to the other.
struct Crossing {
  Expr first;   // the value of the choice below `at`
  Expr second;  // and from there on
  Expr at;
  // The choice is the same for all i: the first where this is 1, the second where it is 0.
  std::optional<Expr> always_first;
};

std::optional<Crossing> crossing(const Expr& choice, const Symbol& i, const Expr& low,
                                 const Facts& inside) {
  const bool larger = symbolic::is_maximum(choice);
  const Expr& a = choice.op(larger ? 0 : 1);
  const Expr& b =
      choice.op(larger ? 1 : 0);  // max: a where a >= b; min: op(1) where op(1) <= op(0)
  const Expr h = larger ? Expr(a - b) : Expr(b - a);
  const FirstFailure down = first_failure({h, false}, i, inside);
  if (down.kind == Kind::at && down.lasting) return Crossing{a, b, down.d, {}};
  const FirstFailure up = first_failure({-h, false}, i, inside);
  if (up.kind == Kind::at && up.lasting) return Crossing{b, a, up.d, {}};
  const FirstFailure strictly_up = first_failure({-h, true}, i, inside);
  if (down.kind == Kind::never && strictly_up.kind == Kind::never) {  // the sign never changes
    const Expr first = expanded(h.subs(i == low));
    if (!symbolic::is_integer_valued(first)) return std::nullopt;
    return Crossing{a, b, 0, indicator(first + 1)};
  }
  return std::nullopt;
}

std::optional<Range> split(const Expr& f, const Symbol& i, const Expr& low, const Expr& high,
                           const Facts& facts) {
  const auto choice = innermost(f, i, is_choice);
  if (!choice) return std::nullopt;
  const auto cross = crossing(*choice, i, low, facts.without(i).with(i));
  if (!cross) return std::nullopt;
  const Expr order = symbolic::is_maximum(*choice) ? Expr(cross->first - cross->second)
                                                   : Expr(cross->second - cross->first);
  const auto part = [&](const Expr& value, const Expr& from, const Expr& to, const Facts& known) {
    return sum(f.subs(*choice == value), i, from, to, known);
  };
  if (cross->always_first) {
    // What a side takes for granted may be free of i. Where it does not hold, the side's formula is
    // wrong even for an empty range, so that only a factor may rule it out.
    const Expr at_low = order.subs(i == low);
    const Expr chosen = simplified(*cross->always_first, facts.without(i));
    const auto first = chosen.is_zero() ? std::optional<Range>(Range{})
                                        : part(cross->first, low, high, facts.with(at_low));
    const auto second = chosen.is_equal(1) ? std::optional<Range>(Range{})
                                           : part(cross->second, low, high, facts.with(-at_low));
    if (!first || !second) return std::nullopt;
    return Range{first->lower * chosen + second->lower * (1 - chosen),
                 first->upper * chosen + second->upper * (1 - chosen)};
  }
  const Expr middle =
      simplified(symbolic::minimum(high, symbolic::maximum(low, cross->at)), facts.without(i));
  const Facts ordered = facts.with(middle - low).with(high - middle);
  const auto below = part(cross->first, low, middle, ordered.with(order));
  if (!below) return std::nullopt;
  return both(below, part(cross->second, middle, high, ordered.with(-order)));
}

// The least g for which i = g k + r takes the counter k out of the rounded polynomial; 0: none.
Rational period(const Expr& x, const Symbol& i) {
  const Expr plain = expanded(x);
  if (!plain.is_polynomial(i)) return 0;
  Rational g = 1;
  for (int d = 1; d <= plain.degree(i); ++d) {
    for (const auto& [monomial, number] : monomials(plain.coeff(i, d))) {
      if (!symbolic::is_integer_valued(monomial)) return 0;
      g = GiNaC::lcm(g, number.denom());
    }
  }
  return g;
}

void collect_periods(const Expr& e, const Symbol& i, Rational& all) {
  if (is_rounding(e) && e.has(i)) {
    const Rational g = period(e.op(0), i);
    if (!g.is_zero()) all = GiNaC::lcm(all, g);
  }
  for (const Expr& part : e) collect_periods(part, i, all);
}

// i = g k + r for each r: floors of i / g leave.
std::optional<Range> by_residues(const Expr& f, const Symbol& i, const Expr& low, const Expr& high,
                                 const Facts& facts) {
  Rational g = 1;
  collect_periods(f, i, g);
  if (g == 1 || g > most_residues) return std::nullopt;
  const Symbol& k = inner_counter();
  std::optional<Range> total = Range{};
  for (int r = 0; r < g.to_int() && total; ++r) {
    const Expr from = simplified(symbolic::ceil((low - r) / g), facts);
    const Expr to = simplified(symbolic::ceil((high - r) / g), facts);
    const Facts more = facts.with(to - from);
    total = both(total, sum(f.subs(i == g * k + r), k, from, to, more));
  }
  return total;
}

bool is_rounded_logarithm(const Expr& e) {
  return is_rounding(e) && symbolic::is_log2(e.op(0));
}

// Sums of ceil(log2(y)) (floor(log2(y))), y = i + c: the value is constant between powers of 2.
std::optional<Range> by_powers_of_two(const Expr& f, const Symbol& i, const Expr& low,
                                      const Expr& high, const Facts& facts) {
  const auto found = innermost(f, i, is_rounded_logarithm);
  if (!found) return std::nullopt;
  const Expr shift = expanded(found->op(0).op(0) - i);
  if (shift.has(i) || !facts.positive(low + shift)) return std::nullopt;
  const Symbol& t = inner_counter();
  const Expr g = expanded(f.subs(*found == t).subs(i == i - shift));
  const auto over_y = antidifference(g, i);
  if (!over_y) return std::nullopt;
  const bool up = symbolic::is_ceil(*found);
  const auto between = [&](const Expr& first, const Expr& last) {  // both included
    return over_y->subs(i == last + 1) - over_y->subs(i == first);
  };
  const Expr first = up ? GiNaC::pow(2, t - 1) + 1 : GiNaC::pow(2, t);
  const Expr last = up ? GiNaC::pow(2, t) : GiNaC::pow(2, t + 1) - 1;
  const auto blocks = antidifference(between(expanded(first), expanded(last)), t);
  if (!blocks) return std::nullopt;
  const auto up_to = [&](const Expr& y) {  // sum over 1 .. y
    if (y.is_zero()) return Expr(0);
    const Expr end = up ? symbolic::ceil(symbolic::log2(y)) : symbolic::floor(symbolic::log2(y));
    const Expr whole = up ? g.subs(GiNaC::lst{Expr(i) == 1, Expr(t) == 0}) - blocks->subs(t == 1)
                          : -blocks->subs(t == 0);
    const Expr rest = between(first, y).subs(t == end);
    return expanded(whole + blocks->subs(t == end) + rest);
  };
  const Expr before = expanded(low + shift - 1);
  if (!before.is_zero() && !facts.positive(before)) return std::nullopt;
  const Expr total = up_to(expanded(high + shift - 1)) - up_to(before);
  const Expr some = facts.positive(high - low) ? Expr(1) : indicator(high - low);
  const Expr value = some.is_equal(1) ? expanded(total) : some * total;
  return Range{value, value};
}

std::optional<Range> term_by_term(const Expr& f, const Symbol& i, const Expr& low, const Expr& high,
                                  const Facts& facts) {
  std::optional<Range> total = Range{};
  for (const Expr& summand : summands(f)) {
    const auto exact = antidifference(summand, i);
    if (exact) {
      const Expr value = exact->subs(i == high) - exact->subs(i == low);
      total = both(total, Range{value, value});
    } else {
      total = both(total, bounded_sum(summand, i, low, high, facts));
    }
    if (!total) return std::nullopt;
  }
  return Range{expanded(total->lower), expanded(total->upper)};
}

}  // namespace

Range operator+(const Range& a, const Range& b) {
  return {a.lower + b.lower, a.upper + b.upper};
}

std::optional<Expr> innermost(const Expr& e, const Symbol& i, bool (*wanted)(const Expr&)) {
  std::optional<Expr> first;
  for (const Expr& part : e) {
    const auto found = innermost(part, i, wanted);
    if (found && (!first || comes_before(*found, *first))) first = found;
  }
  if (first) return first;
  if (GiNaC::is_a<GiNaC::function>(e) && wanted(e) && e.has(i)) return e;
  return std::nullopt;
}

Expr rounding_gap(const Expr& x) {
  Expr denominator = 1;
  for (const Expr& summand : summands(expanded(x))) {
    Expr below = 1;
    for (const Expr& factor : factors(summand)) {
      if (GiNaC::is_a<Rational>(factor)) {
        below *= GiNaC::ex_to<Rational>(factor).denom();
      } else if (GiNaC::is_a<GiNaC::power>(factor) && !symbolic::is_integer_valued(factor)) {
        below *= 1 / factor;
      }
    }
    if (!symbolic::is_integer_valued(below) || !symbolic::is_integer_valued(summand * below)) {
      return 1;
    }
    if (below.is_equal(denominator) || below.is_equal(1)) continue;
    denominator *= below;
  }
  return 1 - 1 / denominator;
}

std::optional<Range> sum(const Expr& f, const Symbol& i, const Expr& low, const Expr& high,
                         const Facts& facts) {
  const Effort effort(most_proofs);
  if (depth == 0) parts = 0;
  if (depth > deepest || ++parts > most_parts) return std::nullopt;
  const Deeper deeper;
  Expr g = expanded(f);
  if (high.is_equal(low) || g.is_zero()) return Range{};
  if (!g.has(i)) {
    const Expr value = expanded(g * (high - low));
    return Range{value, value};
  }
  const Facts inside = facts.with(i).with(i - low).with(high - 1 - i);
  if (innermost(g, i, is_choice)) g = expanded(simplified(g, inside));
  if (const auto exact = antidifference(g, i)) {
    const Expr value = expanded(exact->subs(i == high) - exact->subs(i == low));
    return Range{value, value};
  }
  const Facts outside = facts.without(i);
  if (const auto result = unrolled(g, i, low, high, outside)) return result;
  if (const auto result = split(g, i, low, high, facts)) return result;
  if (const auto result = by_powers_of_two(g, i, low, high, outside)) return result;
  if (const auto result = by_residues(g, i, low, high, outside)) return result;
  return term_by_term(g, i, low, high, facts);
}

}  // namespace redblue::counting
