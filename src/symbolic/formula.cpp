// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/formula.hpp"

#include <cmath>
#include <set>
#include <sstream>

#include "redblue/error.hpp"
#include "symbolic/notation.hpp"

namespace redblue {

struct Formula::Value {
  symbolic::Expr expr;
};

namespace {

using symbolic::Expr;
using symbolic::Rational;

// Whole numbers as such: what stands in a floor must not be rounded.
Rational exact(double value) {
  constexpr double most = 1e15;
  if (std::abs(value) < most && value == std::floor(value))
    return Rational(static_cast<long>(value));
  return Rational(value);
}

void collect(const Expr& e, std::set<std::string>& names) {
  if (GiNaC::is_a<symbolic::Symbol>(e)) names.insert(GiNaC::ex_to<symbolic::Symbol>(e).get_name());
  for (const Expr& part : e) collect(part, names);
}

std::string listed(const std::map<std::string, double>& values) {
  std::ostringstream text;
  for (const auto& [name, value] : values)
    text << (text.tellp() == 0 ? "" : ", ") << name << " = " << value;
  return text.str();
}

std::shared_ptr<const Formula::Value> of(const Expr& e) {
  return std::make_shared<const Formula::Value>(Formula::Value{e});
}

}  // namespace

Formula::Formula(const std::string& text) : value_(of(symbolic::parse(text))) {}
Formula::Formula(const char* text) : Formula(std::string(text)) {}
Formula::Formula(const std::string& text, const std::vector<std::string>& names)
    : value_(of(symbolic::parse(text, names))) {}

const Formula::Value& Formula::value() const {
  if (!value_) throw Error("a formula", "there is none here", "ask empty() first");
  return *value_;
}

std::string Formula::text() const {
  return empty() ? "" : symbolic::to_string(value_->expr);
}
std::string Formula::latex() const {
  return empty() ? "" : written(value_->expr, symbolic::latex());
}
std::string Formula::mathml() const {
  return empty() ? "" : "<mrow>" + written(value_->expr, symbolic::mathml()) + "</mrow>";
}
std::string Formula::python() const {
  return empty() ? "" : written(value_->expr, symbolic::python());
}

std::vector<std::string> Formula::names() const {
  std::set<std::string> names;
  if (value_) collect(value_->expr, names);
  return {names.begin(), names.end()};
}

double Formula::at(const std::map<std::string, double>& values) const {
  const Expr& formula = value().expr;
  for (const std::string& name : names()) {
    if (!values.contains(name))
      throw Error("the formula '" + text() + "'", "'" + name + "' has no value", "give one");
  }
  GiNaC::exmap numbers;
  for (const auto& [name, number] : values) numbers[symbolic::symbol(name)] = exact(number);
  try {
    const Expr result = formula.subs(numbers).evalf();
    if (GiNaC::is_a<Rational>(result)) {
      const double number = GiNaC::ex_to<Rational>(result).to_double();
      if (std::isfinite(number)) return number;
    }
  } catch (const std::exception&) {  // GiNaC's, of a division by zero
  }
  throw Error("the formula '" + text() + "'", "it is no number for " + listed(values),
              "give other values");
}

Formula Formula::with(const std::map<std::string, Formula>& replacements) const {
  GiNaC::exmap by;
  for (const auto& [name, formula] : replacements)
    by[symbolic::symbol(name)] = formula.value().expr;
  try {
    return Formula(of(value().expr.subs(by)));
  } catch (const GiNaC::pole_error&) {
    throw Error("the formula '" + text() + "' with other names", "a division by 0", "");
  }
}

Formula Formula::derivative(const std::string& name) const {
  const symbolic::Symbol& variable = symbolic::symbol(name);
  const Expr result = value().expr.diff(variable);
  for (auto part = result.preorder_begin(); part != result.preorder_end(); ++part) {
    if (GiNaC::is_a<GiNaC::fderivative>(*part) && part->has(variable))
      throw Error("the derivative of '" + text() + "' in " + name,
                  "a function of " + name + " in it has none", "");
  }
  return Formula(of(result));
}

bool Formula::operator==(const Formula& other) const {
  if (empty() || other.empty()) return empty() == other.empty();
  return (value_->expr - other.value_->expr).expand().is_zero();
}

std::ostream& operator<<(std::ostream& out, const Formula& formula) {
  return out << formula.text();
}

namespace symbolic {

Formula formula(const Expr& e) {
  return Formula(of(e));
}

const Expr& expr(const Formula& formula) {
  return formula.value().expr;
}

}  // namespace symbolic

}  // namespace redblue
