// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/printer.hpp"

#include <algorithm>

#include "bounds/busiest/even_shares.hpp"
#include "program/count.hpp"
#include "symbolic/formula.hpp"

namespace redblue::analysis {

using bounds::Bound;
using symbolic::Expr;

LowerBound Printer::printed(const Bound& bound) const {
  const Choice choice = chosen({bound.expression, bound.intensity}, bound.conditions);
  LowerBound result;
  result.method = bound.method;
  result.statement = bound.statement;
  const Expr expression = put_in(bound.expression, choice);
  result.expression = symbolic::formula(expression);
  const bool as_for_large = expression.is_equal(at_large(bound.expression));
  result.leading =
      symbolic::formula(as_for_large ? bound.leading : symbolic::leading_term(expression));
  result.holds_where = choice.where;
  result.holds_for = bounds::text_of(result.holds_where);
  result.value = bound.value;
  result.stores_value = bound.stores_value;
  result.ledger = bound.ledger;
  result.recomputation = bound.recomputation;
  result.projections = bound.projections;
  if (bound.busiest) add_busiest(*bound.busiest, bound.value.has_value(), result);
  if (bound.factor != 1) result.factor = symbolic::formula(put_in(bound.factor, choice));
  result.factor_from = bound.factor_from;
  for (const auto& [what, number] : bound.counted) {
    const Choice counts = chosen({number}, {});
    result.counted.emplace_back(what, symbolic::formula(put_in(number, counts)));
  }
  if (bound.largest) result.largest = symbolic::formula(put_in(*bound.largest, choice));
  if (bound.segment.is_zero() && bound.intensity.is_zero()) return result;
  result.intensity = symbolic::formula(put_in(bound.intensity, choice));
  if (!bound.segment.is_zero()) result.segment = symbolic::formula(bound.segment);
  for (const auto& [loop, size] : bound.tiles)
    result.tiles.emplace_back(loop, symbolic::formula(size));
  return result;
}

SeparateParts Printer::printed(const bounds::Apart& parts) const {
  const bounds::Amount number = sizes_.amount(program::count(parts.parts));
  const Choice choice = chosen({number.formula}, {});
  SeparateParts result;
  result.statement = parts.statement;
  result.loop = parts.loop;
  result.parts = symbolic::formula(put_in(number.formula, choice));
  result.holds_for = bounds::text_of(choice.where);
  if (sizes_.complete) result.value = number.value;
  result.alike = parts.alike;
  return result;
}

void Printer::add_count(const program::Count& count, StatementInfo& info) const {
  const Expr formula = sizes_.counts->symbol_of(count);
  const Choice choice = chosen({formula}, {});
  info.count = symbolic::formula(put_in(formula, choice));
  info.count_holds_for = bounds::text_of(choice.where);
}

Printer::Choice Printer::chosen(const std::vector<Expr>& formulas,
                                const std::vector<bounds::AtLeast>& conditions) const {
  std::vector<Expr> all = formulas;
  for (const bounds::AtLeast& c : conditions) all.insert(all.end(), {c.left, c.right});
  const bounds::Chamber chamber = sizes_.counts->chamber(all, sizes_.wanted);
  const GiNaC::exmap distance = bounds::distance_in_words();
  Choice choice{chamber.polynomials, bounds::conditions_of(chamber.where, distance)};
  for (const bounds::AtLeast& c : conditions) {
    const SizeCondition printed =
        bounds::printed({put_in(c.left, choice), put_in(c.right, choice)});
    const bool known = std::any_of(
        choice.where.begin(), choice.where.end(), [&printed](const SizeCondition& other) {
          return other.left == printed.left && other.right == printed.right;
        });
    if (!known) choice.where.push_back(printed);
  }
  return choice;
}

Expr Printer::put_in(const Expr& formula, const Choice& choice) {
  return formula.subs(choice.polynomials).subs(bounds::distance_in_words()).expand();
}

Expr Printer::at_large(const Expr& formula) const {
  const Expr counted = sizes_.counts->at(formula, sizes_.wanted.large);
  return counted.subs(bounds::distance_in_words()).expand();
}

void Printer::add_busiest(const bounds::Busiest& busiest, bool has_value,
                          LowerBound& result) const {
  const Expr& words = busiest.words.formula;
  if (bounds::busiest_far_out(words, sizes_) <= 0) return;
  const Choice choice = chosen({words}, busiest.conditions);
  const Formula expanded = symbolic::formula(put_in(words, choice));
  const Formula factors = symbolic::formula(words.subs(choice.polynomials));
  result.busiest = factors.text().size() < expanded.text().size() ? factors : expanded;
  result.busiest_holds_where = choice.where;
  result.busiest_holds_for = bounds::text_of(choice.where);
  result.busiest_provided = busiest.provided;
  if (has_value) result.busiest_value = busiest.words.value;
}

}  // namespace redblue::analysis
