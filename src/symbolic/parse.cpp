// Formulas as users write them.
#include <cctype>
#include <cmath>
#include <stdexcept>

#include "redblue/analysis.hpp"
#include "redblue/error.hpp"
#include "symbolic/expr.hpp"

namespace redblue {

namespace {

// GiNaC 1.8 calls functions without arguments, too, and reads the first. Comments, from # to the
// end of the line, and white space are no arguments.
bool has_empty_parentheses(const std::string& formula) {
  char before = 0;
  bool in_comment = false;
  for (const char c : formula) {
    in_comment = c != '\n' && (in_comment || c == '#');
    if (in_comment || std::isspace(static_cast<unsigned char>(c)) != 0) continue;
    if (before == '(' && c == ')') return true;
    before = c;
  }
  return false;
}

}  // namespace

double evaluate_formula(const std::string& formula, const std::map<std::string, double>& values) {
  GiNaC::symtab names;
  GiNaC::exmap numbers;
  for (const auto& [name, value] : values) {
    names[name] = symbolic::symbol(name);
    numbers[symbolic::symbol(name)] = GiNaC::numeric(value);
  }
  std::string why = "it is no number";
  try {
    if (has_empty_parentheses(formula)) throw std::invalid_argument("nothing between ( and )");
    GiNaC::parser reader(names, true, symbolic::formula_functions());
    const GiNaC::ex result = reader(formula).subs(numbers).evalf();
    if (GiNaC::is_a<GiNaC::numeric>(result)) {
      const double number = GiNaC::ex_to<GiNaC::numeric>(result).to_double();
      if (std::isfinite(number)) return number;
    }
  } catch (const std::exception& e) {
    why = e.what();
  }
  std::string known;
  for (const auto& [name, value] : values) known += (known.empty() ? "" : ", ") + name;
  throw Error("the formula '" + formula + "'", why, "use + - * / ^ sqrt() and " + known);
}

}  // namespace redblue
