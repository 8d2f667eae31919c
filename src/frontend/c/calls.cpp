// The part of RegionReader that reads functions with bodies where they are called.
#include <algorithm>

#include "frontend/c/pure_functions.hpp"
#include "frontend/c/region.hpp"

namespace redblue::frontend::c {

namespace {

bool is_passed_by_address(const Node& parameter) {
  const CXType type = parameter.type();
  return type.kind == CXType_Pointer || is_array(type);
}

}  // namespace

// A function that gets values only, and names nothing but them and its own variables, depends on
// its arguments alone and changes nothing.
bool depends_on_arguments_alone(const Node& call, int depth) {
  if (is_pure_function(call.name())) return true;
  constexpr int deepest = 16;
  const auto body = body_of(call);
  if (!body || depth > deepest) return false;
  const Node function = definition_of(call);
  const std::vector<Node> parameters = parameters_of(function);
  if (std::any_of(parameters.begin(), parameters.end(), is_passed_by_address)) return false;
  bool pure = true;
  visit(*body, [&](const Node& part) {
    if (part.kind() == CXCursor_CallExpr)
      pure = pure && depends_on_arguments_alone(part, depth + 1);
    if (part.kind() == CXCursor_DeclRefExpr) {
      const Node named = part.referenced();
      const bool own = Node{clang_getCursorSemanticParent(named.cursor)} == function;
      const bool is_static = clang_Cursor_getStorageClass(named.cursor) == CX_SC_Static;
      pure = pure && (named.kind() == CXCursor_FunctionDecl ||
                      named.kind() == CXCursor_EnumConstantDecl || (own && !is_static));
    }
    pure = pure && part.kind() != CXCursor_GCCAsmStmt;
  });
  return pure;
}

// The statements of a function's body, with its parameters standing for the arguments.
void RegionReader::walk_call(const Node& node, const Place& place) {
  const auto body = body_of(node);
  if (!body)
    throw error_at(node, "a call of '" + node.name() + "' as a statement has unknown effects",
                   "define the function in this file, or write its statements here");
  const Node function = definition_of(node);
  const std::vector<Node> parameters = parameters_of(function);
  const std::vector<Node> parts = node.children();
  Place inside = place;
  inside.scope = inside_call(node, place.scope);
  for (std::size_t p = 0; p < parameters.size() && p + 1 < parts.size(); ++p) {
    const std::string key = parameters[p].key();
    const Node argument = parts[p + 1];
    if (reassigned_.count(key) != 0)
      throw error_at(node,
                     "'" + node.name() + "' changes its parameter '" + parameters[p].name() + "'",
                     "use a variable of its own there");
    if (parameters[p].has_integer_type() && is_integer_control(argument, place.scope)) {
      written_.insert(key);  // a value, no parameter of the program
      inside.scope.values.insert_or_assign(key, affine(argument, place.scope));
    }
    inside.arguments.insert_or_assign(key, argument);
  }
  no_code("a call at line " + std::to_string(node.line()) +
          " is read as the function's statements");
  walk(*body, inside);
}

}  // namespace redblue::frontend::c
