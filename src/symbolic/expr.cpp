// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/expr.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace redblue::symbolic {

namespace {

Expr floor_evaluate(const Expr& x);

DECLARE_FUNCTION_1P(integer_part)

Expr integer_part_eval(const Expr& x) {
  return floor_evaluate(x);
}
Expr integer_part_evalf(const Expr& x) {
  return floor_evaluate(x.evalf());
}

REGISTER_FUNCTION(integer_part,
                  eval_func(integer_part_eval).evalf_func(integer_part_evalf).set_name("floor"))

Expr floor_of_number(const Rational& r) {
  if (r.is_rational()) {
    const Rational down = GiNaC::iquo(r.numer(), r.denom());  // towards zero
    return r.is_negative() && !r.is_integer() ? down - 1 : down;
  }
  return Rational(static_cast<long>(std::floor(r.to_double())));
}

// Splits x into integer-valued summands, which leave the floor, and the rest.
Expr floor_evaluate(const Expr& x) {
  const Expr expanded = x.expand();
  if (GiNaC::is_a<Rational>(expanded)) return floor_of_number(GiNaC::ex_to<Rational>(expanded));
  Expr outside = 0;
  Expr inside = 0;
  const bool is_sum = GiNaC::is_a<GiNaC::add>(expanded);
  const std::size_t terms = is_sum ? expanded.nops() : 1;
  for (std::size_t t = 0; t < terms; ++t) {
    const Expr term = is_sum ? expanded.op(t) : expanded;
    if (GiNaC::is_a<Rational>(term)) {
      const Expr whole = floor_of_number(GiNaC::ex_to<Rational>(term));
      outside += whole;
      inside += term - whole;
    } else {
      (is_integer_valued(term) ? outside : inside) += term;
    }
  }
  if (outside.is_zero()) return integer_part(expanded).hold();
  if (inside.is_zero()) return outside;
  return outside + integer_part(inside);
}

// sum_{x=0}^{n} x^p.
Expr power_sum(unsigned p, const Expr& n) {
  Expr total = 0;
  for (unsigned j = 0; j <= p; ++j) {
    Rational b = GiNaC::bernoulli(Rational(static_cast<long>(j)));
    if (j == 1) b = Rational(1, 2);
    total += GiNaC::binomial(Rational(static_cast<long>(p) + 1), Rational(static_cast<long>(j))) *
             b * GiNaC::pow(n, p + 1 - j);
  }
  return total / (static_cast<long>(p) + 1);
}

struct RemoveFloors : GiNaC::map_function {
  Expr operator()(const Expr& e) override {
    if (is_floor(e)) return (*this)(e.op(0));
    return e.map(*this);
  }
};

Rational monomial_degree(const Expr& e) {
  if (GiNaC::is_a<Symbol>(e)) return e.is_equal(fast_memory()) ? 0 : 1;
  if (GiNaC::is_a<GiNaC::mul>(e)) {
    Rational total = 0;
    for (const Expr& factor : e) total += monomial_degree(factor);
    return total;
  }
  if (GiNaC::is_a<GiNaC::power>(e) && GiNaC::is_a<Rational>(e.op(1))) {
    return degree(e.op(0)) * GiNaC::ex_to<Rational>(e.op(1));
  }
  return 0;
}

}  // namespace

const Symbol& symbol(const std::string& name) {
  static std::map<std::string, Symbol> table;
  return table.try_emplace(name, GiNaC::possymbol(name)).first->second;
}

const Symbol& fast_memory() {
  return symbol("S");
}

Expr floor(const Expr& argument) {
  return integer_part(argument);
}

bool is_floor(const Expr& e) {
  return is_ex_the_function(e, integer_part);
}

Expr sum(const Expr& polynomial, const Symbol& variable, const Expr& low, const Expr& high) {
  const Expr p = polynomial.expand();
  Expr total = 0;
  for (int d = 0; d <= p.degree(variable); ++d) {
    const unsigned power = static_cast<unsigned>(d);
    total += p.coeff(variable, d) * (power_sum(power, high) - power_sum(power, low - 1));
  }
  return total.expand();
}

Rational degree(const Expr& e) {
  const Expr expanded = e.expand();
  if (!GiNaC::is_a<GiNaC::add>(expanded)) return monomial_degree(expanded);
  Rational highest = monomial_degree(expanded.op(0));
  for (const Expr& term : expanded) highest = std::max(highest, monomial_degree(term));
  return highest;
}

Expr leading_term(const Expr& e) {
  RemoveFloors remove_floors;
  const Expr expanded = remove_floors(e).expand();
  if (!GiNaC::is_a<GiNaC::add>(expanded)) return expanded;
  const Rational highest = degree(expanded);
  Expr leading = 0;
  for (const Expr& term : expanded) {
    if (monomial_degree(term) == highest) leading += term;
  }
  return leading;
}

Expr substitute(const Expr& e, const Valuation& values) {
  GiNaC::exmap map;
  for (const auto& [name, value] : values) map[symbol(name)] = value;
  return e.subs(map);
}

bool evaluate(const Expr& e, const Valuation& values, double& result) {
  const Expr number = substitute(e, values).evalf();
  if (!GiNaC::is_a<Rational>(number)) return false;
  result = GiNaC::ex_to<Rational>(number).to_double();
  return true;
}

}  // namespace redblue::symbolic
