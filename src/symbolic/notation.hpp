// SPDX-License-Identifier: BSD-3-Clause
// How formulas are written in several languages.
#pragma once

#include <string>
#include <vector>

#include "symbolic/expr.hpp"

namespace redblue::symbolic {

// A text and whether it needs no parentheses: a name, a whole number, a call.
struct Operand {
  std::string text;
  bool simple;
};

// What differs between languages.
struct Notation {
  std::string times, plus, minus, negative;  // the last before a first summand
  std::string (*number)(const std::string& digits);
  std::string (*sum_in_product)(const std::string& sum);
  std::string (*name)(const std::string& name);
  std::string (*fraction)(const std::string& above, const std::string& below, bool one_factor);
  std::string (*power)(const Operand& base, const Operand& exponent);
  std::string (*call)(const std::string& function, const std::vector<std::string>& arguments);
};

const Notation& infix();
const Notation& latex();
const Notation& python();
const Notation& mathml();  // MathML Core, to stand within <math>

std::string written(const Expr& e, const Notation& notation);

}  // namespace redblue::symbolic
