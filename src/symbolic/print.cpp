// SPDX-License-Identifier: BSD-3-Clause
// Printing with an order that does not depend on the run (GiNaC's own order does).
#include <algorithm>
#include <sstream>
#include <vector>

#include "symbolic/notation.hpp"

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

class Writer {
 public:
  explicit Writer(const Notation& notation) : notation_(notation) {}

  std::string written(const Expr& e) const {
    if (GiNaC::is_a<GiNaC::function>(e)) {
      std::vector<std::string> arguments;
      for (const Expr& argument : e) arguments.push_back(written(argument));
      return notation_.call(GiNaC::ex_to<GiNaC::function>(e).get_name(), arguments);
    }
    if (GiNaC::is_a<Symbol>(e)) return notation_.name(GiNaC::ex_to<Symbol>(e).get_name());
    return sum(e);
  }

 private:
  // A sum that is a factor, as it is and with the other sign.
  struct SumFactor {
    std::string text, opposite;
    bool is_above = true;
    bool operator<(const SumFactor& o) const { return text < o.text; }
  };

  struct Fraction {
    Rational coefficient = 1;
    std::vector<Factor> above;
    std::vector<Factor> below;
    std::vector<SumFactor> either;  // those that begin with no minus either way
  };

  // GiNaC gives a sum that is a factor either sign, from run to run: the sum is printed without a
  // minus in front; where both would be, the smaller text is, but for a product that is positive.
  void multiply_by_sum(Fraction& f, const Expr& e, bool above) const {
    const Expr other = -e;
    const std::string text = written(e), opposite = written(other);
    const bool falls = text.starts_with(notation_.negative);
    if (falls) f.coefficient = -f.coefficient;
    if (falls || opposite.starts_with(notation_.negative)) {
      (above ? f.above : f.below).push_back({1, notation_.sum_in_product(falls ? opposite : text)});
      return;
    }
    SumFactor either{notation_.sum_in_product(text), notation_.sum_in_product(opposite), above};
    if (either.opposite < either.text) {
      std::swap(either.text, either.opposite);
      f.coefficient = -f.coefficient;
    }
    f.either.push_back(either);
  }

  static void settle_signs(Fraction& f) {
    std::sort(f.either.begin(), f.either.end());
    if (!f.either.empty() && f.coefficient.is_negative()) {
      std::swap(f.either.front().text, f.either.front().opposite);
      f.coefficient = -f.coefficient;
    }
    for (const SumFactor& one : f.either)
      (one.is_above ? f.above : f.below).push_back({1, one.text});
  }

  Operand operand(const Expr& e) const {
    const bool simple = GiNaC::is_a<Symbol>(e) || GiNaC::is_a<GiNaC::function>(e) ||
                        (GiNaC::is_a<Rational>(e) && GiNaC::ex_to<Rational>(e).is_nonneg_integer());
    return {written(e), simple};
  }

  std::string power(const Expr& base, const Expr& exponent) const {
    return notation_.power(operand(base), operand(exponent));
  }

  // base^exponent for a positive number.
  std::string power_of_number(const Expr& base, const Rational& exponent) const {
    if (exponent == 1)
      return GiNaC::is_a<GiNaC::add>(base) ? notation_.sum_in_product(written(base))
                                           : written(base);
    if (exponent == Rational(1, 2)) return notation_.call("sqrt", {written(base)});
    if (GiNaC::is_a<GiNaC::add>(base) && exponent.is_even())
      return power(in_even_power(base), exponent);
    return power(base, exponent);
  }

  // GiNaC gives a sum either sign there, too: without a minus in front, else the smaller text.
  Expr in_even_power(const Expr& base) const {
    const Expr other = -base;
    const std::string text = written(base), opposite = written(other);
    const bool falls = text.starts_with(notation_.negative);
    if (falls != opposite.starts_with(notation_.negative)) return falls ? other : base;
    return opposite < text ? other : base;
  }

  void multiply(Fraction& f, const Expr& e) const {
    if (GiNaC::is_a<GiNaC::mul>(e)) {
      for (const Expr& factor : e) multiply(f, factor);
    } else if (GiNaC::is_a<Rational>(e)) {
      f.coefficient *= GiNaC::ex_to<Rational>(e);
    } else if (GiNaC::is_a<GiNaC::power>(e) && GiNaC::is_a<Rational>(e.op(1))) {
      const Rational exponent = GiNaC::ex_to<Rational>(e.op(1));
      if (GiNaC::is_a<GiNaC::add>(e.op(0)) && exponent == -1)
        return multiply_by_sum(f, e.op(0), false);
      const int place = GiNaC::is_a<Rational>(e.op(0)) ? 0 : 1;
      (exponent.is_negative() ? f.below : f.above)
          .push_back({place, power_of_number(e.op(0), GiNaC::abs(exponent))});
    } else if (GiNaC::is_a<GiNaC::power>(e)) {  // 2^(n + 1), 1/2^n
      const bool inverse = leading_sign(e.op(1)) < 0;
      (inverse ? f.below : f.above).push_back({1, power(e.op(0), inverse ? -e.op(1) : e.op(1))});
    } else if (GiNaC::is_a<GiNaC::add>(e)) {
      multiply_by_sum(f, e, true);
    } else {
      f.above.push_back({1, power_of_number(e, 1)});
    }
  }

  std::string product(std::vector<Factor> factors) const {
    std::sort(factors.begin(), factors.end());
    std::string text;
    for (const Factor& f : factors) text += (text.empty() ? "" : notation_.times) + f.text;
    return text;
  }

  struct Term {
    Rational degree;
    std::string text;  // without its sign
    bool negative;
  };

  Term term(const Expr& e) const {
    Fraction f;
    multiply(f, e);
    settle_signs(f);
    const Rational c = GiNaC::abs(f.coefficient);
    if (c.numer() != 1 || f.above.empty())
      f.above.push_back({-1, notation_.number(number(c.numer()))});
    if (c.denom() != 1) f.below.push_back({-1, notation_.number(number(c.denom()))});
    std::string text = product(f.above);
    if (!f.below.empty()) text = notation_.fraction(text, product(f.below), f.below.size() == 1);
    return {degree(e), text, f.coefficient.is_negative()};
  }

  std::string sum(const Expr& e) const {
    std::vector<Term> terms;
    if (GiNaC::is_a<GiNaC::add>(e)) {
      for (const Expr& summand : e) terms.push_back(term(summand));
    } else {
      terms.push_back(term(e));
    }
    std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
      if (a.degree != b.degree) return a.degree > b.degree;
      if (a.negative != b.negative) return b.negative;
      return a.text < b.text;
    });
    std::string text;
    for (const Term& t : terms) {
      text += text.empty() ? (t.negative ? notation_.negative : "")
                           : (t.negative ? notation_.minus : notation_.plus);
      text += t.text;
    }
    return text;
  }

  const Notation& notation_;
};

}  // namespace

std::string written(const Expr& e, const Notation& notation) {
  return Writer(notation).written(e);
}

std::string to_string(const Expr& e) {
  return written(e, infix());
}

std::string grouped(const Rational& whole) {
  std::string digits = to_string(whole);
  const std::size_t sign = whole.is_negative() ? 1 : 0;
  for (std::size_t at = digits.size(); at > sign + 3;) digits.insert(at -= 3, ",");
  return digits;
}

}  // namespace redblue::symbolic
