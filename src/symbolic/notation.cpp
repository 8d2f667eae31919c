// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/notation.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace redblue::symbolic {

namespace {

std::string parenthesised(const Operand& o) {
  return o.simple ? o.text : "(" + o.text + ")";
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string as_it_is(const std::string& name) {
  return name;
}

std::string in_parentheses(const std::string& sum) {
  return "(" + sum + ")";
}

std::string plain_fraction(const std::string& above, const std::string& below, bool one_factor) {
  return above + "/" + parenthesised({below, one_factor});
}

std::string plain_power(const Operand& base, const Operand& exponent) {
  return parenthesised(base) + "^" + parenthesised(exponent);
}

std::string plain_call(const std::string& function, const std::vector<std::string>& arguments) {
  return function + "(" + joined(arguments) + ")";
}

std::string python_name(const std::string& name) {
  static constexpr std::array<std::string_view, 39> taken = {
      "False",   "None",     "True",     "and",    "as",   "assert", "async",  "await",
      "break",   "class",    "continue", "def",    "del",  "elif",   "else",   "except",
      "finally", "for",      "from",     "global", "if",   "import", "in",     "is",
      "lambda",  "nonlocal", "not",      "or",     "pass", "raise",  "return", "try",
      "while",   "with",     "yield",    "math",   "min",  "max",    "print"};
  const bool is_taken = std::find(taken.begin(), taken.end(), name) != taken.end();
  return is_taken ? name + "_" : name;
}

std::string python_power(const Operand& base, const Operand& exponent) {
  return parenthesised(base) + "**" + parenthesised(exponent);
}

std::string python_call(const std::string& function, const std::vector<std::string>& arguments) {
  const bool builtin = function == "min" || function == "max";
  return (builtin ? "" : "math.") + plain_call(function, arguments);
}

std::string latex_name(const std::string& name) {
  if (name.size() == 1) return name;
  std::string text;
  for (const char c : name) text += c == '_' ? "\\_" : std::string(1, c);
  return "\\mathit{" + text + "}";
}

std::string latex_fraction(const std::string& above, const std::string& below, bool) {
  return "\\frac{" + above + "}{" + below + "}";
}

std::string latex_power(const Operand& base, const Operand& exponent) {
  return (base.simple ? base.text : "\\left(" + base.text + "\\right)") + "^{" + exponent.text +
         "}";
}

std::string latex_call(const std::string& function, const std::vector<std::string>& arguments) {
  const std::string inside = joined(arguments);
  if (function == "sqrt") return "\\sqrt{" + inside + "}";
  if (function == "floor") return "\\lfloor " + inside + "\\rfloor";
  if (function == "ceil") return "\\lceil " + inside + "\\rceil";
  const std::string shown = function == "log2" ? "\\log_{2}" : "\\" + function;
  return shown + "\\left(" + inside + "\\right)";
}

}  // namespace

const Notation& infix() {
  static const Notation notation{"*",         " + ",          " - ",    "-",
                                 as_it_is,    in_parentheses, as_it_is, plain_fraction,
                                 plain_power, plain_call};
  return notation;
}

const Notation& latex() {
  static const Notation notation{"\\,",       " + ",          " - ",      "-",
                                 as_it_is,    in_parentheses, latex_name, latex_fraction,
                                 latex_power, latex_call};
  return notation;
}

const Notation& python() {
  static const Notation notation{"*",          " + ",          " - ",       "-",
                                 as_it_is,     in_parentheses, python_name, plain_fraction,
                                 python_power, python_call};
  return notation;
}

}  // namespace redblue::symbolic
