// SPDX-License-Identifier: BSD-3-Clause
#include "counting/algebra/evaluate.hpp"

#include <cln/real.h>

#include <algorithm>

#include "counting/algebra/terms.hpp"

namespace redblue::counting {

namespace {

constexpr long digits = 100;

struct Digits {
  Digits() : before(GiNaC::Digits) { GiNaC::Digits = digits; }
  ~Digits() { GiNaC::Digits = before; }
  Digits(const Digits&) = delete;
  Digits& operator=(const Digits&) = delete;
  long before;
};

// value + infinite * w, where w is larger than every number: the logarithm of 0 or less is -w. That
// keeps differences such as log2(n) - log2(n) at 0 where n is 0.
struct Number {
  Rational value = 0;
  Rational infinite = 0;
  bool is_finite() const { return infinite.is_zero(); }
};

bool operator<(const Number& a, const Number& b) {
  return a.infinite < b.infinite || (a.infinite == b.infinite && a.value < b.value);
}

using Result = std::optional<Number>;

Result as_number(const Rational& r) {
  if (!r.is_real()) return std::nullopt;
  return Number{r, 0};
}

Rational nearest(const Rational& r) {
  const Rational half(1, 2);
  if (r.is_rational()) return GiNaC::ex_to<Rational>(symbolic::floor(r + half));
  return Rational(cln::floor1(cln::the<cln::cl_R>((r + half).to_cl_N())));
}

Rational rounded(const Rational& r, bool up) {
  if (r.is_rational()) {
    return GiNaC::ex_to<Rational>(up ? symbolic::ceil(r) : symbolic::floor(r));
  }
  static const Rational close = GiNaC::pow(Rational(10), Rational(-60));
  const Rational whole = nearest(r);
  const Rational gap = r - whole;
  if (GiNaC::abs(gap) < close) return whole;
  if (up) return gap.is_positive() ? whole + 1 : whole;
  return gap.is_positive() ? whole : whole - 1;
}

Result evaluate(const Expr& e, const symbolic::Valuation& values);

Result product(const Expr& e, const symbolic::Valuation& values) {
  Number total{1, 0};
  bool known = true;
  for (const Expr& factor : e) {
    const Result part = evaluate(factor, values);
    if (part && part->is_finite() && part->value.is_zero()) return Number{};
    if (!part || (!part->is_finite() && !total.is_finite())) {
      known = false;
    } else {
      total = {total.value * part->value,
               total.value * part->infinite + total.infinite * part->value};
    }
  }
  return known ? Result(total) : std::nullopt;
}

Result sum(const Expr& e, const symbolic::Valuation& values) {
  Number total;
  for (const Expr& summand : e) {
    const Result part = evaluate(summand, values);
    if (!part) return std::nullopt;
    total = {total.value + part->value, total.infinite + part->infinite};
  }
  return total;
}

// The root of a negative number and the inverse of 0 count as 0: such parts stand where other
// factors are 0, or take their own value off again.
Result power(const Expr& e, const symbolic::Valuation& values) {
  const Result base = evaluate(e.op(0), values);
  const Result exponent = evaluate(e.op(1), values);
  if (!base || !exponent || !base->is_finite()) return std::nullopt;
  if (!exponent->is_finite()) {
    const bool vanishes = exponent->infinite.is_negative() == (base->value > 1);
    return vanishes && base->value.is_positive() ? Result(Number{}) : std::nullopt;
  }
  if (base->value.is_zero() && exponent->value.is_negative()) return Number{};
  if (base->value.is_negative() && !exponent->value.is_integer()) return Number{};
  const Expr exact = GiNaC::pow(Expr(base->value), Expr(exponent->value));
  const Expr number = GiNaC::is_a<Rational>(exact) ? exact : exact.evalf();
  if (!GiNaC::is_a<Rational>(number)) return std::nullopt;
  return as_number(GiNaC::ex_to<Rational>(number));
}

Result logarithm(const Result& x) {
  if (!x || x->infinite.is_positive()) return std::nullopt;
  if (!x->is_finite() || !x->value.is_positive()) return Number{0, -1};
  const Expr exact = symbolic::log2(x->value);
  if (GiNaC::is_a<Rational>(exact)) return as_number(GiNaC::ex_to<Rational>(exact));
  return as_number(GiNaC::log(GiNaC::ex_to<Rational>(Expr(x->value).evalf())) /
                   GiNaC::log(GiNaC::ex_to<Rational>(Expr(2).evalf())));
}

Result evaluate(const Expr& e, const symbolic::Valuation& values) {
  if (GiNaC::is_a<Rational>(e)) return as_number(GiNaC::ex_to<Rational>(e));
  if (GiNaC::is_a<symbolic::Symbol>(e)) {
    const auto found = values.find(GiNaC::ex_to<symbolic::Symbol>(e).get_name());
    return found == values.end() ? std::nullopt : as_number(found->second);
  }
  if (GiNaC::is_a<GiNaC::mul>(e)) return product(e, values);
  if (GiNaC::is_a<GiNaC::add>(e)) return sum(e, values);
  if (GiNaC::is_a<GiNaC::power>(e)) return power(e, values);
  if (!GiNaC::is_a<GiNaC::function>(e)) return std::nullopt;
  const Result x = evaluate(e.op(0), values);
  if (symbolic::is_log2(e)) return logarithm(x);
  if (is_rounding(e)) {
    if (!x) return x;
    return Number{rounded(x->value, symbolic::is_ceil(e)), x->infinite};
  }
  if (!is_choice(e)) return std::nullopt;
  const Result y = evaluate(e.op(1), values);
  if (!x || !y) return std::nullopt;
  return (*x < *y) == symbolic::is_maximum(e) ? y : x;
}

std::optional<Rational> finite(const Result& result) {
  if (!result || !result->is_finite()) return std::nullopt;
  return result->value;
}

}  // namespace

std::optional<Rational> value(const Expr& e, const symbolic::Valuation& values) {
  const Digits more;
  return finite(evaluate(e, values));
}

std::optional<Rational> rounded_up(const Expr& e, const symbolic::Valuation& values) {
  const Digits more;
  const auto number = finite(evaluate(e, values));
  if (!number) return std::nullopt;
  return rounded(*number, true);
}

std::optional<Rational> rounded_down(const Expr& e, const symbolic::Valuation& values) {
  const Digits more;
  const auto number = finite(evaluate(e, values));
  if (!number) return std::nullopt;
  return rounded(*number, false);
}

}  // namespace redblue::counting
