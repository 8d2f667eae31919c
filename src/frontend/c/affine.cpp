// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/c/affine.hpp"

#include <isl/aff.h>
#include <isl/set.h>

#include <algorithm>

#include "frontend/c/ast/templates.hpp"

namespace redblue::frontend::c {

namespace {

using program::context;

isl_local_space* local_space(const Scope& scope) {
  return isl_local_space_from_space(isl_set_get_space(scope.domain.get()));
}

}  // namespace

Scope inside_call(const Node& call, const Scope& scope) {
  Scope inside = scope;
  if (!inside.calls.insert(definition_of(call).key()).second)
    throw error_at(call, "'" + call.name() + "' calls itself", "write recursion as loops");
  inside.names = names_inside(call, scope.names);
  return inside;
}

Scope meant(const Bound& expression, const Scope& scope) {
  Scope result = scope;
  result.names = expression.names;
  return result;
}

isl::pw_aff affine(const Bound& expression, const Scope& scope) {
  return affine(expression.value, meant(expression, scope));
}

isl::pw_aff constant(long long value, const Scope& scope) {
  const isl::val v(context(), static_cast<long>(value));
  return isl::manage(isl_pw_aff_from_aff(isl_aff_val_on_domain(local_space(scope), v.copy())));
}

isl::pw_aff parameter(const std::string& name, const Scope& scope) {
  isl_space* space = isl_set_get_space(scope.domain.get());
  int position = isl_space_find_dim_by_name(space, isl_dim_param, name.c_str());
  if (position < 0) {
    position = static_cast<int>(isl_space_dim(space, isl_dim_param));
    space = isl_space_add_dims(space, isl_dim_param, 1);
    space =
        isl_space_set_dim_name(space, isl_dim_param, static_cast<unsigned>(position), name.c_str());
  }
  return isl::manage(isl_pw_aff_var_on_domain(isl_local_space_from_space(space), isl_dim_param,
                                              static_cast<unsigned>(position)));
}

Error not_affine(const Node& expression) {
  return error_at(
      expression, "'" + expression.text() + "' is not affine in loop variables and parameters",
      "redblue reads sums of variables times constants, min, max, / and % by constants");
}

isl::pw_aff size_value(const Node& where, const Size& size, const Scope& scope) {
  if (size.constant) return constant(*size.constant, scope);
  if (size.given) return affine(*size.given, scope);
  if (size.of_each_row && scope.assumed != nullptr)
    add_once(*scope.assumed, "the rows of '" + size.container + "' are equally long");
  if (size.parameter.empty()) throw not_affine(where);
  return parameter(size.parameter, scope);
}

namespace {

isl::pw_aff choose(const isl::set& where, const isl::pw_aff& yes, const isl::pw_aff& no) {
  isl_pw_aff* first = isl_pw_aff_intersect_domain(yes.copy(), where.copy());
  isl_pw_aff* second = isl_pw_aff_subtract_domain(no.copy(), where.copy());
  return isl::manage(isl_pw_aff_coalesce(isl_pw_aff_union_add(first, second)));
}

isl::pw_aff name_value(const Node& expression, const Scope& scope) {
  const Node declaration = expression.referenced();
  if (declaration.kind() == CXCursor_EnumConstantDecl) {
    return constant(clang_getEnumConstantDeclValue(declaration.cursor), scope);
  }
  const auto known = scope.values.find(declaration.key());
  if (known != scope.values.end()) return known->second;
  if (const auto value = bound_to(declaration, scope.names)) {
    if (value->value.kind() == CXCursor_CXXForRangeStmt)
      throw not_affine(expression);  // an element
    return affine(*value, scope);
  }
  if (!declaration.has_integer_type()) throw not_affine(expression);
  if (scope.written->count(declaration.key()) != 0) {
    throw error_at(expression,
                   "'" + expression.name() + "' is assigned in the region, so it is no parameter",
                   "use a loop variable or a value set before the region");
  }
  return parameter(expression.name(), scope);
}

// Of a function of this file that is one return statement.
isl::pw_aff returned_value(const Node& call, const Scope& scope) {
  const auto value = returned_by(call);
  if (!value) throw not_affine(call);
  return affine(*value, inside_call(call, scope));
}

isl::pw_aff call_value(const Node& expression, const Scope& scope) {
  const std::string name = expression.name();
  if (const auto size = size_of(expression, scope.names))
    return size_value(expression, *size, scope);
  const Call call = call_of(expression);
  if (call.arguments.size() == 2 && !call.is_member) {
    const auto argument = [&](std::size_t i) { return affine(call.arguments[i - 1], scope); };
    if (name == "min" || name == "imin") {
      return isl::manage(isl_pw_aff_min(argument(1).release(), argument(2).release()));
    }
    if (name == "max" || name == "imax") {
      return isl::manage(isl_pw_aff_max(argument(1).release(), argument(2).release()));
    }
    const auto divisor = call.arguments[1].constant();
    if ((name == "floord" || name == "ceild") && divisor && *divisor > 0) {
      isl_pw_aff* q = isl_pw_aff_scale_down_val(
          argument(1).release(), isl::val(context(), static_cast<long>(*divisor)).release());
      return isl::manage(name == "floord" ? isl_pw_aff_floor(q) : isl_pw_aff_ceil(q));
    }
  }
  return returned_value(expression, scope);
}

isl::pw_aff binary_value(const Node& expression, const Scope& scope) {
  const std::vector<Node> sides = expression.children();
  const isl::pw_aff left = affine(sides.at(0), scope);
  const isl::pw_aff right = affine(sides.at(1), scope);
  const auto constant_right = [&] {
    const bool usable =
        isl_pw_aff_is_cst(right.get()) == isl_bool_true && isl_pw_aff_n_piece(right.get()) == 1;
    if (!usable) throw not_affine(expression);
    return isl::manage(
        isl_aff_get_constant_val(isl::manage(isl_pw_aff_as_aff(right.copy())).get()));
  };
  switch (expression.binary_operator()) {
    case CXBinaryOperator_Add:
      return isl::manage(isl_pw_aff_add(left.copy(), right.copy()));
    case CXBinaryOperator_Sub:
      return isl::manage(isl_pw_aff_sub(left.copy(), right.copy()));
    case CXBinaryOperator_Mul:
      if (isl_pw_aff_is_cst(left.get()) != isl_bool_true) (void)constant_right();
      return isl::manage(isl_pw_aff_mul(left.copy(), right.copy()));
    case CXBinaryOperator_Div:
      if (!constant_right().is_pos()) throw not_affine(expression);
      return isl::manage(isl_pw_aff_tdiv_q(left.copy(), right.copy()));
    case CXBinaryOperator_Rem:
      if (!constant_right().is_pos()) throw not_affine(expression);
      return isl::manage(isl_pw_aff_tdiv_r(left.copy(), right.copy()));
    default:
      throw not_affine(expression);
  }
}

bool is_comparison(CXBinaryOperatorKind kind) {
  return kind >= CXBinaryOperator_LT && kind <= CXBinaryOperator_NE;
}

isl_set* compare(CXBinaryOperatorKind kind, isl_pw_aff* left, isl_pw_aff* right) {
  switch (kind) {
    case CXBinaryOperator_LT:
      return isl_pw_aff_lt_set(left, right);
    case CXBinaryOperator_GT:
      return isl_pw_aff_gt_set(left, right);
    case CXBinaryOperator_LE:
      return isl_pw_aff_le_set(left, right);
    case CXBinaryOperator_GE:
      return isl_pw_aff_ge_set(left, right);
    case CXBinaryOperator_EQ:
      return isl_pw_aff_eq_set(left, right);
    default:
      return isl_pw_aff_ne_set(left, right);
  }
}

}  // namespace

isl::pw_aff affine(const Node& raw, const Scope& scope) {
  if (raw.kind() == CXCursor_CXXForRangeStmt) return scope.values.at(raw.key());  // its counter
  if (const auto value = raw.constant()) return constant(*value, scope);
  const Node expression = stripped(raw);
  if (!expression.has_integer_type()) throw not_affine(expression);
  if (const auto value = expression.constant()) return constant(*value, scope);
  switch (expression.kind()) {
    case CXCursor_DeclRefExpr:
      if (is_unknown_argument(expression)) return parameter(expression.text(), scope);
      return name_value(expression, scope);
    case CXCursor_UnaryOperator: {
      const isl::pw_aff operand = affine(expression.children().at(0), scope);
      if (expression.unary_operator() == CXUnaryOperator_Minus) {
        return isl::manage(isl_pw_aff_neg(operand.copy()));
      }
      if (expression.unary_operator() == CXUnaryOperator_Plus) return operand;
      throw not_affine(expression);
    }
    case CXCursor_BinaryOperator:
      return binary_value(expression, scope);
    case CXCursor_ConditionalOperator: {
      const std::vector<Node> parts = expression.children();
      return choose(condition(parts.at(0), scope), affine(parts.at(1), scope),
                    affine(parts.at(2), scope));
    }
    case CXCursor_CallExpr:
      return call_value(expression, scope);
    case CXCursor_MemberRefExpr: {
      const auto field = member(expression, scope.names);
      if (!field || scope.written->count(expression.referenced().key()) != 0)
        throw not_affine(expression);
      return parameter(field->name, scope);
    }
    default:
      throw not_affine(expression);
  }
}

isl::set condition(const Node& raw, const Scope& scope) {
  const Node expression = stripped(raw);
  if (expression.kind() == CXCursor_BinaryOperator) {
    const CXBinaryOperatorKind kind = expression.binary_operator();
    const std::vector<Node> sides = expression.children();
    if (kind == CXBinaryOperator_LAnd) {
      return condition(sides.at(0), scope).intersect(condition(sides.at(1), scope));
    }
    if (kind == CXBinaryOperator_LOr) {
      return condition(sides.at(0), scope).unite(condition(sides.at(1), scope));
    }
    if (is_comparison(kind)) {
      return isl::manage(compare(kind, affine(sides.at(0), scope).release(),
                                 affine(sides.at(1), scope).release()));
    }
  }
  if (expression.kind() == CXCursor_UnaryOperator &&
      expression.unary_operator() == CXUnaryOperator_LNot) {
    return condition(expression.children().at(0), scope).complement();
  }
  return isl::manage(isl_pw_aff_non_zero_set(affine(expression, scope).release()));
}

bool is_integer_control(const Node& expression, const Scope& scope) {
  const CXCursorKind kind = expression.kind();
  if (kind == CXCursor_ArraySubscriptExpr || kind == CXCursor_FloatingLiteral) return false;
  if (kind == CXCursor_MemberRefExpr) {
    return member(expression, scope.names) && expression.has_integer_type() &&
           scope.written->count(expression.referenced().key()) == 0;
  }
  if (kind == CXCursor_CallExpr) {
    if (size_of(expression, scope.names)) return true;
    const auto value = returned_by(expression);
    if (call_of(expression).is_member && (!value || !expression.has_integer_type())) return false;
    if (value && expression.has_integer_type())
      return is_integer_control(*value, inside_call(expression, scope));
  }
  if (kind == CXCursor_DeclRefExpr) {
    if (is_unknown_argument(expression)) return true;
    const Node declaration = expression.referenced();
    if (declaration.kind() == CXCursor_FunctionDecl) return true;
    if (scope.values.count(declaration.key()) != 0) return true;
    const auto value = bound_to(declaration, scope.names);
    if (value)
      return value->value.kind() != CXCursor_CXXForRangeStmt &&
             is_integer_control(value->value, meant(*value, scope));
    if (!declaration.has_integer_type()) return false;
    return scope.written->count(declaration.key()) == 0;
  }
  const std::vector<Node> children = expression.children();
  return std::all_of(children.begin(), children.end(),
                     [&scope](const Node& child) { return is_integer_control(child, scope); });
}

}  // namespace redblue::frontend::c
