// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/c/ast/templates.hpp"

#include <functional>
#include <set>

namespace redblue::frontend::c {

namespace {

// Numbers nobody writes stand for numbers nobody gave: this one, and those behind it.
constexpr long long first_unknown = 1'000'003;
constexpr long long unknown_numbers = 64;

std::string qualified_name(const Node& node) {
  std::string name = node.name();
  Node parent{clang_getCursorSemanticParent(node.cursor)};
  for (; !parent.is_null() && parent.kind() == CXCursor_Namespace;
       parent = {clang_getCursorSemanticParent(parent.cursor)}) {
    if (!parent.name().empty()) name.insert(0, parent.name() + "::");
  }
  return name;
}

// Templates outside classes: the members of a class come with the class.
void collect(const Node& node, const std::string& path, std::vector<Node>& templates) {
  for (const Node& child : node.children()) {
    if (child.kind() == CXCursor_Namespace) collect(child, path, templates);
    const bool here = child.kind() == CXCursor_FunctionTemplate && child.file() == path &&
                      clang_isCursorDefinition(child.cursor) != 0;
    if (here) templates.push_back(child);
  }
}

}  // namespace

std::string uses_of_templates(const Node& root, const std::string& path) {
  std::vector<Node> templates;
  collect(root, path, templates);
  std::set<std::string> used;
  for (const Node& node : root.children()) {
    if (node.file() != path) continue;
    visit(node, [&used](const Node& part) {
      if (part.kind() != CXCursor_DeclRefExpr) return;
      const Node known{clang_getSpecializedCursorTemplate(part.referenced().cursor)};
      if (!known.is_null()) used.insert(known.key());
    });
  }
  std::string code;
  long long number = first_unknown;
  for (const Node& one : templates) {
    if (used.count(one.key()) != 0) continue;
    std::string arguments;
    for (const Node& parameter : one.children()) {
      const bool is_type = parameter.kind() == CXCursor_TemplateTypeParameter;
      if (!is_type && parameter.kind() != CXCursor_NonTypeTemplateParameter) continue;
      arguments += arguments.empty() ? "" : ", ";
      arguments += is_type ? "double" : std::to_string(number++);
    }
    code += "\n#line " + std::to_string(one.line()) +
            "\n[[maybe_unused]] static auto* redblue_use_" + std::to_string(one.line()) + " = &" +
            qualified_name(one) + "<" + arguments + ">;";
  }
  return code;
}

bool is_unknown_argument(const Node& node) {
  if (node.kind() != CXCursor_DeclRefExpr || !node.name().empty()) return false;
  const std::vector<Node> value = node.children();
  if (value.size() != 1 || value.front().kind() != CXCursor_IntegerLiteral) return false;
  const std::unique_ptr<void, void (*)(CXEvalResult)> number(
      clang_Cursor_Evaluate(value.front().cursor), clang_EvalResult_dispose);
  if (!number) return false;
  const long long n = clang_EvalResult_getAsLongLong(number.get());
  return n >= first_unknown && n < first_unknown + unknown_numbers;
}

bool names_unknown_argument(const Node& expression) {
  bool found = false;
  visit(expression, [&found](const Node& part) { found = found || is_unknown_argument(part); });
  return found;
}

}  // namespace redblue::frontend::c
