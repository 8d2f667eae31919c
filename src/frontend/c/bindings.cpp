// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/c/bindings.hpp"

#include "frontend/c/containers.hpp"

namespace redblue::frontend::c {

namespace {

bool is_operation(const Node& node, CXBinaryOperatorKind kind) {
  return node.kind() == CXCursor_BinaryOperator && node.binary_operator() == kind;
}

bool is_prefix(const Node& node, CXUnaryOperatorKind kind) {
  return node.kind() == CXCursor_UnaryOperator && node.unary_operator() == kind;
}

Error no_element(const Node& node) {
  return error_at(node, "'" + node.text() + "' is no array element or scalar",
                  "write elements as A[i][j], or as members of a parameter");
}

void add_subscript(Element& element, const Bound& part) {
  const bool points = element.points_inside && !element.subscripts.empty();
  if (!points) element.subscripts.emplace_back();
  element.subscripts.back().push_back(part);
  element.points_inside = false;
}

Element this_object(const Bindings& names) {
  if (names) {
    const auto object = names->find("this");
    if (object != names->end()) return element_of(object->second.value, object->second.names);
  }
  return {{"this", ""}};
}

bool is_this(const Node& raw) {
  Node node = stripped(raw);
  if (is_prefix(node, CXUnaryOperator_Deref)) node = stripped(node.children().at(0));
  return node.kind() == CXCursor_CXXThisExpr;
}

// The object a member belongs to; its operand where it is *M, M where it is &M.
Element object_of(const Node& member_of, const Bindings& names) {
  const std::vector<Node> parts = member_of.children();
  const bool implicit = parts.empty() || clang_isExpression(parts.front().kind()) == 0;
  if (implicit) return this_object(names);  // this->x, written as x
  Node base = stripped(parts.front());
  if (is_prefix(base, CXUnaryOperator_Deref)) base = stripped(base.children().at(0));
  if (base.kind() == CXCursor_CXXThisExpr) return this_object(names);
  Element object = element_of(base, names);
  object.points_inside = false;
  return object;
}

Element field_of(const Node& node, const Bindings& names) {
  const Node parent{clang_getCursorSemanticParent(node.referenced().cursor)};
  if (node.referenced().kind() != CXCursor_FieldDecl || parent.kind() == CXCursor_UnionDecl)
    throw error_at(node, "'" + node.text() + "' is no data of its own",
                   "read members of structures, not of unions");
  Element object = object_of(node, names);
  if (object.declaration && !outlives_function(*object.declaration))
    throw error_at(node, "'" + node.text() + "' belongs to a structure of this function",
                   "use plain variables and arrays, or pass the structure as a parameter");
  const std::string name = object.array.name;
  return {{object.array.key + "." + node.name(), (name.empty() ? "" : name + "_") + node.name()},
          std::nullopt,
          object.subscripts,
          false};
}

Element called_element(const Node& node, const Bindings& names) {
  if (const auto access = container_access(node)) {
    Element element = element_of(access->container, names);
    if (access->subscript) add_subscript(element, {*access->subscript, names});
    return element;
  }
  const auto value = returned_by(node);
  if (!value) throw no_element(node);
  return element_of(*value, names_inside(node, names));
}

Element moved_pointer(const Node& node, const Bindings& names) {
  const std::vector<Node> parts = node.children();
  const bool first = !stripped(parts.at(0)).has_integer_type();
  Element element = element_of(parts[first ? 0 : 1], names);
  if (!element.points_inside) element.subscripts.emplace_back();
  if (element.subscripts.empty()) element.subscripts.emplace_back();
  element.subscripts.back().push_back({parts[first ? 1 : 0], names});
  element.points_inside = true;
  return element;
}

}  // namespace

std::optional<Bound> bound_to(const Node& declaration, const Bindings& names) {
  if (!names) return std::nullopt;
  const auto known = names->find(declaration.key());
  return known == names->end() ? std::nullopt : std::optional(known->second);
}

Bindings with(const Bindings& names, const std::string& key, const Bound& value) {
  auto all = names ? *names : std::map<std::string, Bound>();
  all.insert_or_assign(key, value);
  return std::make_shared<const std::map<std::string, Bound>>(std::move(all));
}

Bindings names_inside(const Node& node, const Bindings& names) {
  const Call call = call_of(node);
  const Node function = definition_of(node);
  auto all = names ? *names : std::map<std::string, Bound>();
  if (call.object && !is_lambda(*call.object) && !is_this(*call.object))
    all.insert_or_assign("this", Bound{*call.object, names});
  const std::vector<Node> parameters = parameters_of(function);
  for (std::size_t p = 0; p < parameters.size() && p < call.arguments.size(); ++p)
    all.insert_or_assign(parameters[p].key(), Bound{call.arguments[p], names});
  return std::make_shared<const std::map<std::string, Bound>>(std::move(all));
}

bool outlives_function(const Node& variable) {
  const Node parent{clang_getCursorSemanticParent(variable.cursor)};
  return variable.kind() == CXCursor_ParmDecl || parent.kind() == CXCursor_TranslationUnit ||
         parent.kind() == CXCursor_Namespace;
}

Element element_of(const Node& raw, const Bindings& names) {
  if (raw.kind() == CXCursor_CXXForRangeStmt) {  // the element its variable stands for
    Element element = element_of(range_of(raw), names);
    add_subscript(element, {raw, names});
    return element;
  }
  const Node node = stripped(raw);
  if (node.kind() == CXCursor_ArraySubscriptExpr) {
    Element element = element_of(node.children().at(0), names);
    add_subscript(element, {node.children().at(1), names});
    return element;
  }
  if (node.kind() == CXCursor_DeclRefExpr) {
    const Node declaration = node.referenced();
    if (const auto value = bound_to(declaration, names))
      return element_of(value->value, value->names);
    return {{declaration.key(), declaration.name()}, declaration};
  }
  if (is_this(node)) return this_object(names);
  if (node.kind() == CXCursor_MemberRefExpr) return field_of(node, names);
  if (node.kind() == CXCursor_CallExpr) return called_element(node, names);
  if (is_prefix(node, CXUnaryOperator_AddrOf)) {
    Element element = element_of(node.children().at(0), names);
    element.points_inside = true;
    return element;
  }
  if (is_prefix(node, CXUnaryOperator_Deref)) {
    Element element = element_of(node.children().at(0), names);
    if (!element.points_inside) element.subscripts.emplace_back();
    element.points_inside = false;
    return element;
  }
  if (is_operation(node, CXBinaryOperator_Add) && !node.has_integer_type())
    return moved_pointer(node, names);
  throw no_element(node);
}

bool is_place(const Node& raw) {
  if (raw.kind() == CXCursor_CXXForRangeStmt) return true;
  const Node node = stripped(raw);
  switch (node.kind()) {
    case CXCursor_DeclRefExpr:
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_MemberRefExpr:
      return true;
    case CXCursor_UnaryOperator:
      return is_prefix(node, CXUnaryOperator_Deref);
    case CXCursor_CallExpr: {
      if (container_access(node)) return true;
      const CXType result = clang_getCanonicalType(
          clang_getResultType(clang_getCursorType(node.referenced().cursor)));
      return is_reference(result) && body_of(node);
    }
    default:
      return false;
  }
}

std::optional<Identity> member(const Node& node, const Bindings& names) {
  if (node.kind() != CXCursor_MemberRefExpr) return std::nullopt;
  try {
    const Element element = element_of(node, names);
    if (element.subscripts.empty()) return element.array;
  } catch (const Error&) {
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace redblue::frontend::c
