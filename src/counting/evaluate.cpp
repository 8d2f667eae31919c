#include "counting/evaluate.hpp"

#include <cln/real.h>

#include <algorithm>

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

// A real number or minus infinity.
struct Number {
  Rational value = 0;
  bool finite = true;
};

using Result = std::optional<Number>;

Result as_number(const Rational& r) {
  if (!r.is_real()) return std::nullopt;
  return Number{r, true};
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
  Number total{1, true};
  bool known = true;
  bool infinite = false;
  for (const Expr& factor : e) {
    const Result part = evaluate(factor, values);
    if (part && part->finite && part->value.is_zero()) return Number{0, true};
    if (!part) {
      known = false;
    } else if (!part->finite) {
      infinite = true;
    } else {
      total.value = total.value * part->value;
    }
  }
  if (!known || (infinite && !total.value.is_positive())) return std::nullopt;
  return Number{total.value, !infinite};
}

Result sum(const Expr& e, const symbolic::Valuation& values) {
  Number total;
  for (const Expr& summand : e) {
    const Result part = evaluate(summand, values);
    if (!part) return std::nullopt;
    total.finite = total.finite && part->finite;
    if (total.finite) total.value = total.value + part->value;
  }
  return total;
}

Result power(const Expr& e, const symbolic::Valuation& values) {
  const Result base = evaluate(e.op(0), values);
  const Result exponent = evaluate(e.op(1), values);
  if (!base || !exponent || !base->finite || !exponent->finite) return std::nullopt;
  if (base->value.is_zero() && exponent->value.is_negative()) return std::nullopt;
  if (base->value.is_negative() && !exponent->value.is_integer()) return std::nullopt;
  const Expr exact = GiNaC::pow(Expr(base->value), Expr(exponent->value));
  const Expr number = GiNaC::is_a<Rational>(exact) ? exact : exact.evalf();
  if (!GiNaC::is_a<Rational>(number)) return std::nullopt;
  return as_number(GiNaC::ex_to<Rational>(number));
}

Result logarithm(const Result& x) {
  if (!x) return std::nullopt;
  if (!x->finite || !x->value.is_positive()) return Number{0, false};
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
  if (symbolic::is_floor(e) || symbolic::is_ceil(e)) {
    if (x && x->finite) return Number{rounded(x->value, symbolic::is_ceil(e)), true};
    return x;
  }
  if (!symbolic::is_maximum(e) && !symbolic::is_minimum(e)) return std::nullopt;
  const Result y = evaluate(e.op(1), values);
  if (!x || !y) return std::nullopt;
  const bool larger = symbolic::is_maximum(e);
  if (!x->finite) return larger ? y : x;
  if (!y->finite) return larger ? x : y;
  return (x->value < y->value) == larger ? y : x;
}

std::optional<Rational> finite(const Result& result) {
  if (!result || !result->finite) return std::nullopt;
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
