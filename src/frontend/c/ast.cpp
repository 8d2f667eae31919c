#include "frontend/c/ast.hpp"

#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "frontend/c/templates.hpp"

namespace redblue::frontend::c {

namespace {

std::string take(CXString s) {
  const char* text = clang_getCString(s);
  std::string result = text == nullptr ? "" : text;
  clang_disposeString(s);
  return result;
}

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

// What programs with OpenMP use of omp.h, for machines without it; `#pragma omp` is not followed.
constexpr const char* omp_header =
    "int omp_get_thread_num(void); int omp_get_num_threads(void); int omp_get_max_threads(void);\n"
    "int omp_get_num_procs(void); void omp_set_num_threads(int); double omp_get_wtime(void);\n";
constexpr const char* spare_headers = "/redblue-headers";

// Whether what a C compiler says about a file tells that it is C++.
bool looks_like_cpp(const std::string& reason) {
  static const std::regex word("'(template|class|namespace|using|constexpr|auto|std|typename)'");
  return std::regex_search(reason, word);
}

bool is_scope(const Node& node) {
  const CXCursorKind kind = node.kind();
  return kind == CXCursor_Namespace || kind == CXCursor_ClassDecl || kind == CXCursor_StructDecl ||
         kind == CXCursor_LinkageSpec;
}

bool is_instance(const Node& function) {
  return clang_Cursor_isNull(clang_getSpecializedCursorTemplate(function.cursor)) == 0;
}

// The operator() of a lambda is part of the function the lambda stands in.
bool is_in_lambda(const Node& function) {
  const CXCursor parent = clang_getCursorSemanticParent(function.cursor);
  return clang_getCursorKind(parent) == CXCursor_ClassDecl &&
         take(clang_getCursorSpelling(parent)).find("lambda") != std::string::npos;
}

}  // namespace

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

namespace {

bool is_function(const Node& node) {
  return node.kind() == CXCursor_FunctionDecl || node.kind() == CXCursor_CXXMethod;
}

}  // namespace

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

bool is_cpp(const std::string& path) {
  static const std::regex name("[.](cc|cpp|cxx|c\\+\\+|C|hh|hpp|hxx)$");
  return std::regex_search(path, name);
}

TranslationUnit::TranslationUnit(const std::string& path, const std::vector<std::string>& flags)
    : path_(path),
      index_(clang_createIndex(0, 0), clang_disposeIndex),
      unit_(nullptr, clang_disposeTranslationUnit) {
  std::ifstream file(path);
  if (!file) throw Error(path, "cannot be read", "give the path of a file that can");
  parse(flags, nullptr);
  if (!is_cpp(path)) return;
  const std::string uses = uses_of_templates(root(), path);
  if (uses.empty()) return;
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::string all = text + uses;
  try {
    parse(flags, &all);
  } catch (const Error&) {  // a template that is not meant for double
    parse(flags, nullptr);
  }
}

TranslationUnit::TranslationUnit(const std::string& path, const std::string& text)
    : path_(path),
      index_(clang_createIndex(0, 0), clang_disposeIndex),
      unit_(nullptr, clang_disposeTranslationUnit) {
  parse({}, &text);
}

// `text` stands for the file's, where it is given.
void TranslationUnit::parse(const std::vector<std::string>& flags, const std::string* text) {
  const std::string omp = std::string(spare_headers) + "/omp.h";
  std::vector<CXUnsavedFile> texts = {{omp.c_str(), omp_header, std::strlen(omp_header)}};
  if (text != nullptr) texts.push_back({path_.c_str(), text->c_str(), text->size()});
  const bool cpp = is_cpp(path_);
  std::vector<const char*> arguments = {cpp ? "-xc++" : "-xc", cpp ? "-std=gnu++20" : "-std=gnu11",
                                        "-Wno-everything", "-idirafter", spare_headers};
  for (const std::string& flag : flags) arguments.push_back(flag.c_str());
  unit_.reset();
  CXTranslationUnit unit = nullptr;
  const CXErrorCode code = clang_parseTranslationUnit2(
      index_.get(), path_.c_str(), arguments.data(), static_cast<int>(arguments.size()),
      texts.data(), static_cast<unsigned>(texts.size()), 0, &unit);
  unit_.reset(unit);
  const std::string language = cpp ? "C++" : "C";
  if (code != CXError_Success) {
    throw Error(path_, "the " + language + " compiler could not read it",
                "check the file and the compiler flags");
  }
  for (unsigned d = 0; d < clang_getNumDiagnostics(unit); ++d) {
    const std::unique_ptr<void, void (*)(CXDiagnostic)> message(clang_getDiagnostic(unit, d),
                                                                clang_disposeDiagnostic);
    if (clang_getDiagnosticSeverity(message.get()) < CXDiagnostic_Error) continue;
    CXString file;
    unsigned line = 0;
    clang_getPresumedLocation(clang_getDiagnosticLocation(message.get()), &file, &line, nullptr);
    const std::string where = take(file);
    const std::string reason = take(clang_getDiagnosticSpelling(message.get()));
    const std::string remedy = !cpp && looks_like_cpp(reason)
                                   ? "files of C++ end in .cpp, .cc or .cxx"
                                   : "compiler flags (-I, -D) go after --";
    throw Error((where.empty() ? path_ : where) + ":" + std::to_string(line),
                "this does not compile as " + language + ": " + reason, remedy);
  }
}

std::vector<Node> TranslationUnit::functions() const {
  std::vector<Node> result;
  std::set<std::string> known;
  const auto add = [&](const Node& node) {
    const bool wanted = is_function(node) && clang_isCursorDefinition(node.cursor) != 0 &&
                        node.file() == path_ && !is_in_lambda(node);
    if (wanted && known.insert(node.key()).second) result.push_back(node);
  };
  const std::function<void(const Node&)> collect = [&](const Node& node) {
    add(node);
    if (!is_scope(node)) return;
    for (const Node& child : node.children()) collect(child);
  };
  for (const Node& node : root().children()) {
    if (node.file() != path_) continue;
    collect(node);
    if (!is_cpp(path_)) continue;
    visit(node, [&](const Node& part) {  // instances of templates stand where they are used
      if (part.kind() != CXCursor_DeclRefExpr && part.kind() != CXCursor_CallExpr) return;
      const Node used = part.referenced();
      if (!used.is_null() && is_function(used) && is_instance(used))
        add({clang_getCursorDefinition(used.cursor)});
    });
  }
  return result;
}

std::vector<std::pair<int, int>> scop_regions(const std::string& path) {
  static const std::regex begin("^\\s*#\\s*pragma\\s+scop\\b.*");
  static const std::regex end("^\\s*#\\s*pragma\\s+endscop\\b.*");
  std::vector<std::pair<int, int>> regions;
  std::ifstream in(path);
  std::string line;
  int open = 0;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.find("pragma") == std::string::npos) continue;
    const std::string where = path + ":" + std::to_string(number);
    if (std::regex_match(line, begin)) {
      if (open != 0)
        throw Error(where, "a second #pragma scop", "close the first with #pragma endscop");
      open = number;
    } else if (std::regex_match(line, end)) {
      if (open == 0) throw Error(where, "#pragma endscop without #pragma scop");
      regions.emplace_back(open, number);
      open = 0;
    }
  }
  if (open != 0) {
    throw Error(path + ":" + std::to_string(open), "#pragma scop without #pragma endscop");
  }
  return regions;
}

}  // namespace redblue::frontend::c
