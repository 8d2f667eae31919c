// SPDX-License-Identifier: BSD-3-Clause
#include "counting/algebra/guard.hpp"

#include <map>

#include "counting/algebra/terms.hpp"

namespace redblue::counting {

namespace {

using Kind = FirstFailure::Kind;

constexpr int longest_search = 10000;

// log to the base b > 1 of x.
Expr logarithm(const Expr& x, const Expr& b) {
  return expanded(symbolic::log2(x) / symbolic::log2(b));
}

// a / b, term by term where b is one term.
Expr quotient(const Expr& a, const Expr& b) {
  const Expr divisor = expanded(b);
  return expanded(GiNaC::is_a<GiNaC::add>(divisor) ? (a / divisor).normal() : Expr(a / divisor));
}

FirstFailure at(const Expr& d, bool lasting) {
  return {Kind::at, d, lasting};
}

// First d with a d >= g (`strict`: the guard was g - a d > 0) or a d > g, for a > 0.
Expr first_reached(const Expr& bound, bool strict, const Facts& facts) {
  return clamped(strict ? symbolic::ceil(bound) : symbolic::floor(bound) + 1, facts);
}

FirstFailure linear(const Guard& guard, const Expr& slope, const Expr& start, const Facts& facts) {
  if (facts.positive_if_assumed(-slope)) {
    return at(first_reached(quotient(start, -slope), guard.strict, facts), true);
  }
  if (facts.at_least_zero(slope)) return {Kind::never, 0, false};
  return {};
}

// GiNaC takes symbols for positive: the root of a product falls apart, sqrt(n^2) = n, which holds
// only where none is negative. Roots of sums stay.
bool has_safe_root(const Expr& e, const Facts& facts) {
  if (GiNaC::is_a<GiNaC::add>(e)) return true;
  if (GiNaC::is_a<Symbol>(e)) return facts.at_least_zero(e);
  for (const Expr& part : e) {
    if (!GiNaC::is_a<Rational>(part) && !has_safe_root(part, facts)) return false;
  }
  return true;
}

FirstFailure quadratic(const Guard& guard, const Expr& a, const Expr& b, const Expr& c,
                       const Facts& facts) {
  if (facts.positive(a) && facts.at_least_zero(a + b)) return {Kind::never, 0, false};
  if (!facts.positive(-a)) return {};
  // Once positive, it is so up to the larger root.
  const Expr discriminant = expanded(b * b - 4 * a * c);
  if (!has_safe_root(discriminant, facts)) return {};
  const Expr root = expanded((b + GiNaC::sqrt(discriminant)) / (-2 * a));
  const Expr end = guard.strict ? symbolic::ceil(root) : symbolic::floor(root) + 1;
  const bool holds = guard.strict ? facts.positive(c) : facts.at_least_zero(c);
  const bool falls = facts.at_least_zero(-(a + b));
  if (holds) return at(end, true);
  if (!symbolic::is_integer_valued(expanded(c))) return {};
  return at(indicator(guard.strict ? c : c + 1) * end, falls);
}

// g + c b^d, b a positive number.
FirstFailure exponential(const Guard& guard, const Expr& g, const Expr& c, const Rational& b,
                         const Facts& facts) {
  if (g.is_zero()) return {Kind::never, 0, false};  // the sign stays
  if (b > 1 && facts.positive_if_assumed(-c)) {
    return at(first_reached(logarithm(g / -c, b), guard.strict, facts), true);
  }
  if (b > 1 && facts.at_least_zero(c)) return {Kind::never, 0, false};
  if (b < 1 && facts.positive_if_assumed(-g)) {
    return at(first_reached(logarithm(c / -g, 1 / b), guard.strict, facts), true);
  }
  if (b < 1 && facts.at_least_zero(-c)) return {Kind::never, 0, false};
  if (b < 1 && facts.at_least_zero(g) && facts.positive(c)) return {Kind::never, 0, false};
  return {};
}

FirstFailure searched(const Guard& guard, const Symbol& d) {
  for (int k = 0; k <= longest_search; ++k) {
    const Expr value = guard.h.subs(d == k);
    if (!GiNaC::is_a<Rational>(value) || !GiNaC::ex_to<Rational>(value).is_real()) return {};
    const Rational& number = GiNaC::ex_to<Rational>(value);
    if (guard.strict ? !number.is_positive() : number.is_negative()) return at(k, false);
  }
  return {};
}

// Only the symbol d and numbers.
bool is_numeric_in(const Expr& h, const Symbol& d) {
  return GiNaC::is_a<Rational>(h.subs(d == 1));
}

FirstFailure closed(const Guard& guard, const Symbol& d, const Facts& facts) {
  const auto parts = terms(guard.h, d);
  if (!parts) return {};
  Expr c[3] = {0, 0, 0};
  std::optional<Term> geometric;
  for (const Term& term : *parts) {
    if (term.base.is_equal(1) && term.degree <= 2) {
      c[term.degree] += term.coefficient;
    } else if (!geometric && term.degree == 0 && GiNaC::is_a<Rational>(term.base) &&
               GiNaC::ex_to<Rational>(term.base).is_positive()) {
      geometric = term;
    } else {
      return {};
    }
  }
  if (geometric) {
    if (!c[1].is_zero() || !c[2].is_zero()) return {};
    return exponential(guard, c[0], geometric->coefficient, GiNaC::ex_to<Rational>(geometric->base),
                       facts);
  }
  if (!c[2].is_zero()) return quadratic(guard, c[2], c[1], c[0], facts);
  return linear(guard, c[1], c[0], facts);
}

// A function of d in a sum, with the number before it (1 or -1); none: nothing to take apart.
struct Outer {
  Expr function;
  int sign = 0;
  Expr rest;
};

Outer outer_function(const Expr& h, const Symbol& d) {
  Outer first;
  for (const Expr& summand : summands(h)) {
    for (const int sign : {1, -1}) {
      const Expr f = sign * summand;
      if (!(is_rounding(f) || is_choice(f)) || !f.has(d)) continue;
      if (first.sign == 0 || comes_before(f, first.function)) {
        first = {f, sign, expanded(h - summand)};
      }
    }
  }
  return first;
}

// floor and ceil leave a comparison of integers.
Guard without_rounding(const Outer& o, bool strict) {
  const Expr& x = o.function.op(0);
  const Expr& r = o.rest;
  if (symbolic::is_floor(o.function)) {
    if (o.sign > 0) return {x + r - (strict ? 1 : 0), false};
    return {r - x + (strict ? 0 : 1), true};
  }
  if (o.sign > 0) return {x + r + (strict ? 0 : 1), true};
  return {r - x - (strict ? 1 : 0), false};
}

FirstFailure both(const FirstFailure& a, const FirstFailure& b) {
  if (a.kind == Kind::at && b.kind == Kind::at) {
    return at(symbolic::minimum(a.d, b.d), a.lasting && b.lasting);
  }
  return {};
}

FirstFailure either(const FirstFailure& a, const FirstFailure& b) {
  if (a.kind == Kind::at && b.kind == Kind::at && a.lasting && b.lasting) {
    return at(symbolic::maximum(a.d, b.d), true);
  }
  return {};
}

// floor((a - 1) / q) = ceil(a / q) - 1 for integers a and q >= 1.
std::optional<Expr> as_ceil(const Expr& rounded, const Facts& facts) {
  if (!symbolic::is_floor(rounded)) return std::nullopt;
  const Expr x = expanded(rounded.op(0));
  for (const Expr& summand : summands(x)) {
    const Expr inverse = -summand;
    if (!GiNaC::is_a<GiNaC::power>(inverse) || !inverse.op(1).is_equal(-1)) continue;
    const Expr& q = inverse.op(0);
    const Expr rest = expanded(x + inverse);
    if (symbolic::is_integer_valued(q) && symbolic::is_integer_valued(expanded(rest * q)) &&
        facts.at_least_zero(q)) {
      return symbolic::ceil(rest) - 1;
    }
  }
  return std::nullopt;
}

struct Decide : GiNaC::map_function {
  explicit Decide(const Facts& known) : facts(known) {}
  // Products of conditions have the same parts many times.
  Expr operator()(const Expr& e) override {
    if (e.nops() == 0) return e;
    if (const auto known = decided.find(e); known != decided.end()) return known->second;
    return decided.emplace(e, of_parts(e.map(*this))).first->second;
  }
  Expr of_parts(const Expr& mapped) const {
    if (const auto up = as_ceil(mapped, facts)) return *up;
    const bool larger = symbolic::is_maximum(mapped);
    if (!larger && !symbolic::is_minimum(mapped)) return mapped;
    const Expr difference = mapped.op(0) - mapped.op(1);
    if (facts.at_least_zero(difference)) return mapped.op(larger ? 0 : 1);
    if (facts.at_least_zero(-difference)) return mapped.op(larger ? 1 : 0);
    return mapped;
  }
  const Facts& facts;
  std::map<Expr, Expr, GiNaC::ex_is_less> decided;
};

}  // namespace

Expr indicator(const Expr& e) {
  return symbolic::minimum(1, symbolic::maximum(0, e));
}

Expr simplified(const Expr& e, const Facts& facts) {
  Decide decide(facts);
  return decide(e);
}

Expr without_empty_factors(const Expr& e, const Facts& facts) {
  struct Visitor : GiNaC::map_function {
    explicit Visitor(const Facts& known) : facts(known) {}
    Expr operator()(const Expr& part) override {
      if (!GiNaC::is_a<GiNaC::mul>(part)) return part.nops() > 0 ? part.map(*this) : part;
      Expr result = part;
      for (const Expr& factor : factors(part)) {
        if (!symbolic::is_minimum(factor)) continue;
        const int one = factor.op(0).is_equal(1) ? 0 : 1;
        const Expr x = factor.op(1 - one);
        const Expr rest = result / factor;
        if (factor.op(one).is_equal(1) && symbolic::is_integer_valued(x) && vanishes(rest, x) &&
            facts.at_least_zero_if_assumed(x))
          result = rest;
      }
      return result;
    }
    static bool vanishes(const Expr& f, const Expr& x) {
      try {
        return f.subs(x == 0).expand().is_zero();
      } catch (const GiNaC::pole_error&) {
        return false;
      }
    }
    const Facts& facts;
  };
  return Visitor(facts)(e);
}

Expr clamped(const Expr& e, const Facts& facts) {
  return facts.at_least_zero(e) ? e : symbolic::maximum(0, e);
}

FirstFailure first_failure(const Guard& guard, const Symbol& d, const Facts& facts) {
  const Guard plain{expanded(guard.h), guard.strict};
  if (!plain.h.has(d)) return {Kind::never, 0, false};
  if (is_numeric_in(plain.h, d)) {
    const FirstFailure found = searched(plain, d);
    if (found.kind == Kind::at && terms(plain.h, d) && terms(plain.h, d)->size() > 2) return found;
  }
  const FirstFailure direct = closed(plain, d, facts);
  if (direct.kind != Kind::unknown) return direct;
  const Outer o = outer_function(plain.h, d);
  if (o.sign == 0) return {};
  if (is_rounding(o.function)) {
    if (!symbolic::is_integer_valued(o.rest)) return {};
    return first_failure(without_rounding(o, guard.strict), d, facts);
  }
  const auto part = [&](int k) {
    return first_failure({o.rest + o.sign * o.function.op(k), guard.strict}, d, facts);
  };
  const bool conjunction = symbolic::is_minimum(o.function) == (o.sign > 0);
  return conjunction ? both(part(0), part(1)) : either(part(0), part(1));
}

}  // namespace redblue::counting
