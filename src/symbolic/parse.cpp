// Formulas as users write them.
#include <cmath>

#include "redblue/analysis.hpp"
#include "redblue/error.hpp"
#include "symbolic/expr.hpp"

namespace redblue {

double evaluate_formula(const std::string& formula, const std::map<std::string, double>& values) {
  GiNaC::symtab names;
  GiNaC::exmap numbers;
  for (const auto& [name, value] : values) {
    names[name] = symbolic::symbol(name);
    numbers[symbolic::symbol(name)] = GiNaC::numeric(value);
  }
  std::string why = "it is no number";
  try {
    GiNaC::parser reader(names, true);
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
