// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/c/ast/ast.hpp"

#include <regex>

#include "frontend/c/ast/templates.hpp"

namespace redblue::frontend::c {

namespace {

struct Position {
  CXFile file = nullptr;
  unsigned line = 0;
  unsigned offset = 0;
};

Position position(CXSourceLocation where) {
  Position p;
  clang_getExpansionLocation(where, &p.file, &p.line, nullptr, &p.offset);
  return p;
}

}  // namespace

std::string take(CXString s) {
  const char* text = clang_getCString(s);
  std::string result = text == nullptr ? "" : text;
  clang_disposeString(s);
  return result;
}

std::string Node::name() const {
  return take(clang_getCursorSpelling(cursor));
}

std::vector<Node> Node::children() const {
  std::vector<Node> result;
  clang_visitChildren(
      cursor,
      [](CXCursor child, CXCursor, CXClientData data) {
        static_cast<std::vector<Node>*>(data)->push_back({child});
        return CXChildVisit_Continue;
      },
      &result);
  return result;
}

int Node::line() const {
  unsigned line = 0;
  clang_getPresumedLocation(clang_getRangeStart(clang_getCursorExtent(cursor)), nullptr, &line,
                            nullptr);
  return static_cast<int>(line);
}

int Node::first_line() const {
  return static_cast<int>(position(clang_getRangeStart(clang_getCursorExtent(cursor))).line);
}

int Node::last_line() const {
  return static_cast<int>(position(clang_getRangeEnd(clang_getCursorExtent(cursor))).line);
}

std::string Node::file() const {
  return take(clang_getFileName(position(clang_getCursorLocation(cursor)).file));
}

program::Span Node::span() const {
  const auto offset = [](CXSourceLocation where) {
    unsigned result = 0;
    clang_getFileLocation(where, nullptr, nullptr, nullptr, &result);
    return static_cast<std::size_t>(result);
  };
  const CXSourceRange extent = clang_getCursorExtent(cursor);
  return {offset(clang_getRangeStart(extent)), offset(clang_getRangeEnd(extent))};
}

std::string_view Node::from_here() const {
  std::size_t size = 0;
  const char* contents =
      clang_getFileContents(clang_Cursor_getTranslationUnit(cursor),
                            position(clang_getCursorLocation(cursor)).file, &size);
  const std::size_t begin = span().begin;
  if (contents == nullptr || begin > size) return {};
  return {contents + begin, size - begin};
}

std::string Node::source() const {
  const program::Span where = span();
  if (where.end < where.begin) return name();
  return std::string(from_here().substr(0, where.end - where.begin));
}

std::string Node::source_of_expression() const {
  const std::string_view text = from_here();
  int open = 0;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (open == 0 && (c == ';' || c == ',' || c == ')')) break;
    if (c == '(' || c == '[') ++open;
    if (c == ')' || c == ']') --open;
  }
  return std::string(text.substr(0, end));
}

std::string Node::text() const {
  return std::regex_replace(source(), std::regex("\\s+"), " ");
}

std::string Node::key() const {
  return name() + "@" + std::to_string(position(clang_getCursorLocation(cursor)).offset);
}

CXType Node::type() const {
  return clang_getCanonicalType(clang_getCursorType(cursor));
}

bool Node::has_integer_type() const {
  const CXTypeKind kind = type().kind;
  return (kind >= CXType_Bool && kind <= CXType_Int128) || kind == CXType_Enum;
}

bool Node::in_system_header() const {
  return clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)) != 0;
}

std::optional<long long> Node::constant() const {
  if (clang_isExpression(kind()) == 0 || !has_integer_type()) return std::nullopt;
  if (names_unknown_argument(*this)) return std::nullopt;
  const std::unique_ptr<void, void (*)(CXEvalResult)> result(clang_Cursor_Evaluate(cursor),
                                                             clang_EvalResult_dispose);
  if (!result || clang_EvalResult_getKind(result.get()) != CXEval_Int) return std::nullopt;
  return clang_EvalResult_getAsLongLong(result.get());
}

bool is_array(CXType type) {
  return type.kind == CXType_ConstantArray || type.kind == CXType_VariableArray ||
         type.kind == CXType_IncompleteArray;
}

bool is_reference(CXType type) {
  return type.kind == CXType_LValueReference || type.kind == CXType_RValueReference;
}

bool is_record(CXType type) {
  return clang_getCanonicalType(type).kind == CXType_Record;
}

bool is_changeable_reference(CXType type) {
  return is_reference(type) && clang_isConstQualifiedType(clang_getPointeeType(type)) == 0;
}

Levels levels_of(CXType type) {
  if (is_reference(type)) type = clang_getCanonicalType(clang_getPointeeType(type));
  Levels levels{type, {}};
  while (is_array(levels.element) || levels.element.kind == CXType_Pointer) {
    const bool pointer = levels.element.kind == CXType_Pointer;
    levels.sized.push_back(!pointer && levels.element.kind != CXType_IncompleteArray);
    levels.element = clang_getCanonicalType(pointer ? clang_getPointeeType(levels.element)
                                                    : clang_getArrayElementType(levels.element));
  }
  return levels;
}

std::optional<Node> initial_value(const Node& variable) {
  const std::vector<Node> parts = variable.children();
  const bool has_value = variable.kind() == CXCursor_VarDecl && !is_array(variable.type()) &&
                         !parts.empty() && clang_isExpression(parts.back().kind()) != 0;
  return has_value ? std::optional(parts.back()) : std::nullopt;
}

Node stripped(Node node) {
  for (;;) {
    const CXCursorKind kind = node.kind();
    const bool is_cast = kind == CXCursor_UnexposedExpr || kind == CXCursor_ParenExpr ||
                         kind == CXCursor_CStyleCastExpr || kind == CXCursor_CXXStaticCastExpr ||
                         kind == CXCursor_CXXFunctionalCastExpr ||
                         kind == CXCursor_CXXConstCastExpr;
    const bool may_be_braces = kind == CXCursor_InitListExpr;  // double{1}
    if (!is_cast && !may_be_braces) return node;
    const std::vector<Node> children = node.children();
    if (children.empty() || clang_isExpression(children.back().kind()) == 0) return node;
    if (may_be_braces && (children.size() != 1 || is_record(node.type()) || is_array(node.type())))
      return node;
    node = children.back();
  }
}

bool is_discarded(const Node& node) {
  return node.kind() == CXCursor_CStyleCastExpr && node.type().kind == CXType_Void &&
         stripped(node).kind() == CXCursor_DeclRefExpr;
}

void visit(const Node& node, const std::function<void(const Node&)>& f) {
  f(node);
  for (const Node& child : node.children()) visit(child, f);
}

Node definition_of(const Node& call) {
  return {clang_getCursorDefinition(call.referenced().cursor)};
}

std::vector<Node> parameters_of(const Node& function) {
  std::vector<Node> result;
  for (const Node& part : function.children())
    if (part.kind() == CXCursor_ParmDecl) result.push_back(part);
  return result;
}

bool is_function(const Node& node) {
  return node.kind() == CXCursor_FunctionDecl || node.kind() == CXCursor_CXXMethod;
}

std::optional<Node> body_of(const Node& call) {
  const Node definition = definition_of(call);
  if (definition.is_null() || !is_function(definition) || definition.in_system_header() ||
      clang_CXXMethod_isVirtual(definition.cursor) != 0 ||
      clang_CXXMethod_isCopyAssignmentOperator(definition.cursor) != 0 ||
      clang_CXXMethod_isMoveAssignmentOperator(definition.cursor) != 0)
    return std::nullopt;
  for (const Node& part : definition.children())
    if (part.kind() == CXCursor_CompoundStmt) return part;
  return std::nullopt;
}

std::optional<Node> returned_by(const Node& call) {
  const auto body = body_of(call);
  if (!body || body->children().size() != 1) return std::nullopt;
  const Node last = body->children().front();
  if (last.kind() != CXCursor_ReturnStmt || last.children().empty()) return std::nullopt;
  return last.children().front();
}

Call call_of(const Node& node) {
  Call call{node.referenced(), false, {}, {}};
  for (int a = 0; a < clang_Cursor_getNumArguments(node.cursor); ++a)
    call.arguments.push_back({clang_Cursor_getArgument(node.cursor, static_cast<unsigned>(a))});
  call.is_member = call.function.kind() == CXCursor_CXXMethod &&
                   clang_CXXMethod_isStatic(call.function.cursor) == 0;
  if (!call.is_member) return call;
  const std::vector<Node> parts = node.children();
  const bool named = !parts.empty() && parts.front().kind() == CXCursor_MemberRefExpr;
  if (named && parts.front().name() == call.function.name()) {  // M.rows()
    const std::vector<Node> base = parts.front().children();
    if (!base.empty() && clang_isExpression(base.front().kind()) != 0) call.object = base.front();
  } else if (call.function.name().starts_with("operator") && !call.arguments.empty()) {  // M(i, j)
    call.object = call.arguments.front();
    call.arguments.erase(call.arguments.begin());
  }
  return call;
}

bool is_assignment(const Node& node) {
  return (node.kind() == CXCursor_BinaryOperator &&
          node.binary_operator() == CXBinaryOperator_Assign) ||
         node.kind() == CXCursor_CompoundAssignOperator;
}

bool is_increment(const Node& node) {
  if (node.kind() != CXCursor_UnaryOperator) return false;
  const CXUnaryOperatorKind kind = node.unary_operator();
  return kind >= CXUnaryOperator_PostInc && kind <= CXUnaryOperator_PreDec;
}

Error error_at(const Node& node, const std::string& reason, const std::string& remedy) {
  return Error(node.file() + ":" + std::to_string(node.line()), reason, remedy);
}

}  // namespace redblue::frontend::c
