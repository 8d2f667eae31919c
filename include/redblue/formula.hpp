// SPDX-License-Identifier: BSD-3-Clause
// Formulas as values: what bounds and counts are, in the parameters of a program and S.
//
// A formula has exact rational numbers, names that stand for numbers above 0, + - * / ^ and the
// functions sqrt, floor, ceil, log2, min and max. A Formula never changes; copies share it. Like
// all of the analysis library, formulas are for one thread at a time.
#pragma once

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace redblue {

class Formula {
 public:
  Formula() = default;  // none
  // Reads plain infix, "2*N^3/sqrt(S)"; comments run from # to the end of a line. Throws Error with
  // the first character that cannot be read.
  Formula(const std::string& text);  // NOLINT: a formula may be given as text anywhere
  Formula(const char* text);         // NOLINT
  // The same where only these names are known.
  Formula(const std::string& text, const std::vector<std::string>& names);

  bool empty() const { return !value_; }  // whether there is none

  // Plain infix, which Formula(text()) reads back; "" where there is none. The summand of the
  // highest degree comes first, factors follow the alphabet.
  std::string text() const;
  std::string latex() const;  // for math mode: "\frac{2\,N^{3}}{\sqrt{S}}"
  // MathML Core for between <math> and </math>: "<mrow><msqrt><mi>S</mi></msqrt></mrow>".
  std::string mathml() const;
  // An expression of Python's that needs `import math`. A name that Python keeps for itself gets an
  // underscore at its end: lambda_.
  std::string python() const;

  std::vector<std::string> names() const;  // each once, sorted

  // The number it stands for. Throws Error where a name has no value, or there is no such number
  // (1/0).
  double at(const std::map<std::string, double>& values) const;

  // The formula with formulas, or numbers, in place of names; other names stay.
  Formula with(const std::map<std::string, Formula>& replacements) const;

  // Throws Error where a floor, ceil, min or max of the name has none.
  Formula derivative(const std::string& name) const;

  // Whether both are the same after all products of sums are multiplied out.
  bool operator==(const Formula& other) const;

  // The library's own.
  struct Value;
  explicit Formula(std::shared_ptr<const Value> value) : value_(std::move(value)) {}
  const Value& value() const;  // throws Error where there is none

 private:
  std::shared_ptr<const Value> value_;
};

std::ostream& operator<<(std::ostream& out, const Formula& formula);  // its text()

}  // namespace redblue
