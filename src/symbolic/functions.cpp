// SPDX-License-Identifier: BSD-3-Clause
// Functions of formulas beside floor: ceil, log2, min, max.
#include <algorithm>

#include "symbolic/expr.hpp"

namespace redblue::symbolic {

namespace {

DECLARE_FUNCTION_1P(ceiling)
DECLARE_FUNCTION_1P(binary_logarithm)
DECLARE_FUNCTION_2P(smaller)
DECLARE_FUNCTION_2P(larger)

Expr ceiling_eval(const Expr& x) {
  const Expr expanded = x.expand();
  if (GiNaC::is_a<Rational>(expanded)) return -floor(-expanded);
  Expr outside = 0;
  Expr inside = 0;
  const auto sort = [&](const Expr& term) {
    if (GiNaC::is_a<Rational>(term)) {
      const Expr whole = floor(term);
      outside += whole;
      inside += term - whole;
    } else {
      (is_integer_valued(term) ? outside : inside) += term;
    }
  };
  if (GiNaC::is_a<GiNaC::add>(expanded)) {
    for (const Expr& term : expanded) sort(term);
  } else {
    sort(expanded);
  }
  if (outside.is_zero()) return ceiling(expanded).hold();
  if (inside.is_zero()) return outside;
  return outside + ceiling(inside);
}

Expr ceiling_evalf(const Expr& x) {
  return ceiling_eval(x.evalf());
}

// The exponent of 2 in an integer that is not 0, which loses it.
Rational take_powers_of_two(Rational& n) {
  Rational exponent = 0;
  while (n.is_even()) {
    n = n / 2;
    exponent = exponent + 1;
  }
  return exponent;
}

Expr binary_logarithm_eval(const Expr& x) {
  const bool is_product = GiNaC::is_a<GiNaC::mul>(x);
  Expr outside = 0;
  Expr inside = 1;
  for (std::size_t f = 0; f < (is_product ? x.nops() : 1); ++f) {
    Expr factor = is_product ? x.op(f) : x;
    if (GiNaC::is_a<GiNaC::power>(factor) && GiNaC::is_a<GiNaC::power>(factor.op(0)) &&
        factor.op(1).info(GiNaC::info_flags::integer)) {  // (2^i)^(-1)
      factor = GiNaC::pow(factor.op(0).op(0), factor.op(0).op(1) * factor.op(1));
    }
    if (GiNaC::is_a<Rational>(factor) && GiNaC::ex_to<Rational>(factor).is_rational() &&
        !factor.is_zero()) {
      Rational above = GiNaC::ex_to<Rational>(factor).numer();
      Rational below = GiNaC::ex_to<Rational>(factor).denom();
      outside += take_powers_of_two(above) - take_powers_of_two(below);
      inside *= above / below;
    } else if (GiNaC::is_a<GiNaC::power>(factor) && factor.op(0).is_equal(2)) {
      outside += factor.op(1);
    } else {
      inside *= factor;
    }
  }
  if (inside.is_equal(1)) return outside;
  if (outside.is_zero()) return binary_logarithm(x).hold();
  return outside + binary_logarithm(inside);
}

Expr binary_logarithm_evalf(const Expr& x) {
  const Expr number = x.evalf();
  if (!GiNaC::is_a<Rational>(number)) return binary_logarithm(x).hold();
  return GiNaC::log(GiNaC::ex_to<Rational>(number)) / GiNaC::log(Rational(2));
}

// -1, 0 or 1 where a - b is a real number, otherwise 2.
int order(const Expr& a, const Expr& b) {
  const Expr difference = (a - b).expand();
  if (!GiNaC::is_a<Rational>(difference)) return 2;
  const Rational& d = GiNaC::ex_to<Rational>(difference);
  if (!d.is_real()) return 2;
  return d.is_zero() ? 0 : (d.is_negative() ? -1 : 1);
}

Expr smaller_eval(const Expr& a, const Expr& b) {
  const int o = order(a, b);
  return o == 2 ? smaller(a, b).hold() : (o <= 0 ? a : b);
}
Expr smaller_evalf(const Expr& a, const Expr& b) {
  return smaller_eval(a.evalf(), b.evalf());
}
Expr larger_eval(const Expr& a, const Expr& b) {
  const int o = order(a, b);
  return o == 2 ? larger(a, b).hold() : (o >= 0 ? a : b);
}
Expr larger_evalf(const Expr& a, const Expr& b) {
  return larger_eval(a.evalf(), b.evalf());
}

REGISTER_FUNCTION(ceiling, eval_func(ceiling_eval).evalf_func(ceiling_evalf).set_name("ceil"))
REGISTER_FUNCTION(
    binary_logarithm,
    eval_func(binary_logarithm_eval).evalf_func(binary_logarithm_evalf).set_name("log2"))
REGISTER_FUNCTION(smaller, eval_func(smaller_eval).evalf_func(smaller_evalf).set_name("min"))
REGISTER_FUNCTION(larger, eval_func(larger_eval).evalf_func(larger_evalf).set_name("max"))

}  // namespace

bool is_integer_valued(const Expr& e) {
  if (GiNaC::is_a<Rational>(e)) return GiNaC::ex_to<Rational>(e).is_integer();
  const auto every_operand = [&e] { return std::all_of(e.begin(), e.end(), is_integer_valued); };
  if (GiNaC::is_a<GiNaC::mul>(e) || GiNaC::is_a<GiNaC::add>(e) || is_minimum(e) || is_maximum(e)) {
    return every_operand();
  }
  if (GiNaC::is_a<GiNaC::power>(e)) {  // the exponent: a sum of symbols times positive integers
    if (!every_operand()) return false;
    const Expr zero_or_more = e.op(1).expand();
    const auto positive = [](const Expr& term) {
      const Expr number = GiNaC::is_a<GiNaC::mul>(term) ? term.op(term.nops() - 1) : term;
      return !GiNaC::is_a<Rational>(number) || !GiNaC::ex_to<Rational>(number).is_negative();
    };
    if (!GiNaC::is_a<GiNaC::add>(zero_or_more)) return positive(zero_or_more);
    return std::all_of(zero_or_more.begin(), zero_or_more.end(), positive);
  }
  return GiNaC::is_a<Symbol>(e) || is_floor(e) || is_ceil(e);
}

Expr ceil(const Expr& argument) {
  return ceiling(argument);
}
bool is_ceil(const Expr& e) {
  return is_ex_the_function(e, ceiling);
}
Expr log2(const Expr& argument) {
  return binary_logarithm(argument);
}
bool is_log2(const Expr& e) {
  return is_ex_the_function(e, binary_logarithm);
}
Expr minimum(const Expr& a, const Expr& b) {
  return smaller(a, b);
}
Expr maximum(const Expr& a, const Expr& b) {
  return larger(a, b);
}
bool is_minimum(const Expr& e) {
  return is_ex_the_function(e, smaller);
}
bool is_maximum(const Expr& e) {
  return is_ex_the_function(e, larger);
}

}  // namespace redblue::symbolic
