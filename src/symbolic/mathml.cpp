// SPDX-License-Identifier: BSD-3-Clause
// Formulas in MathML Core: what browsers show without a script.
#include "symbolic/notation.hpp"

namespace redblue::symbolic {

namespace {

std::string row(const std::string& inside) {
  return "<mrow>" + inside + "</mrow>";
}

// Fences of MathML grow with what they enclose.
std::string between(const char* left, const std::string& inside, const char* right) {
  return row(std::string("<mo>") + left + "</mo>" + inside + "<mo>" + right + "</mo>");
}

std::string in_parentheses(const std::string& sum) {
  return between("(", sum, ")");
}

std::string number(const std::string& digits) {
  return "<mn>" + digits + "</mn>";
}

std::string name(const std::string& name) {
  std::string text;
  for (const char c : name) {
    text += c == '<' ? std::string("&lt;") : c == '&' ? std::string("&amp;") : std::string(1, c);
  }
  return "<mi>" + text + "</mi>";
}

std::string fraction(const std::string& above, const std::string& below, bool) {
  return "<mfrac>" + row(above) + row(below) + "</mfrac>";
}

std::string power(const Operand& base, const Operand& exponent) {
  return "<msup>" + (base.simple ? row(base.text) : in_parentheses(base.text)) +
         row(exponent.text) + "</msup>";
}

std::string call(const std::string& function, const std::vector<std::string>& arguments) {
  std::string inside;
  for (const std::string& argument : arguments)
    inside += (inside.empty() ? "" : "<mo>,</mo>") + row(argument);
  if (function == "sqrt") return "<msqrt>" + inside + "</msqrt>";
  if (function == "floor") return between("&#x230A;", inside, "&#x230B;");
  if (function == "ceil") return between("&#x2308;", inside, "&#x2309;");
  const std::string shown =
      function == "log2" ? "<msub><mi>log</mi><mn>2</mn></msub>" : "<mi>" + function + "</mi>";
  // U+2061 is the application of a function, which nobody sees and screen readers read.
  return row(shown + "<mo>&#x2061;</mo>" + in_parentheses(inside));
}

}  // namespace

const Notation& mathml() {
  // U+2062, invisible times, and room as of a thin space.
  static const Notation notation{"<mo lspace=\"0\" rspace=\"0.17em\">&#x2062;</mo>",
                                 "<mo>+</mo>",
                                 "<mo>&#x2212;</mo>",
                                 "<mo>&#x2212;</mo>",
                                 number,
                                 in_parentheses,
                                 name,
                                 fraction,
                                 power,
                                 call};
  return notation;
}

}  // namespace redblue::symbolic
