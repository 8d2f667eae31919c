// SPDX-License-Identifier: BSD-3-Clause
// The part of RegionReader that reads the heads of loops.
#include <isl/aff.h>
#include <isl/set.h>

#include <algorithm>

#include "frontend/c/region.hpp"

namespace redblue::frontend::c {

namespace {

bool names(const Node& node, const Node& variable) {
  const Node name = stripped(node);
  return name.kind() == CXCursor_DeclRefExpr && name.referenced().key() == variable.key();
}

bool mentions(const Node& node, const Node& variable) {
  bool found = false;
  visit(node, [&](const Node& part) { found = found || names(part, variable); });
  return found;
}

// int i = 0; or int i = 0, end = n; or i = 0; : the first variable and its value.
std::optional<std::pair<Node, Node>> start_of(const Node& node) {
  if (node.kind() == CXCursor_DeclStmt) {
    const std::vector<Node> declared = node.children();
    if (declared.empty() || declared[0].children().empty()) return std::nullopt;
    return std::pair(declared[0], declared[0].children().back());
  }
  if (!is_assignment(node) || node.kind() != CXCursor_BinaryOperator) return std::nullopt;
  const Node target = stripped(node.children().at(0));
  if (target.kind() != CXCursor_DeclRefExpr) return std::nullopt;
  return std::pair(target.referenced(), node.children().at(1));
}

bool assigns(const std::vector<Node>& body, const Node& variable) {
  return std::any_of(body.begin(), body.end(), [&variable](const Node& statement) {
    return assigned_below(statement).count(variable.key()) != 0;
  });
}

}  // namespace

// A number, or a variable of the region that keeps the number it begins with: int tile = 32;
std::optional<long long> RegionReader::constant_value(const Node& value) const {
  if (const auto number = value.constant()) return number;
  const Node name = stripped(value);
  if (name.kind() != CXCursor_DeclRefExpr) return std::nullopt;
  const std::string key = name.referenced().key();
  if (declared_.count(key) == 0 || reassigned_.count(key) != 0) return std::nullopt;
  const auto initial = initial_value(name.referenced());
  return initial ? initial->constant() : std::nullopt;
}

// How much i++, i -= 2 or i = i + 3 adds to the variable; 0 for anything else.
long long RegionReader::step_of(const Node& raw, const Node& variable) const {
  const Node step = stripped(raw);
  if (!is_increment(step) && !is_assignment(step)) return 0;
  if (!names(step.children().at(0), variable)) return 0;
  if (is_increment(step)) {
    const CXUnaryOperatorKind kind = step.unary_operator();
    return kind == CXUnaryOperator_PostInc || kind == CXUnaryOperator_PreInc ? 1 : -1;
  }
  const Node value = stripped(step.children().at(1));
  if (step.kind() == CXCursor_CompoundAssignOperator) {
    const bool adds = step.binary_operator() == CXBinaryOperator_AddAssign;
    const bool subtracts = step.binary_operator() == CXBinaryOperator_SubAssign;
    return adds || subtracts ? constant_value(value).value_or(0) * (adds ? 1 : -1) : 0;
  }
  if (value.kind() != CXCursor_BinaryOperator || value.children().size() != 2) return 0;
  const Node left = value.children()[0];
  const Node right = value.children()[1];
  const bool adds = value.binary_operator() == CXBinaryOperator_Add;
  const bool subtracts = value.binary_operator() == CXBinaryOperator_Sub;
  if ((adds || subtracts) && names(left, variable))
    return constant_value(right).value_or(0) * (adds ? 1 : -1);
  return adds && names(right, variable) ? constant_value(left).value_or(0) : 0;
}

// What else the head of a loop declares: for (int i = 0, end = n - 1; i < end; i++).
void RegionReader::name_bounds(const Node& loop, Place& around) {
  const Node head = loop.children().front();
  if (head.kind() != CXCursor_DeclStmt) return;
  const std::vector<Node> declared = head.children();
  for (std::size_t n = 1; n < declared.size(); ++n) {
    if (!name_integer(declared[n], around))
      throw error_at(loop, "'" + declared[n].name() + "' is no integer that keeps its value",
                     "declare it before the loop");
  }
}

RegionReader::Loop RegionReader::for_loop(const Node& node) const {
  const std::vector<Node> parts = node.children();
  const auto unsupported = [&node](const std::string& what) {
    return error_at(node, "this for loop has " + what, "write for (i = low; i < high; i += step)");
  };
  if (parts.size() != 4) throw unsupported("no initial value, test or step");
  const auto start = start_of(parts[0]);
  if (!start) throw unsupported("no initial value redblue can read");
  const Loop loop{
      start->first, start->second, step_of(parts[2], start->first), parts[1], {parts[3]}};
  if (loop.step == 0)
    throw error_at(node, "this for loop has a step that is no constant other than 0",
                   "write for (i = low; i < high; i += 16), or a constant, const int T = 16");
  if (assigns(loop.body, loop.variable))
    throw unsupported("a body that assigns the loop variable '" + loop.variable.name() + "'");
  return loop;
}

// i = 0; while (i < n) { ..; i++; }, where nothing behind it uses i.
std::optional<RegionReader::Loop> RegionReader::while_loop(const std::vector<Node>& nodes,
                                                           std::size_t first) const {
  if (first + 1 >= nodes.size() || nodes[first + 1].kind() != CXCursor_WhileStmt)
    return std::nullopt;
  const auto start = start_of(nodes[first]);
  const bool alone =
      nodes[first].kind() != CXCursor_DeclStmt || nodes[first].children().size() == 1;
  const std::vector<Node> parts = nodes[first + 1].children();
  if (!start || !alone || parts.size() != 2 || parts[1].kind() != CXCursor_CompoundStmt)
    return std::nullopt;
  std::vector<Node> body = parts[1].children();
  if (body.empty() || !mentions(parts[0], start->first)) return std::nullopt;
  const long long step = step_of(body.back(), start->first);
  body.pop_back();
  const bool used_later =
      std::any_of(nodes.begin() + static_cast<std::ptrdiff_t>(first) + 2, nodes.end(),
                  [&start](const Node& later) { return mentions(later, start->first); });
  if (step == 0 || used_later || assigns(body, start->first)) return std::nullopt;
  return Loop{start->first, start->second, step, parts[0], body};
}

// for (double& x : v): x is another name of an element.
void RegionReader::walk_range_for(const Node& node, const Place& outer) {
  condition_.reset();
  const Node variable = variable_of(node), range = range_of(node), body = body_of_range_for(node);
  const bool copies = !is_reference(variable.type());
  const Element all = element_of(range, outer.scope.names);
  const bool changes = reassigned_.count(variable.key()) != 0 ||
                       (all.declaration && assigned_below(body).count(all.declaration->key()) != 0);
  if (copies && (changes || !all.declaration))
    throw error_at(node, "'" + variable.name() + "' is a copy of an element that may change",
                   "write for (auto& " + variable.name() + " : ..)");
  expect_known(range, outer);
  Place inner = outer;
  inner.scope.domain = isl::manage(isl_set_add_dims(outer.scope.domain.copy(), isl_dim_set, 1));
  for (auto& [key, value] : inner.scope.values)
    value = isl::manage(isl_pw_aff_add_dims(value.copy(), isl_dim_in, 1));
  const unsigned depth = static_cast<unsigned>(isl_set_dim(inner.scope.domain.get(), isl_dim_set));
  isl_local_space* local = isl_local_space_from_space(isl_set_get_space(inner.scope.domain.get()));
  const isl::pw_aff counter = isl::manage(isl_pw_aff_var_on_domain(local, isl_dim_set, depth - 1));
  const isl::pw_aff size =
      size_value(range, size_of_container(range, outer.scope.names), inner.scope);
  const isl::set below = isl::manage(isl_pw_aff_lt_set(counter.copy(), size.copy()));
  inner.scope.domain = isl::manage(isl_set_lower_bound_si(
      inner.scope.domain.intersect(below).release(), isl_dim_set, depth - 1, 0));
  inner.scope.values.insert_or_assign(node.key(), counter);
  inner.scope.names = with(outer.scope.names, variable.key(), {node, outer.scope.names});
  no_code("'" + variable.name() + "' is another name of data");
  walk_iterations(variable.name(), {body}, inner);
}

}  // namespace redblue::frontend::c
