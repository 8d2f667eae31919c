// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/traffic/formula.hpp"

#include <algorithm>
#include <cstdlib>

#include "redblue/error.hpp"

namespace redblue::schedule {

namespace {

bool constant(const Formula& f) {
  return f.is_sum() && f.terms.empty();
}

}  // namespace

std::int64_t floor_of(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

std::int64_t Formula::factor_of(std::size_t counter) const {
  for (const Term& t : terms) {
    if (t.counter == counter) return t.factor;
  }
  return 0;
}

std::int64_t Formula::largest_factor_of(std::size_t counter) const {
  std::int64_t result = std::abs(factor_of(counter));
  for (const Formula& a : arguments) result = std::max(result, a.largest_factor_of(counter));
  return result;
}

bool Formula::operator==(const Formula& other) const {
  const auto covers = [](const Formula& a, const Formula& b) {
    return std::all_of(a.terms.begin(), a.terms.end(),
                       [&b](const Term& t) { return b.factor_of(t.counter) == t.factor; });
  };
  return operation == other.operation && constant == other.constant && covers(*this, other) &&
         covers(other, *this) && arguments == other.arguments;
}

std::int64_t Formula::operated(const std::int64_t* counters) const {
  const auto value = [&](std::size_t a) { return arguments[a].at(counters); };
  switch (operation) {
    case isl_ast_expr_op_and:
    case isl_ast_expr_op_and_then:
      return value(0) != 0 && value(1) != 0 ? 1 : 0;
    case isl_ast_expr_op_or:
    case isl_ast_expr_op_or_else:
      return value(0) != 0 || value(1) != 0 ? 1 : 0;
    case isl_ast_expr_op_max:
    case isl_ast_expr_op_min: {
      std::int64_t result = value(0);
      for (std::size_t a = 1; a < arguments.size(); ++a) {
        result = operation == isl_ast_expr_op_max ? std::max(result, value(a))
                                                  : std::min(result, value(a));
      }
      return result;
    }
    case isl_ast_expr_op_minus:
      return -value(0);
    case isl_ast_expr_op_add:
      return value(0) + value(1);
    case isl_ast_expr_op_sub:
      return value(0) - value(1);
    case isl_ast_expr_op_mul:
      return value(0) * value(1);
    case isl_ast_expr_op_div:
    case isl_ast_expr_op_pdiv_q:
      return value(0) / value(1);
    case isl_ast_expr_op_fdiv_q:
      return floor_of(value(0), value(1));
    case isl_ast_expr_op_pdiv_r:
    case isl_ast_expr_op_zdiv_r:
      return value(0) % value(1);
    case isl_ast_expr_op_cond:
    case isl_ast_expr_op_select:
      return value(0) != 0 ? value(1) : value(2);
    case isl_ast_expr_op_eq:
      return value(0) == value(1) ? 1 : 0;
    case isl_ast_expr_op_le:
      return value(0) <= value(1) ? 1 : 0;
    case isl_ast_expr_op_lt:
      return value(0) < value(1) ? 1 : 0;
    case isl_ast_expr_op_ge:
      return value(0) >= value(1) ? 1 : 0;
    case isl_ast_expr_op_gt:
      return value(0) > value(1) ? 1 : 0;
    default:
      throw Error("loops of a schedule", "an operation redblue does not know", "");
  }
}

Formula number(std::int64_t value) {
  Formula result;
  result.constant = value;
  return result;
}

Formula counter(std::size_t which) {
  Formula result;
  result.terms.push_back({which, 1});
  return result;
}

Formula plus(const Formula& a, const Formula& b, std::int64_t times_b) {
  Formula result = a;
  result.constant += times_b * b.constant;
  for (const Formula::Term& t : b.terms) {
    const auto same = std::find_if(result.terms.begin(), result.terms.end(),
                                   [&t](const auto& r) { return r.counter == t.counter; });
    if (same == result.terms.end()) {
      result.terms.push_back({t.counter, times_b * t.factor});
    } else {
      same->factor += times_b * t.factor;
    }
  }
  std::erase_if(result.terms, [](const Formula::Term& t) { return t.factor == 0; });
  return result;
}

Formula operation(isl_ast_expr_op_type type, std::vector<Formula> arguments) {
  const bool sums =
      std::all_of(arguments.begin(), arguments.end(), [](const Formula& f) { return f.is_sum(); });
  if (sums && type == isl_ast_expr_op_add) return plus(arguments[0], arguments[1]);
  if (sums && type == isl_ast_expr_op_sub) return plus(arguments[0], arguments[1], -1);
  if (sums && type == isl_ast_expr_op_minus) return plus(number(0), arguments[0], -1);
  if (sums && type == isl_ast_expr_op_mul) {
    if (constant(arguments[0])) return plus(number(0), arguments[1], arguments[0].constant);
    if (constant(arguments[1])) return plus(number(0), arguments[0], arguments[1].constant);
  }
  Formula result;
  result.operation = type;
  result.arguments = std::move(arguments);
  return result;
}

}  // namespace redblue::schedule
