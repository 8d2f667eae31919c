// SPDX-License-Identifier: BSD-3-Clause
// What statements change.
#include <functional>

#include "frontend/c/region.hpp"

namespace redblue::frontend::c {

namespace {

// The variables and members that an assignment to `target` changes.
void add_bases(const Node& target, std::set<std::string>& keys, int depth = 0) {
  constexpr int deepest = 64;
  if (depth > deepest) return;  // a function that calls itself: refused where it is read
  const auto add = [&](const Node& part) { add_bases(part, keys, depth + 1); };
  const Node node = stripped(target);
  switch (node.kind()) {
    case CXCursor_DeclRefExpr:
      keys.insert(node.referenced().key());
      return;
    case CXCursor_MemberRefExpr:
      keys.insert(node.referenced().key());
      return;
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_UnaryOperator:
      return add(node.children().at(0));
    // Numbers that choose an element are not changed with it.
    case CXCursor_CallExpr: {
      if (const auto access = container_access(node)) return add(access->container);
      if (const auto value = returned_by(node)) add(*value);
      const Call call = call_of(node);
      if (call.object) add(*call.object);
      for (const Node& argument : call.arguments)
        if (!argument.has_integer_type()) add(argument);
      return;
    }
    case CXCursor_BinaryOperator:
      for (const Node& part : node.children())
        if (!part.has_integer_type()) add(part);
      return;
    case CXCursor_ConditionalOperator:
      add(node.children().at(1));
      return add(node.children().at(2));
    default:
      return;
  }
}

}  // namespace

void add_referenced(const Node& node, std::set<std::string>& keys) {
  if (node.kind() == CXCursor_VarDecl && is_changeable_reference(node.type())) {
    const auto value = initial_value(node);
    if (value) add_bases(*value, keys);
  }
  if (node.kind() != CXCursor_CallExpr) return;
  const Call call = call_of(node);
  for (std::size_t p = 0; p < call.arguments.size(); ++p) {
    const CXType type = clang_getCanonicalType(
        clang_getArgType(clang_getCursorType(call.function.cursor), static_cast<unsigned>(p)));
    if (is_changeable_reference(type)) add_bases(call.arguments[p], keys);
  }
}

std::set<std::string> assigned_below(const Node& node) {
  std::set<std::string> keys;
  visit(node, [&keys](const Node& part) {
    if (part.kind() == CXCursor_VarDecl) keys.insert(part.key());
    add_referenced(part, keys);
    if (is_assignment(part) || is_increment(part)) add_bases(part.children().at(0), keys);
  });
  return keys;
}

}  // namespace redblue::frontend::c
