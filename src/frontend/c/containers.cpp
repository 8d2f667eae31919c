// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/c/containers.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace redblue::frontend::c {

namespace {

CXType plain(CXType type) {
  type = clang_getCanonicalType(type);
  if (is_reference(type)) type = clang_getCanonicalType(clang_getPointeeType(type));
  return clang_getUnqualifiedType(type);
}

std::string spelling(CXType type) {
  return take(clang_getTypeSpelling(plain(type)));
}

template <std::size_t n>
bool starts_with_one_of(CXType type, const std::array<std::string_view, n>& names) {
  const std::string text = spelling(type);
  return std::any_of(names.begin(), names.end(),
                     [&text](std::string_view name) { return text.starts_with(name); });
}

// The call that makes a container, with its arguments.
std::optional<Call> constructor(const Node& raw) {
  const Node node = stripped(raw);
  if (node.kind() != CXCursor_CallExpr) return std::nullopt;
  const Call call = call_of(node);
  if (call.function.kind() != CXCursor_Constructor || !is_container(node.type()))
    return std::nullopt;
  return call;
}

bool is_default(const Node& argument) {
  return argument.is_null() || argument.line() == 0 || argument.source().empty() ||
         (argument.kind() == CXCursor_UnexposedExpr && argument.children().empty());
}

std::vector<Node> given_arguments(const Call& call) {
  std::vector<Node> result;
  for (const Node& argument : call.arguments)
    if (!is_default(argument)) result.push_back(argument);
  return result;
}

// v(n), v(n, x): the size is given. Not v(w), a copy, and not v(first, last).
bool is_made_by_size(const Call& call) {
  const auto arguments = given_arguments(call);
  return (arguments.size() == 1 || arguments.size() == 2) && arguments.front().has_integer_type();
}

bool is_span(CXType type) {
  return spelling(type).starts_with("std::span<");
}

bool all_constants(const Node& list) {
  const std::vector<Node> parts = list.children();
  return std::all_of(parts.begin(), parts.end(), [](const Node& part) {
    const Node value = stripped(part);
    const CXCursorKind kind = value.kind();
    return kind == CXCursor_IntegerLiteral || kind == CXCursor_FloatingLiteral ||
           value.constant().has_value() || clang_isExpression(kind) == 0 ||
           (kind == CXCursor_UnaryOperator && all_constants(value)) ||
           (kind == CXCursor_InitListExpr && all_constants(value));
  });
}

bool is_zero(const std::vector<Bound>& subscript) {
  return subscript.size() == 1 && subscript.front().value.constant() == 0;
}

// The size a vector is made with, of its rows where `depth` is 1.
std::optional<Bound> given_size(const Node& variable, std::size_t depth, const Bindings& names) {
  const auto value = initial_value(variable);
  auto made = value ? constructor(*value) : std::nullopt;
  for (; made && depth > 0; --depth) {
    const auto arguments = given_arguments(*made);
    made = arguments.size() == 2 ? constructor(arguments[1]) : std::nullopt;
  }
  if (!made) return std::nullopt;
  const auto arguments = given_arguments(*made);
  if (is_made_by_size(*made)) return Bound{arguments.front(), names};
  const bool pointer_and_size = made->function.name() == "span" && arguments.size() == 2;
  return pointer_and_size ? std::optional(Bound{arguments[1], names}) : std::nullopt;
}

}  // namespace

bool is_container(CXType type) {
  return starts_with_one_of(
      type, std::array<std::string_view, 5>{"std::vector<", "std::array<", "std::span<",
                                            "std::valarray<", "std::unique_ptr<"});
}

bool owns_elements(CXType type) {
  type = plain(type);
  if (type.kind == CXType_Pointer || is_reference(type)) return false;
  if (!is_record(type)) return true;
  return starts_with_one_of(type, std::array<std::string_view, 3>{"std::vector<", "std::array<",
                                                                  "std::valarray<"}) &&
         owns_elements(clang_Type_getTemplateArgumentAsType(type, 0));
}

std::optional<ContainerAccess> container_access(const Node& node) {
  const Call call = call_of(node);
  if (!call.function.in_system_header()) return std::nullopt;
  const auto made = constructor(node);
  if (made && is_span(node.type()) && !made->arguments.empty())
    return ContainerAccess{made->arguments.front(), {}};
  if (!call.is_member || !call.object || !is_container(stripped(*call.object).type()))
    return std::nullopt;
  const std::string name = call.function.name();
  if ((name == "operator[]" || name == "at") && call.arguments.size() == 1 &&
      call.arguments.front().has_integer_type())
    return ContainerAccess{*call.object, call.arguments.front()};
  if ((name == "data" || name == "get") && call.arguments.empty())
    return ContainerAccess{*call.object, {}};
  return std::nullopt;
}

Size size_of_container(const Node& container, const Bindings& names) {
  const Element element = element_of(container, names);
  Size size{element.array.name};
  const CXType type = plain(stripped(container).type());
  if (spelling(type).starts_with("std::array<")) {
    const long long one = clang_Type_getSizeOf(clang_Type_getTemplateArgumentAsType(type, 0));
    if (one > 0) size.constant = clang_Type_getSizeOf(type) / one;
    return size;
  }
  const auto rest = clang_getArraySize(type);
  if (rest >= 0) {
    size.constant = rest;
    return size;
  }
  if (element.declaration)
    size.given = given_size(*element.declaration, element.subscripts.size(), names);
  size.of_each_row =
      !std::all_of(element.subscripts.begin(), element.subscripts.end(), is_zero) && !size.given;
  if (element.points_inside) return size;
  size.parameter = element.array.name;
  for (std::size_t d = 0; d < element.subscripts.size(); ++d) size.parameter += "_0";
  size.parameter += "_size";
  return size;
}

std::optional<Size> size_of(const Node& node, const Bindings& names) {
  if (node.kind() != CXCursor_CallExpr) return std::nullopt;
  const Call call = call_of(node);
  const std::string name = call.function.name();
  if ((name != "size" && name != "ssize") || !call.function.in_system_header()) return std::nullopt;
  std::optional<Node> container = call.object;
  if (!call.is_member && call.arguments.size() == 1) container = call.arguments.front();
  if (!container || !is_container(stripped(*container).type())) return std::nullopt;
  const Node where = stripped(*container);
  if (where.kind() == CXCursor_DeclRefExpr && is_span(where.type()) && names) {
    const auto value = bound_to(where.referenced(), names);  // a span of this function
    const auto made = value ? constructor(value->value) : std::nullopt;
    if (made && given_arguments(*made).size() == 2) {
      Size size{where.name()};
      size.given = Bound{given_arguments(*made)[1], value->names};
      return size;
    }
    if (made && !made->arguments.empty())
      return size_of_container(made->arguments[0], value->names);
  }
  return size_of_container(where, names);
}

Start start_of_elements(const Node& variable) {
  const std::vector<Node> parts = variable.children();
  if (parts.empty() || clang_isExpression(parts.back().kind()) == 0) return Start::none;
  const Node value = stripped(parts.back());
  if (value.kind() == CXCursor_InitListExpr)
    return all_constants(value) ? Start::constants : Start::unknown;
  if (is_array(variable.type())) return Start::none;  // the extent
  const auto made = constructor(value);
  if (!made) return Start::unknown;
  const auto arguments = given_arguments(*made);
  if (arguments.empty()) return Start::none;
  if (!is_made_by_size(*made)) return Start::unknown;
  if (arguments.size() == 1) return Start::constants;
  if (constructor(arguments[1])) {
    const auto inner = given_arguments(*constructor(arguments[1]));
    const bool plain_rows = is_made_by_size(*constructor(arguments[1])) &&
                            (inner.size() == 1 || stripped(inner[1]).kind() != CXCursor_CallExpr);
    return plain_rows ? Start::constants : Start::unknown;
  }
  Node start = stripped(arguments[1]);
  while (start.kind() == CXCursor_UnaryOperator) start = stripped(start.children().at(0));
  const bool literal = start.kind() == CXCursor_FloatingLiteral ||
                       start.kind() == CXCursor_IntegerLiteral || start.constant().has_value();
  return literal ? Start::constants : Start::unknown;
}

Node variable_of(const Node& range_for) {
  return range_for.children().at(0);
}

Node range_of(const Node& range_for) {
  return range_for.children().at(1);
}

Node body_of_range_for(const Node& range_for) {
  return range_for.children().back();
}

bool is_number(CXType type) {
  return spelling(type).starts_with("std::complex<");
}

bool is_lambda(const Node& expression) {
  return spelling(stripped(expression).type()).find("(lambda at") != std::string::npos;
}

void add_once(std::vector<std::string>& lines, const std::string& line) {
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
}

}  // namespace redblue::frontend::c
