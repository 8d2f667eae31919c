// SPDX-License-Identifier: BSD-3-Clause
// Formulas as users write them.
#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "redblue/error.hpp"
#include "symbolic/expr.hpp"

namespace redblue {

namespace symbolic {

namespace {

// Reads, by recursive descent,
//     sum:     product { (+ | -) product }        product: power { (* | /) power }
//     power:   { + | - } atom [ ^ power ]
//     atom:    number | name | function ( sum [ , sum ] ) | ( sum )
// What is wrong is thrown as std::invalid_argument.
class Reader {
 public:
  // All names are known where `names` is null.
  Reader(const std::string& text, const std::vector<std::string>* names)
      : text_(text), names_(names) {}

  Expr formula() {
    const Expr result = sum();
    if (next() != 0) fail(std::string("'") + next() + "' is not expected");
    return result;
  }

 private:
  static constexpr int deepest = 200;
  static constexpr double most_digits = 1e5;  // binary

  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument(what + " at character " + std::to_string(at_ + 1));
  }

  // The next character that is no white space and in no comment, from # to the end of its line; 0
  // at the end.
  char next() {
    for (bool comment = false; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      comment = c != '\n' && (comment || c == '#');
      if (!comment && std::isspace(static_cast<unsigned char>(c)) == 0) return c;
    }
    return 0;
  }

  bool take(char wanted) {
    if (next() != wanted) return false;
    ++at_;
    return true;
  }

  Expr sum() {
    if (++depth_ > deepest) fail("parentheses are too deep");
    Expr result = product();
    while (next() == '+' || next() == '-') {
      result = take('+') ? result + product() : (take('-'), result - product());
    }
    --depth_;
    return result;
  }

  Expr product() {
    Expr result = power();
    while (next() == '*' || next() == '/') {
      if (take('*')) {
        result = result * power();
        continue;
      }
      take('/');
      const Expr divisor = power();
      if (divisor.is_zero()) fail("a division by 0");
      result = result / divisor;
    }
    return result;
  }

  Expr power() {
    if (++depth_ > deepest) fail("signs and powers are too deep");
    const bool negative = next() == '-';
    if (take('-') || take('+')) {
      const Expr signed_power = negative ? -power() : power();
      --depth_;
      return signed_power;
    }
    const Expr base = atom();
    const Expr result = take('^') ? raised(base, power()) : base;
    --depth_;
    return result;
  }

  Expr raised(const Expr& base, const Expr& exponent) const {
    constexpr int largest = 1000;
    if (GiNaC::is_a<Rational>(exponent)) {
      const Rational power = GiNaC::ex_to<Rational>(exponent);
      if (GiNaC::abs(power) > largest) fail("an exponent above 1000");
      if (base.is_zero() && power.is_negative()) fail("a division by 0");
      if (GiNaC::is_a<Rational>(base) &&
          digits_of(GiNaC::ex_to<Rational>(base)) * GiNaC::abs(power).to_double() > most_digits)
        fail("a number of too many digits");
    }
    return GiNaC::pow(base, exponent);
  }

  static double digits_of(const Rational& number) {
    return 1 + std::max(number.numer().int_length(), number.denom().int_length());
  }

  Expr atom() {
    const char c = next();
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') return number();
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') return named();
    if (c == 0) fail("something is missing");
    if (!take('(')) fail(std::string("'") + c + "' is not expected");
    return closed();
  }

  Expr closed() {
    const Expr inside = sum();
    if (!take(')')) fail("a ')' is missing");
    return inside;
  }

  Expr number() {
    const std::size_t begin = at_;
    const auto digits = [this] {
      while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    };
    digits();
    const std::size_t whole = at_;
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      digits();
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
      const std::size_t exponent = at_;
      digits();
      if (at_ == exponent) fail("an exponent is missing");
    }
    const std::string digits_read = text_.substr(begin, at_ - begin);
    if (at_ == whole && digits_read.size() < 1000) return Rational(digits_read.c_str());
    try {
      return Rational(std::stod(digits_read));
    } catch (const std::exception&) {
      fail("'" + digits_read.substr(0, 40) + "' is no number");
    }
  }

  Expr named() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    const std::string name = text_.substr(begin, at_ - begin);
    if (next() == '(' && is_function(name)) return applied(name);
    if (names_ != nullptr && std::find(names_->begin(), names_->end(), name) == names_->end())
      fail("'" + name + "' is not known");
    return symbol(name);
  }

  static bool is_function(const std::string& name) {
    return name == "sqrt" || name == "floor" || name == "ceil" || name == "log2" || name == "min" ||
           name == "max";
  }

  Expr applied(const std::string& function) {
    take('(');
    const Expr first = sum();
    if (function == "min" || function == "max") {
      if (!take(',')) fail(function + " has two arguments");
      const Expr second = closed();
      return function == "min" ? minimum(first, second) : maximum(first, second);
    }
    if (!take(')')) fail("a ')' is missing");
    if (function == "sqrt") return GiNaC::sqrt(first);
    if (function == "floor") return floor(first);
    return function == "ceil" ? ceil(first) : log2(first);
  }

  const std::string& text_;
  const std::vector<std::string>* names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

namespace {

Expr parse(const std::string& formula, const std::vector<std::string>* names) {
  std::string why;
  try {
    return Reader(formula, names).formula();
  } catch (const std::invalid_argument& e) {
    why = e.what();
  } catch (const std::exception&) {
    why = "it has no value";
  }
  std::string known;
  if (names != nullptr)
    for (const std::string& name : *names) known += (known.empty() ? "" : ", ") + name;
  throw Error("the formula '" + formula + "'", why,
              "use + - * / ^ sqrt() floor() ceil() log2() min() max()" +
                  (known.empty() ? "" : " and " + known));
}

}  // namespace

Expr parse(const std::string& formula) {
  return parse(formula, nullptr);
}

Expr parse(const std::string& formula, const std::vector<std::string>& names) {
  return parse(formula, &names);
}

}  // namespace symbolic

}  // namespace redblue
