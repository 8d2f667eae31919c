// SPDX-License-Identifier: BSD-3-Clause
#include "counting/algebra/terms.hpp"

#include <map>
#include <string>

namespace redblue::counting {

namespace {

constexpr std::size_t most_remembered = 50000;

// Takes a factor into the term; false where it does not fit.
bool take(const Expr& factor, const Symbol& i, Term& term) {
  if (!factor.has(i)) {
    term.coefficient *= factor;
    return true;
  }
  if (factor.is_equal(i)) {
    ++term.degree;
    return true;
  }
  if (!GiNaC::is_a<GiNaC::power>(factor)) return false;
  const Expr& base = factor.op(0);
  const Expr exponent = factor.op(1).expand();
  if (base.is_equal(i) && exponent.info(GiNaC::info_flags::posint)) {
    term.degree += static_cast<unsigned>(GiNaC::ex_to<Rational>(exponent).to_int());
    return true;
  }
  if (base.has(i) || !exponent.is_polynomial(i) || exponent.degree(i) != 1) return false;
  const Expr slope = exponent.coeff(i, 1);
  if (!GiNaC::is_a<Rational>(slope)) return false;
  term.base *= GiNaC::pow(base, slope);
  term.coefficient *= power(base, exponent.coeff(i, 0));
  return true;
}

// q with b q(i + 1) - q(i) = i^k, b not 1.
Expr geometric_antidifference(const Expr& b, unsigned k, const Symbol& i) {
  std::vector<Expr> q(k + 1);
  for (unsigned j = k + 1; j-- > 0;) {
    Expr right = j == k ? 1 : 0;
    for (unsigned l = j + 1; l <= k; ++l)
      right -= b * q[l] * GiNaC::binomial(Rational(l), Rational(j));
    q[j] = right / (b - 1);
  }
  Expr result = 0;
  for (unsigned j = 0; j <= k; ++j) result += q[j] * GiNaC::pow(i, j);
  return result;
}

// base^exponent of an integer > 0, prime by prime.
Expr integer_power(Rational base, const Expr& exponent) {
  Expr result = 1;
  for (Rational prime = 2; prime * prime <= base && prime < 1000; prime = prime + 1) {
    Rational times = 0;
    while (GiNaC::irem(base, prime).is_zero()) {
      base = GiNaC::iquo(base, prime);
      times = times + 1;
    }
    if (!times.is_zero()) result *= GiNaC::pow(prime, (times * exponent).expand());
  }
  return base == 1 ? result : result * GiNaC::pow(base, exponent);
}

bool is_numeric_power(const Expr& factor) {
  return GiNaC::is_a<GiNaC::power>(factor) && GiNaC::is_a<Rational>(factor.op(0)) &&
         !GiNaC::is_a<Rational>(factor.op(1));
}

bool has_numeric_powers(const Expr& e) {
  if (is_numeric_power(e)) return true;
  for (const Expr& part : e) {
    if (has_numeric_powers(part)) return true;
  }
  return false;
}

Expr with_joined_powers(const Expr& summand) {
  std::map<Expr, Expr, GiNaC::ex_is_less> exponents;
  Expr rest = 1;
  for (const Expr& factor : factors(summand)) {
    if (is_numeric_power(factor)) {
      exponents[factor.op(0)] += factor.op(1);
    } else {
      rest *= factor;
    }
  }
  for (const auto& [base, exponent] : exponents) {
    const Expr whole = exponent.expand();
    Expr number = 0;  // 2^(n + 3) = 8 2^n
    for (const Expr& part : summands(whole)) {
      if (GiNaC::is_a<Rational>(part) && GiNaC::ex_to<Rational>(part).is_integer()) number = part;
    }
    rest *= GiNaC::pow(base, number) * GiNaC::pow(base, whole - number);
  }
  return rest;
}

struct Canonical : GiNaC::map_function {
  Expr operator()(const Expr& e) override {
    if (!has_numeric_powers(e)) return e;
    const Expr inner = (e.nops() > 0 ? e.map(*this) : e).expand();
    if (!GiNaC::is_a<GiNaC::add>(inner) && !GiNaC::is_a<GiNaC::mul>(inner)) return settled(inner);
    Expr total = 0;
    for (const Expr& summand : summands(inner)) total += with_joined_powers(summand);
    return total;
  }
};

constexpr int most_summands = 1000;
constexpr int most_parts = 10000;

// Counts the parts, too; stops where one of the numbers is too large.
int summands_if_expanded(const Expr& e, int& parts) {
  if (++parts > most_parts) return most_summands + 1;
  const bool is_sum = GiNaC::is_a<GiNaC::add>(e);
  const bool is_product = GiNaC::is_a<GiNaC::mul>(e);
  const bool is_power =
      GiNaC::is_a<GiNaC::power>(e) && e.op(1).info(GiNaC::info_flags::posint) && e.op(1) < 10;
  int count = is_sum ? 0 : 1;
  for (std::size_t k = 0; k < e.nops(); ++k) {
    const int inside = summands_if_expanded(e.op(k), parts);
    if (is_sum) count += inside;
    if (is_product) count *= inside;
    if (is_power && k == 0) {
      for (int times = 0; e.op(1) > times && count <= most_summands; ++times) count *= inside;
    }
    if (count > most_summands) return most_summands + 1;
  }
  return count;
}

}  // namespace

Expr expanded(const Expr& e) {
  const Expr once = e.expand();
  if (!has_numeric_powers(once)) return once;
  Canonical canonical;
  return canonical(once).expand();
}

Expr settled(const Expr& factor) {
  const bool nested = GiNaC::is_a<GiNaC::power>(factor) &&
                      GiNaC::is_a<GiNaC::power>(factor.op(0)) &&
                      factor.op(1).info(GiNaC::info_flags::integer);
  if (!nested) return factor;
  return GiNaC::pow(factor.op(0).op(0), (factor.op(0).op(1) * factor.op(1)).expand());
}

bool comes_before(const Expr& a, const Expr& b) {
  if (a.is_equal(b)) return false;
  thread_local std::map<Expr, std::string, GiNaC::ex_is_less> memory;
  if (memory.size() > most_remembered) memory.clear();
  const auto text = [](const Expr& e) {
    const auto [place, is_new] = memory.try_emplace(e);
    if (is_new) place->second = symbolic::to_string(e);
    return place->second;
  };
  const std::string of_a = text(a);
  const std::string of_b = text(b);
  return of_a.size() != of_b.size() ? of_a.size() < of_b.size() : of_a < of_b;
}

bool is_choice(const Expr& e) {
  return symbolic::is_maximum(e) || symbolic::is_minimum(e);
}

bool is_rounding(const Expr& e) {
  return symbolic::is_floor(e) || symbolic::is_ceil(e);
}

std::vector<Expr> factors(const Expr& e) {
  if (!GiNaC::is_a<GiNaC::mul>(e)) return {settled(e)};
  std::vector<Expr> result;
  for (const Expr& factor : e) result.push_back(settled(factor));
  return result;
}

bool is_too_long(const Expr& e) {
  int parts = 0;
  return summands_if_expanded(e, parts) > most_summands || parts > most_parts;
}

std::vector<Expr> summands(const Expr& e) {
  if (GiNaC::is_a<GiNaC::add>(e)) return {e.begin(), e.end()};
  return {e};
}

std::optional<std::vector<Term>> terms(const Expr& f, const Symbol& i) {
  std::vector<Term> result;
  for (const Expr& summand : summands(expanded(f))) {
    Term term{1, 0, 1};
    for (const Expr& factor : factors(summand)) {
      if (!take(factor, i, term)) return std::nullopt;
    }
    bool merged = false;
    for (Term& other : result) {
      if (other.degree != term.degree || !other.base.is_equal(term.base)) continue;
      other.coefficient += term.coefficient;
      merged = true;
    }
    if (!merged) result.push_back(term);
  }
  std::erase_if(result, [](Term& t) {
    t.coefficient = t.coefficient.expand();
    return t.coefficient.is_zero();
  });
  return result;
}

Expr power(const Expr& base, const Expr& exponent) {
  if (!GiNaC::is_a<Rational>(base) || !GiNaC::ex_to<Rational>(base).is_rational() ||
      base.is_zero()) {
    return GiNaC::pow(base, exponent);
  }
  const Rational& b = GiNaC::ex_to<Rational>(base);
  const Expr sign = b.is_negative() ? GiNaC::pow(Expr(-1), exponent) : Expr(1);
  return sign * integer_power(GiNaC::abs(b.numer()), exponent) *
         integer_power(b.denom(), -exponent);
}

std::optional<Expr> antidifference(const Expr& f, const Symbol& i) {
  const auto parts = terms(f, i);
  if (!parts) return std::nullopt;
  Expr result = 0;
  for (const Term& term : *parts) {
    if (term.base.is_equal(1)) {
      result += term.coefficient * symbolic::sum(GiNaC::pow(i, term.degree), i, 0, Expr(i) - 1);
    } else if (GiNaC::is_a<Rational>(term.base)) {
      result += term.coefficient * power(term.base, i) *
                geometric_antidifference(term.base, term.degree, i);
    } else {
      return std::nullopt;
    }
  }
  return expanded(result);
}

}  // namespace redblue::counting
