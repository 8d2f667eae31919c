// SPDX-License-Identifier: BSD-3-Clause
// The part of RegionReader that reads functions with bodies where they are called.
#include <algorithm>

#include "frontend/c/containers.hpp"
#include "frontend/c/pure_functions.hpp"
#include "frontend/c/region.hpp"

namespace redblue::frontend::c {

namespace {

bool is_passed_by_address(const Node& parameter) {
  const CXType type = parameter.type();
  const bool whole = is_reference(type) && is_record(clang_getPointeeType(type));
  return type.kind == CXType_Pointer || is_array(type) || whole || is_changeable_reference(type);
}

// Whether the part of a member function names data of its object.
bool names_object(const Node& part) {
  if (part.kind() == CXCursor_CXXThisExpr) return true;
  return part.kind() == CXCursor_MemberRefExpr && part.children().empty();
}

}  // namespace

// A function that gets values only, and names nothing but them and its own variables, depends on
// its arguments alone and changes nothing.
bool depends_on_arguments_alone(const Node& call, int depth) {
  if (is_pure_function(call.name()) && !call_of(call).is_member) return true;
  if (is_operator_of_numbers(call)) return true;
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
    pure = pure && part.kind() != CXCursor_GCCAsmStmt && !names_object(part);
  });
  return pure;
}

namespace {

// What the function's own statements assign to, and whether it calls more that may assign.
std::vector<Node> targets_in(const Node& body, bool& calls) {
  std::vector<Node> targets;
  visit(body, [&](const Node& part) {
    if (is_assignment(part) || is_increment(part)) targets.push_back(part.children().at(0));
    calls = calls || (part.kind() == CXCursor_CallExpr && !depends_on_arguments_alone(part) &&
                      !container_access(part) && !returned_by(part));
  });
  return targets;
}

}  // namespace

// Whether the body may change what was read.
bool RegionReader::may_change(const std::vector<program::Access>& reads, const Node& body,
                              const Bindings& names) const {
  bool calls = false;
  const std::vector<Node> targets = targets_in(body, calls);
  if (calls) return true;
  return std::any_of(targets.begin(), targets.end(), [&](const Node& target) {
    const auto name = array_names_.find(element_of(target, names).array.key);
    return name != array_names_.end() &&
           std::any_of(reads.begin(), reads.end(),
                       [&](const program::Access& read) { return read.array == name->second; });
  });
}

// The place inside a function that is read where it is called: its parameters stand for the
// arguments, or for copies of them.
RegionReader::Place RegionReader::inside_function(const Node& node, const Place& place) {
  const Node function = definition_of(node);
  const std::vector<Node> parameters = parameters_of(function);
  const Call call = call_of(node);
  if (call.arguments.size() < parameters.size())
    throw error_at(node, "'" + node.name() + "' is called with fewer arguments than parameters",
                   "write all arguments");
  Place inside = place;
  inside.scope = inside_call(node, place.scope);
  auto names = *inside.scope.names;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const Node& parameter = parameters[p];
    const std::string key = parameter.key();
    const Node argument = call.arguments[p];
    const CXType type = parameter.type();
    if (is_reference(type) && is_place(argument)) continue;
    if (is_changeable_reference(type))
      throw error_at(node, "'" + argument.text() + "' is changed as a parameter",
                     "pass an element or a variable");
    const bool changes = reassigned_.count(key) != 0;
    if (is_record(type) && owns_elements(type))
      throw error_at(node, "'" + node.name() + "' gets a copy of '" + argument.text() + "'",
                     "pass it by reference");
    if (parameter.has_integer_type() && !changes && is_integer_control(argument, place.scope)) {
      written_.insert(key);  // a value, no parameter of the program
      inside.scope.values.insert_or_assign(key, affine(argument, place.scope));
      continue;
    }
    const bool is_address = type.kind == CXType_Pointer || is_array(type);
    if (is_address || is_record(type)) {
      if (changes)
        throw error_at(node,
                       "'" + node.name() + "' changes its parameter '" + parameter.name() + "'",
                       "use a variable of its own there");
      expect_known(argument, place);
      continue;
    }
    std::vector<program::Access> reads;
    read_expression(argument, place, false, reads);
    if (!changes && (reads.empty() || !may_change(reads, *body_of(node), inside.scope.names)))
      continue;
    written_.insert(key);
    no_code("'" + parameter.name() + "' is a copy made for a call");
    add_value(parameter, std::move(reads), place,
              {parameter.name() + " = " + argument.text(), 0, argument.line()});
    names.erase(key);
  }
  inside.scope.names = std::make_shared<const std::map<std::string, Bound>>(std::move(names));
  return inside;
}

// The statements of a function's body.
void RegionReader::walk_call(const Node& node, const Place& place) {
  const auto body = body_of(node);
  if (!body)
    throw error_at(node, "a call of '" + node.name() + "' as a statement has unknown effects",
                   "define the function in this file, or write its statements here");
  no_code("a call at line " + std::to_string(node.line()) +
          " is read as the function's statements");
  walk(*body, inside_function(node, place));
}

// x = dot(n, a, b): the statements of the function up to what it returns, and that.
std::optional<std::pair<Node, RegionReader::Place>> RegionReader::walk_to_value(
    const Node& node, const Place& place) {
  if (node.kind() != CXCursor_CallExpr || depends_on_arguments_alone(node)) return std::nullopt;
  const auto body = body_of(node);
  if (!body || body->children().size() < 2) return std::nullopt;
  std::vector<Node> statements = body->children();
  const Node last = statements.back();
  if (last.kind() != CXCursor_ReturnStmt || last.children().empty()) return std::nullopt;
  statements.pop_back();
  no_code("a call at line " + std::to_string(node.line()) +
          " is read as the function's statements");
  Place inside = inside_function(node, place);
  walk_all(statements, 0, inside);
  return std::pair(last.children().front(), inside);
}

}  // namespace redblue::frontend::c
