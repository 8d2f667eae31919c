// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/c/flat_arrays.hpp"

#include <isl/aff.h>
#include <isl/set.h>

#include <algorithm>
#include <cstdlib>

#include "frontend/c/ast/templates.hpp"

namespace redblue::frontend::c {

namespace {

using Terms = std::vector<Term>;

// The stride with the other taken out; nothing where it is no factor.
std::optional<Stride> quotient(const Stride& whole, const Stride& part) {
  if (part.factor == 0 || whole.factor % part.factor != 0) return std::nullopt;
  if (!std::includes(whole.lengths.begin(), whole.lengths.end(), part.lengths.begin(),
                     part.lengths.end()))
    return std::nullopt;
  Stride left{whole.factor / part.factor, {}};
  std::set_difference(whole.lengths.begin(), whole.lengths.end(), part.lengths.begin(),
                      part.lengths.end(), std::back_inserter(left.lengths));
  return left;
}

Stride product(const Stride& a, const Stride& b) {
  Stride result{a.factor * b.factor, {}};
  std::merge(a.lengths.begin(), a.lengths.end(), b.lengths.begin(), b.lengths.end(),
             std::back_inserter(result.lengths));
  return result;
}

std::optional<Terms> product(const Terms& left, const Terms& right) {
  Terms result;
  for (const Term& a : left) {
    for (const Term& b : right) {
      if (a.rest && b.rest) return std::nullopt;
      result.push_back({product(a.times, b.times), a.rest ? a.rest : b.rest});
    }
  }
  return result;
}

Terms negative(Terms terms) {
  for (Term& t : terms) t.times.factor = -t.times.factor;
  return terms;
}

Terms one_parameter(const std::string& name) {
  return {{{1, {Length{{{name, 1}}, 0}}}, {}}};
}

// Several terms without a rest as one length; others as they are.
Terms as_one_length(const Terms& terms) {
  Length sum;
  for (const Term& t : terms) {
    if (t.rest || t.times.lengths.size() > 1) return terms;
    if (t.times.lengths.empty()) {
      sum.plus += t.times.factor;
      continue;
    }
    const Length& length = t.times.lengths.front();
    sum.plus += t.times.factor * length.plus;
    for (const auto& [name, multiple] : length.multiples) {
      if ((sum.multiples[name] += t.times.factor * multiple) == 0) sum.multiples.erase(name);
    }
  }
  if (terms.size() < 2 || sum.multiples.empty()) return terms;
  return {{{1, {sum}}, {}}};
}

std::optional<Terms> terms_of_name(const Node& name, const Names& names) {
  const Node declaration = name.referenced();
  const std::string key = declaration.key();
  const auto other = bound_to(declaration, names.bindings);
  if (other && other->value.kind() == CXCursor_CXXForRangeStmt)
    return Terms{{{}, Bound{name, names.bindings}}};  // an element, not affine
  if (other) return terms_of(*other, names);
  if (is_unknown_argument(name)) return one_parameter(name.text());
  if (names.written.count(key) == 0) return one_parameter(name.name());
  const auto value = initial_value(declaration);
  return value && names.reassigned.count(key) == 0 ? terms_of(*value, names)
                                                   : Terms{{{}, Bound{name, names.bindings}}};
}

std::optional<Terms> terms_of_call(const Node& call, const Names& names) {
  if (const auto size = size_of(call, names.bindings)) {
    if (size->constant) return Terms{{{*size->constant, {}}, {}}};
    if (size->given) return terms_of(*size->given, names);
    if (!size->parameter.empty() && !size->of_each_row) return one_parameter(size->parameter);
  }
  const auto value = returned_by(call);
  if (value) return terms_of({*value, names_inside(call, names.bindings)}, names);
  return Terms{{{}, Bound{call, names.bindings}}};
}

std::optional<Terms> terms_of_operation(const Node& node, const Names& names) {
  const CXBinaryOperatorKind kind = node.binary_operator();
  if (kind != CXBinaryOperator_Add && kind != CXBinaryOperator_Sub && kind != CXBinaryOperator_Mul)
    return Terms{{{}, Bound{node, names.bindings}}};
  const auto left = terms_of(node.children().at(0), names);
  const auto right = terms_of(node.children().at(1), names);
  if (!left || !right) return std::nullopt;
  if (kind == CXBinaryOperator_Mul && names.whole_sums)
    return product(as_one_length(*left), as_one_length(*right));
  if (kind == CXBinaryOperator_Mul) return product(*left, *right);
  Terms sum = *left;
  const Terms more = kind == CXBinaryOperator_Sub ? negative(*right) : *right;
  sum.insert(sum.end(), more.begin(), more.end());
  return sum;
}

isl::pw_aff scaled(const isl::pw_aff& value, long long factor) {
  const isl::val by(program::context(), static_cast<long>(factor));
  return isl::manage(isl_pw_aff_scale_val(value.copy(), by.copy()));
}

isl::pw_aff plus(const isl::pw_aff& a, const isl::pw_aff& b) {
  return isl::manage(isl_pw_aff_add(a.copy(), b.copy()));
}

isl::pw_aff value_of(const Length& length, const Scope& scope) {
  isl::pw_aff sum = constant(length.plus, scope);
  for (const auto& [name, multiple] : length.multiples)
    sum = plus(sum, scaled(parameter(name, scope), multiple));
  return sum;
}

// factor * length * value; nothing where that is not affine.
std::optional<isl::pw_aff> affine_product(const Stride& times,
                                          const std::optional<isl::pw_aff>& value,
                                          const Scope& scope) {
  isl::pw_aff result = value ? *value : constant(1, scope);
  if (times.lengths.size() > 1) return std::nullopt;
  if (times.lengths.size() == 1) {
    if (isl_pw_aff_is_cst(result.get()) != isl_bool_true) return std::nullopt;
    const isl::pw_aff size = value_of(times.lengths.front(), scope);
    result = isl::manage(isl_pw_aff_mul(size.copy(), result.copy()));
  }
  return scaled(result, times.factor);
}

// Where a part is below 0 or reaches the extent of its dimension.
isl::set outside(const isl::pw_aff& part, const isl::pw_aff& size, const Scope& scope) {
  const isl::set below = isl::manage(isl_pw_aff_lt_set(part.copy(), constant(0, scope).release()));
  const isl::set above = isl::manage(isl_pw_aff_ge_set(part.copy(), size.copy()));
  return below.unite(above).intersect(scope.domain);
}

// A subscript such as i * n + (n - 1 - j) has the n on the wrong side: one row more or less.
isl::set settle(std::vector<isl::pw_aff>& parts, std::size_t d, const isl::pw_aff& size,
                const Scope& scope) {
  const isl::set as_it_is = outside(parts[d], size, scope);
  if (as_it_is.is_empty()) return as_it_is;
  for (const long long rows : {1, -1}) {
    const isl::pw_aff moved = plus(parts[d], scaled(size, rows));
    const isl::set left = outside(moved, size, scope);
    if (!left.is_empty()) continue;
    const isl::val step(program::context(), static_cast<long>(-rows));
    parts[d] = moved;
    parts[d - 1] = isl::manage(isl_pw_aff_add_constant_val(parts[d - 1].copy(), step.copy()));
    return left;
  }
  return as_it_is;
}

}  // namespace

std::optional<Terms> terms_of(const Bound& expression, const Names& names) {
  return terms_of(expression.value,
                  {names.written, names.reassigned, expression.names, names.whole_sums});
}

std::optional<Terms> terms_of(const Node& raw, const Names& names) {
  if (raw.kind() == CXCursor_CXXForRangeStmt) return Terms{{{}, Bound{raw, names.bindings}}};
  if (const auto value = raw.constant()) return Terms{{{*value, {}}, {}}};
  const Node node = stripped(raw);
  if (!node.has_integer_type()) return std::nullopt;
  if (const auto value = node.constant()) return Terms{{{*value, {}}, {}}};
  if (node.kind() == CXCursor_DeclRefExpr) return terms_of_name(node, names);
  if (node.kind() == CXCursor_BinaryOperator) return terms_of_operation(node, names);
  if (node.kind() == CXCursor_CallExpr) return terms_of_call(node, names);
  const auto field = member(node, names.bindings);
  if (field && names.written.count(node.referenced().key()) == 0) return one_parameter(field->name);
  if (node.kind() == CXCursor_UnaryOperator && node.unary_operator() == CXUnaryOperator_Minus) {
    const auto operand = terms_of(node.children().at(0), names);
    if (operand) return negative(*operand);
  }
  return Terms{{{}, Bound{node, names.bindings}}};
}

std::optional<Strides> shape_of(const std::vector<std::vector<Term>>& subscripts) {
  Strides shape = {Stride{}};
  bool along_rows = false, named = false;
  for (const auto& terms : subscripts) {
    for (const Term& t : terms) {
      if (!t.rest || t.times.factor == 0) continue;
      const Stride stride{std::llabs(t.times.factor), t.times.lengths};
      along_rows = along_rows || stride.is_one();
      named = named || !stride.lengths.empty();
      if (std::find(shape.begin(), shape.end(), stride) == shape.end()) shape.push_back(stride);
    }
  }
  if (!named && !along_rows) return Strides{Stride{}};  // A[5 * i] jumps along one row
  std::sort(shape.begin(), shape.end(), [](const Stride& a, const Stride& b) {
    return std::pair(a.lengths.size(), a.factor) > std::pair(b.lengths.size(), b.factor);
  });
  for (std::size_t d = 0; d + 1 < shape.size(); ++d) {
    if (!quotient(shape[d], shape[d + 1])) return std::nullopt;
  }
  return shape;
}

bool has_sums(const Strides& shape) {
  return std::any_of(shape.begin(), shape.end(), [](const Stride& stride) {
    return std::any_of(stride.lengths.begin(), stride.lengths.end(),
                       [](const Length& length) { return length.is_sum(); });
  });
}

std::optional<isl::pw_aff> extent(const Strides& shape, std::size_t dimension, const Scope& scope) {
  const auto ratio = quotient(shape.at(dimension), shape.at(dimension + 1));
  return ratio ? affine_product(*ratio, std::nullopt, scope) : std::nullopt;
}

CutSubscript cut(const Node& subscript, const Terms& terms, const Strides& shape,
                 const Scope& scope) {
  std::vector<isl::pw_aff> parts(shape.size(), constant(0, scope));
  for (const Term& t : terms) {
    std::size_t d = 0;
    while (!quotient(t.times, shape[d])) ++d;  // the last stride is 1
    std::optional<isl::pw_aff> value;
    if (t.rest) value = affine(*t.rest, scope);
    const auto product = affine_product(*quotient(t.times, shape[d]), value, scope);
    if (!product) throw not_affine(subscript);
    parts[d] = plus(parts[d], *product);
  }
  isl::set outside = isl::manage(isl_set_empty(isl_set_get_space(scope.domain.get())));
  for (std::size_t d = shape.size() - 1; d > 0; --d) {
    const auto size = extent(shape, d - 1, scope);
    if (!size) throw not_affine(subscript);
    outside = outside.unite(settle(parts, d, *size, scope));
  }
  return {parts, isl::manage(isl_set_params(outside.release()))};
}

}  // namespace redblue::frontend::c
