// SPDX-License-Identifier: BSD-3-Clause
#include "counting/parallel.hpp"

#include <algorithm>
#include <map>

#include "counting/algebra/guard.hpp"
#include "counting/algebra/terms.hpp"

namespace redblue::counting {

namespace {

using Kind = Limit::Kind;

// floor(a (rank + 1) / p) - floor(a rank / p): at most ceil(a / p), which some rank has.
Expr blocks_replaced(const Expr& e, const Symbol& rank, const Symbol& p) {
  const Expr expanded = e.expand();
  for (const Expr& summand : summands(expanded)) {
    if (!symbolic::is_floor(summand) || !summand.has(rank)) continue;
    const Expr x = summand.op(0).expand();
    const Expr slope = x.coeff(rank, 1);
    if (!x.is_polynomial(rank) || x.degree(rank) != 1 || slope.has(rank)) continue;
    if (!(x - slope * (rank + 1)).expand().is_zero()) continue;
    if (!symbolic::is_integer_valued((slope * p).expand())) continue;
    const Expr before = symbolic::floor((slope * rank).expand());
    const Expr rest = (expanded - summand + before).expand();
    if (!rest.has(rank)) return (rest + symbolic::ceil(slope)).expand();
  }
  return e;
}

std::optional<Expr> largest(const Expr& e, const Symbol& rank, const Symbol& p,
                            const Facts& facts) {
  if (!e.has(rank)) return e;
  const Facts inside = facts.with(Expr(p) - 2 - rank);
  const Expr step = e.subs(rank == rank + 1) - e;
  if (inside.at_least_zero(step)) return e.subs(rank == p - 1).expand();
  if (inside.at_least_zero(-step)) return e.subs(rank == 0).expand();
  Expr blocks = blocks_replaced(e, rank, p);
  if (!blocks.has(rank)) return blocks;
  if (symbolic::is_maximum(e)) {
    const auto a = largest(e.op(0), rank, p, facts);
    const auto b = largest(e.op(1), rank, p, facts);
    if (a && b) return symbolic::maximum(*a, *b);
  }
  return std::nullopt;
}

// A value that a count does not exceed on any rank. `parts`: how many parts of it change with the
// rank; with one it is the largest.
struct Bound {
  Expr value = 0;
  int parts = 0;
};

// As largest, part by part: blocks floor(a (rank + 1) / p) - floor(a rank / p), then each summand.
std::optional<Bound> largest_of_summands(const Expr& e, const Symbol& rank, const Symbol& p,
                                         const Facts& facts) {
  if (const auto all = largest(e, rank, p, facts)) return Bound{*all, 1};
  Bound bound;
  Expr rest = e.expand();
  for (const Expr& summand : summands(rest)) {
    if (!symbolic::is_floor(summand) || !summand.has(rank)) continue;
    const Expr x = summand.op(0).expand();
    if (!x.is_polynomial(rank) || x.degree(rank) != 1) continue;
    const Expr pair = summand - symbolic::floor((x.coeff(rank, 1) * rank).expand());
    const Expr block = blocks_replaced(pair, rank, p);
    const Expr without = (rest - pair).expand();
    if (block.has(rank) || summands(without).size() >= summands(rest).size()) continue;
    bound.value += block;
    ++bound.parts;
    rest = without;
  }
  for (const Expr& summand : summands(rest)) {
    const auto most = largest(summand, rank, p, facts);
    if (!most) return std::nullopt;
    bound.value += *most;
    bound.parts += summand.has(rank) ? 1 : 0;
  }
  return bound;
}

bool is_negative(const Expr& factor) {
  return GiNaC::is_a<Rational>(factor) ? factor < 0 : factor.integer_content() < 0;
}

// The same for a sum of c g(rank): those with one factor c together.
std::optional<Bound> largest_of_parts(const Expr& e, const Symbol& rank, const Symbol& p,
                                      const Facts& facts) {
  Bound bound;
  std::map<Expr, Expr, GiNaC::ex_is_less> parts;  // c -> the sum of g
  for (const Expr& summand : summands(expanded(e))) {
    if (!summand.has(rank)) {
      bound.value += summand;
      continue;
    }
    Expr c = 1, g = 1;
    for (const Expr& factor : factors(summand)) (factor.has(rank) ? g : c) *= factor;
    const int sign = is_negative(c) ? -1 : 1;
    parts[sign * c] += sign * g;
  }
  for (const auto& [c, g] : parts) {
    if (!facts.at_least_zero_if_assumed(c)) return std::nullopt;
    const auto most = largest_of_summands(g, rank, p, facts);
    if (!most) return std::nullopt;
    bound.value += c * most->value;
    bound.parts += most->parts;
  }
  return bound;
}

Limit finite(const Expr& e) {
  return {Kind::finite, e};
}

Limit limit_of_sum(const Expr& e, const Symbol& p, const Facts& facts) {
  Expr total = 0;
  Expr growth = 0;  // powers of p together: p u1 - u1 + p grows as p (u1 + 1) does
  int sign = 0;
  for (const Expr& summand : e) {
    if (summand.has(p) && summand.is_polynomial(p)) growth += summand;
  }
  growth = growth.expand();
  if (!growth.is_zero()) {
    const Expr lead = growth.lcoeff(p);
    if (facts.positive_if_assumed(lead)) {
      sign = 1;
    } else if (facts.positive_if_assumed(-lead)) {
      sign = -1;
    } else {
      return {};
    }
  }
  for (const Expr& summand : e) {
    if (summand.has(p) && summand.is_polynomial(p)) continue;
    const Limit part = limit(summand, p, facts);
    if (part.kind == Kind::unknown) return {};
    if (part.kind == Kind::finite) {
      total += part.value;
      continue;
    }
    const int here = part.value.is_equal(1) ? 1 : -1;
    if (sign != 0 && sign != here) return {};
    sign = here;
  }
  if (sign != 0) return {Kind::infinite, sign};
  return finite(total);
}

Limit limit_of_product(const Expr& e, const Symbol& p, const Facts& facts) {
  Expr total = 1;
  int sign = 0;
  for (const Expr& factor : e) {
    const Limit part = limit(factor, p, facts);
    if (part.kind == Kind::unknown) return {};
    if (part.kind == Kind::finite) {
      total *= part.value;
    } else {
      sign = (sign == 0 ? 1 : sign) * (part.value.is_equal(1) ? 1 : -1);
    }
  }
  if (sign == 0) return finite(total);
  if (facts.positive_if_assumed(total)) return {Kind::infinite, sign};
  if (facts.positive_if_assumed(-total)) return {Kind::infinite, -sign};
  return {};
}

Limit limit_of_rounding(const Expr& e, const Symbol& p, const Facts& facts) {
  const Limit inner = limit(e.op(0), p, facts);
  if (inner.kind != Kind::finite) return inner;
  if (!inner.value.is_zero() || !facts.at_least_zero(e.op(0))) return {};
  if (symbolic::is_floor(e)) return finite(0);
  return facts.positive_if_assumed((e.op(0) * p).expand()) ? finite(1) : Limit{};
}

Limit limit_of_choice(const Expr& e, const Symbol& p, const Facts& facts) {
  const Limit a = limit(e.op(0), p, facts);
  const Limit b = limit(e.op(1), p, facts);
  if (a.kind == Kind::unknown || b.kind == Kind::unknown) return {};
  const bool larger = symbolic::is_maximum(e);
  if (a.kind == Kind::finite && b.kind == Kind::finite) {
    return finite(larger ? symbolic::maximum(a.value, b.value)
                         : symbolic::minimum(a.value, b.value));
  }
  const Limit& unbounded = a.kind == Kind::infinite ? a : b;
  const Limit& other = a.kind == Kind::infinite ? b : a;
  return unbounded.value.is_equal(larger ? 1 : -1) ? unbounded : other;
}

// Roundings of what tends to 0 from above have one value from some p on: ceil(log2(1 + floor(n/p)))
// is 0 there.
struct Settled : GiNaC::map_function {
  Settled(const Symbol& processes, const Facts& known) : p(processes), facts(known) {}
  Expr operator()(const Expr& e) override {
    if (!e.has(p)) return e;
    if (symbolic::is_log2(e)) {
      const Expr inner = (*this)(e.op(0));
      return inner.is_zero() ? e : symbolic::log2(inner);  // log2(0) is no number
    }
    if (is_rounding(e)) {
      const Limit inner = limit(e.op(0), p, facts);
      const bool vanishes = inner.kind == Kind::finite && inner.value.is_zero();
      if (vanishes && symbolic::is_floor(e) && facts.at_least_zero(e.op(0))) return 0;
    }
    return e.nops() > 0 ? e.map(*this) : e;
  }
  Symbol p;
  const Facts& facts;
};

struct SplitParts : GiNaC::map_function {
  SplitParts(const Symbol& processes, std::vector<Expr>& shares) : p(processes), divided(shares) {}
  // Parts x / p, floor(x / p) and ceil(x / p) become 0 or 1; their x are kept.
  Expr operator()(const Expr& e) override {
    const bool rounds = is_rounding(e);
    const Expr x = rounds ? e.op(0) : e;
    const Expr whole = (x * p).expand();
    if (rounds && e.has(p) && !whole.has(p)) {
      divided.push_back(whole);
      return symbolic::is_ceil(e) ? 1 : 0;
    }
    return e.nops() > 0 ? e.map(*this) : e;
  }
  Symbol p;
  std::vector<Expr>& divided;
};

// x of a summand c x / p: its symbols without roundings and logarithms.
Expr share(const Expr& summand, const Symbol& p) {
  Expr x = 1;
  for (const Expr& factor : factors((summand * p).expand())) {
    if (GiNaC::is_a<Symbol>(factor) || (GiNaC::is_a<GiNaC::power>(factor))) x *= factor;
  }
  return x;
}

}  // namespace

Range over_ranks(const Range& count, const Symbol& rank, const Symbol& p, const Facts& facts) {
  if (!count.upper.has(rank) && !count.lower.has(rank)) return count;
  const auto upper = largest(count.upper, rank, p, facts);
  const std::optional<Bound> bound =
      upper ? Bound{*upper, 1} : largest_of_parts(count.upper, rank, p, facts);
  if (!bound) return count;
  const Expr most = simplified(expanded(bound->value), facts);
  if (count.exact() && bound->parts <= 1) return {most, most};
  const auto lower = largest(count.lower, rank, p, facts);
  return {lower.value_or(expanded(count.lower.subs(rank == 0))), most};
}

Limit limit(const Expr& e, const Symbol& p, const Facts& facts) {
  if (!e.has(p)) return finite(e);
  const Expr settled = simplified(Settled(p, facts)(e), facts);
  if (!settled.is_equal(e)) return limit(settled, p, facts);
  if (e.is_equal(p)) return {Kind::infinite, 1};
  if (GiNaC::is_a<GiNaC::add>(e)) return limit_of_sum(e, p, facts);
  if (GiNaC::is_a<GiNaC::mul>(e)) return limit_of_product(e, p, facts);
  if (GiNaC::is_a<GiNaC::power>(e) && GiNaC::is_a<Rational>(e.op(1))) {
    const Limit base = limit(e.op(0), p, facts);
    const Rational exponent = GiNaC::ex_to<Rational>(e.op(1));
    if (base.kind == Kind::infinite && base.value.is_equal(1)) {
      return exponent.is_negative() ? finite(0) : base;
    }
    if (base.kind == Kind::finite && (!base.value.is_zero() || exponent.is_positive())) {
      return finite(GiNaC::pow(base.value, exponent));
    }
    return {};
  }
  if (symbolic::is_log2(e)) {
    const Limit inner = limit(e.op(0), p, facts);
    if (inner.kind == Kind::finite && inner.value.is_zero()) return {Kind::infinite, -1};
    return inner.kind == Kind::infinite ? inner : Limit{};
  }
  if (is_rounding(e)) return limit_of_rounding(e, p, facts);
  if (is_choice(e)) return limit_of_choice(e, p, facts);
  return {};
}

std::optional<Expr> useful_processes(const Expr& count, const Symbol& p, const Facts& facts) {
  std::vector<Expr> divided;  // all x with x / p or its rounding in the count
  SplitParts split(p, divided);
  const Expr rest = split(count.expand()).expand();
  Expr growth = 0;
  Expr falling = 0;  // about what falls: falling / p
  for (const Expr& summand : summands(rest)) {
    if (!summand.has(p)) continue;
    const Expr times_p = (summand * p).expand();
    if (times_p.has(p)) {
      growth += summand;
    } else {
      divided.push_back(share(summand, p));
      falling += times_p;
    }
  }
  if (divided.empty()) return Expr(1);
  std::sort(divided.begin(), divided.end(), comes_before);
  divided.erase(std::unique(divided.begin(), divided.end(),
                            [](const Expr& a, const Expr& b) { return a.is_equal(b); }),
                divided.end());
  Expr most = divided.front();
  for (const Expr& x : divided) most = symbolic::maximum(most, x);
  most = simplified(most, facts);
  // Up to there also beside log2(p), which mostly stays from p to p + 1.
  if (!growth.is_polynomial(p) || growth.is_zero()) return most;
  const Expr k = growth.coeff(p, 1);
  if (growth.degree(p) != 1 || !facts.positive_if_assumed(k)) return std::nullopt;
  for (const Expr& summand : summands(count.expand())) {
    for (const Expr& factor : factors(summand)) {
      if (is_rounding(factor) && factor.has(p))
        falling += (summand / factor * factor.op(0) * p).expand();
    }
  }
  if (falling.has(p)) return std::nullopt;
  return GiNaC::sqrt((falling / k).expand());  // falling / p + k p falls up to there
}

}  // namespace redblue::counting
