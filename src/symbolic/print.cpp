// SPDX-License-Identifier: BSD-3-Clause
// Infix printing with an order that does not depend on the run (GiNaC's own order does).
#include <algorithm>
#include <sstream>
#include <vector>

#include "symbolic/expr.hpp"

namespace redblue::symbolic {

namespace {

// A printed factor and where it stands in a product: square roots of numbers, then names.
struct Factor {
  int place;
  std::string text;
  bool operator<(const Factor& o) const {
    return place != o.place ? place < o.place : text < o.text;
  }
};

std::string number(const Rational& r) {
  std::ostringstream out;
  out << r;
  return out.str();
}

std::string parenthesised(const Expr& e) {
  const std::string text = to_string(e);
  const bool simple = GiNaC::is_a<Symbol>(e) || GiNaC::is_a<GiNaC::function>(e) ||
                      (GiNaC::is_a<Rational>(e) && GiNaC::ex_to<Rational>(e).is_nonneg_integer());
  return simple ? text : "(" + text + ")";
}

// base^exponent for a positive exponent.
std::string power_text(const Expr& base, const Rational& exponent) {
  if (exponent == 1) {
    return GiNaC::is_a<GiNaC::add>(base) ? "(" + to_string(base) + ")" : to_string(base);
  }
  if (exponent == Rational(1, 2)) return "sqrt(" + to_string(base) + ")";
  const std::string power = exponent.is_integer() ? number(exponent) : "(" + number(exponent) + ")";
  return parenthesised(base) + "^" + power;
}

// The sign of the number before `e`; of a sum: before its first summand in print.
int leading_sign(const Expr& e) {
  if (GiNaC::is_a<Rational>(e)) return GiNaC::ex_to<Rational>(e).is_negative() ? -1 : 1;
  if (GiNaC::is_a<GiNaC::mul>(e)) {
    int sign = 1;
    for (const Expr& factor : e) {
      if (GiNaC::is_a<Rational>(factor)) sign *= leading_sign(factor);
    }
    return sign;
  }
  if (GiNaC::is_a<GiNaC::add>(e)) return to_string(e).front() == '-' ? -1 : 1;
  return 1;
}

std::string joined(std::vector<Factor> factors) {
  std::sort(factors.begin(), factors.end());
  std::string text;
  for (const Factor& f : factors) text += (text.empty() ? "" : "*") + f.text;
  return text;
}

struct Fraction {
  Rational coefficient = 1;
  std::vector<Factor> above;
  std::vector<Factor> below;

  void multiply(const Expr& e) {
    if (GiNaC::is_a<GiNaC::mul>(e)) {
      for (const Expr& factor : e) multiply(factor);
    } else if (GiNaC::is_a<Rational>(e)) {
      coefficient *= GiNaC::ex_to<Rational>(e);
    } else if (GiNaC::is_a<GiNaC::power>(e) && GiNaC::is_a<Rational>(e.op(1))) {
      const Rational exponent = GiNaC::ex_to<Rational>(e.op(1));
      const int place = GiNaC::is_a<Rational>(e.op(0)) ? 0 : 1;
      (exponent.is_negative() ? below : above)
          .push_back({place, power_text(e.op(0), GiNaC::abs(exponent))});
    } else if (GiNaC::is_a<GiNaC::power>(e)) {  // 2^(n + 1), 1/2^n
      const bool inverse = leading_sign(e.op(1)) < 0;
      const Expr exponent = inverse ? -e.op(1) : e.op(1);
      (inverse ? below : above)
          .push_back({1, parenthesised(e.op(0)) + "^" + parenthesised(exponent)});
    } else {
      above.push_back({1, power_text(e, 1)});
    }
  }
};

// A product without its sign; `negative` tells the sign.
std::string term_text(const Expr& e, bool& negative) {
  Fraction f;
  f.multiply(e);
  negative = f.coefficient.is_negative();
  const Rational c = GiNaC::abs(f.coefficient);
  if (c.numer() != 1 || f.above.empty()) f.above.push_back({-1, number(c.numer())});
  if (c.denom() != 1) f.below.push_back({-1, number(c.denom())});
  std::string text = joined(f.above);
  if (f.below.size() == 1) text += "/" + f.below.front().text;
  if (f.below.size() > 1) text += "/(" + joined(f.below) + ")";
  return text;
}

}  // namespace

std::string to_string(const Expr& e) {
  if (GiNaC::is_a<GiNaC::function>(e)) {
    std::string text;
    for (const Expr& argument : e) text += (text.empty() ? "" : ", ") + to_string(argument);
    return GiNaC::ex_to<GiNaC::function>(e).get_name() + "(" + text + ")";
  }
  if (GiNaC::is_a<Symbol>(e)) return GiNaC::ex_to<Symbol>(e).get_name();
  struct Term {
    Rational degree;
    std::string text;
    bool negative;
  };
  std::vector<Term> terms;
  const auto add_term = [&terms](const Expr& term) {
    bool negative = false;
    const std::string text = term_text(term, negative);
    terms.push_back({degree(term), text, negative});
  };
  if (GiNaC::is_a<GiNaC::add>(e)) {
    for (const Expr& term : e) add_term(term);
  } else {
    add_term(e);
  }
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
    if (a.degree != b.degree) return a.degree > b.degree;
    if (a.negative != b.negative) return b.negative;
    return a.text < b.text;
  });
  std::string text;
  for (const Term& term : terms) {
    if (text.empty()) {
      text = (term.negative ? "-" : "") + term.text;
    } else {
      text += (term.negative ? " - " : " + ") + term.text;
    }
  }
  return text;
}

}  // namespace redblue::symbolic
