#include "frontend/c/affine.hpp"

#include <isl/aff.h>
#include <isl/set.h>

#include <algorithm>

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
  return inside;
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
  const auto body = body_of(call);
  const bool is_return = body && body->children().size() == 1 &&
                         body->children().front().kind() == CXCursor_ReturnStmt &&
                         !body->children().front().children().empty();
  if (!is_return) throw not_affine(call);
  const std::vector<Node> parameters = parameters_of(definition_of(call)), parts = call.children();
  Scope inside = inside_call(call, scope);
  for (std::size_t p = 0; p < parameters.size() && p + 1 < parts.size(); ++p)
    inside.values.insert_or_assign(parameters[p].key(), affine(parts[p + 1], scope));
  return affine(body->children().front().children().front(), inside);
}

isl::pw_aff call_value(const Node& expression, const Scope& scope) {
  const std::string name = expression.name();
  const std::vector<Node> parts = expression.children();
  if (parts.size() == 3) {
    const auto argument = [&](int i) { return affine(parts[static_cast<std::size_t>(i)], scope); };
    if (name == "min" || name == "imin") {
      return isl::manage(isl_pw_aff_min(argument(1).release(), argument(2).release()));
    }
    if (name == "max" || name == "imax") {
      return isl::manage(isl_pw_aff_max(argument(1).release(), argument(2).release()));
    }
    const auto divisor = parts[2].constant();
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
  if (const auto value = raw.constant()) return constant(*value, scope);
  const Node expression = stripped(raw);
  if (!expression.has_integer_type()) throw not_affine(expression);
  if (const auto value = expression.constant()) return constant(*value, scope);
  switch (expression.kind()) {
    case CXCursor_DeclRefExpr:
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
      const auto field = member(expression);
      if (!field || scope.written->count(field->key) != 0) throw not_affine(expression);
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
    const auto field = member(expression);
    return field && expression.has_integer_type() && scope.written->count(field->key) == 0;
  }
  if (kind == CXCursor_DeclRefExpr) {
    const Node declaration = expression.referenced();
    if (declaration.kind() == CXCursor_FunctionDecl) return true;
    if (!declaration.has_integer_type()) return false;
    return scope.values.count(declaration.key()) != 0 ||
           scope.written->count(declaration.key()) == 0;
  }
  const std::vector<Node> children = expression.children();
  return std::all_of(children.begin(), children.end(),
                     [&scope](const Node& child) { return is_integer_control(child, scope); });
}

}  // namespace redblue::frontend::c
