#include "frontend/c/ast.hpp"

#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>

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

// Whether a file that is no C looks like C++.
bool is_about_cpp(const std::string& path, const std::string& reason) {
  static const std::regex name("[.](cc|cpp|cxx|c\\+\\+|C|hh|hpp|hxx)$");
  static const std::regex word("'(template|class|namespace|using|constexpr|auto|std|typename)'");
  return std::regex_search(path, name) || std::regex_search(reason, word);
}

// What programs with OpenMP use of omp.h, for machines without it; `#pragma omp` is not followed.
constexpr const char* omp_header =
    "int omp_get_thread_num(void); int omp_get_num_threads(void); int omp_get_max_threads(void);\n"
    "int omp_get_num_procs(void); void omp_set_num_threads(int); double omp_get_wtime(void);\n";
constexpr const char* spare_headers = "/redblue-headers";

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

std::optional<long long> Node::constant() const {
  if (clang_isExpression(kind()) == 0 || !has_integer_type()) return std::nullopt;
  const std::unique_ptr<void, void (*)(CXEvalResult)> result(clang_Cursor_Evaluate(cursor),
                                                             clang_EvalResult_dispose);
  if (!result || clang_EvalResult_getKind(result.get()) != CXEval_Int) return std::nullopt;
  return clang_EvalResult_getAsLongLong(result.get());
}

bool is_array(CXType type) {
  return type.kind == CXType_ConstantArray || type.kind == CXType_VariableArray ||
         type.kind == CXType_IncompleteArray;
}

Levels levels_of(CXType type) {
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
    if (kind != CXCursor_UnexposedExpr && kind != CXCursor_ParenExpr &&
        kind != CXCursor_CStyleCastExpr) {
      return node;
    }
    const std::vector<Node> children = node.children();
    if (children.empty()) return node;
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

std::optional<Node> body_of(const Node& call) {
  const Node definition = definition_of(call);
  if (definition.is_null() || definition.kind() != CXCursor_FunctionDecl) return std::nullopt;
  for (const Node& part : definition.children())
    if (part.kind() == CXCursor_CompoundStmt) return part;
  return std::nullopt;
}

std::optional<Identity> member(const Node& node) {
  if (node.kind() != CXCursor_MemberRefExpr || node.children().empty()) return std::nullopt;
  Node base = stripped(node.children().front());
  if (base.kind() == CXCursor_UnaryOperator && base.unary_operator() == CXUnaryOperator_Deref)
    base = stripped(base.children().at(0));
  if (base.kind() != CXCursor_DeclRefExpr) return std::nullopt;
  const Node variable = base.referenced();
  const bool outlives_function =
      variable.kind() == CXCursor_ParmDecl ||
      Node{clang_getCursorSemanticParent(variable.cursor)}.kind() == CXCursor_TranslationUnit;
  if (!outlives_function) return std::nullopt;
  return Identity{variable.key() + "." + node.name(), variable.name() + "_" + node.name()};
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

TranslationUnit::TranslationUnit(const std::string& path, const std::vector<std::string>& flags)
    : path_(path),
      index_(clang_createIndex(0, 0), clang_disposeIndex),
      unit_(nullptr, clang_disposeTranslationUnit) {
  if (!std::ifstream(path)) {
    throw Error(path, "cannot be read", "give the path of a file that can");
  }
  parse(flags, {});
}

TranslationUnit::TranslationUnit(const std::string& path, const std::string& text)
    : path_(path),
      index_(clang_createIndex(0, 0), clang_disposeIndex),
      unit_(nullptr, clang_disposeTranslationUnit) {
  parse({}, {{path_.c_str(), text.c_str(), text.size()}});
}

void TranslationUnit::parse(const std::vector<std::string>& flags,
                            std::vector<CXUnsavedFile> texts) {
  const std::string omp = std::string(spare_headers) + "/omp.h";
  texts.push_back({omp.c_str(), omp_header, std::strlen(omp_header)});
  std::vector<const char*> arguments = {"-xc", "-std=gnu11", "-Wno-everything", "-idirafter",
                                        spare_headers};
  for (const std::string& flag : flags) arguments.push_back(flag.c_str());
  CXTranslationUnit unit = nullptr;
  const CXErrorCode code = clang_parseTranslationUnit2(
      index_.get(), path_.c_str(), arguments.data(), static_cast<int>(arguments.size()),
      texts.data(), static_cast<unsigned>(texts.size()), 0, &unit);
  unit_.reset(unit);
  if (code != CXError_Success) {
    throw Error(path_, "the C compiler could not read it", "check the file and the compiler flags");
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
    throw Error((where.empty() ? path_ : where) + ":" + std::to_string(line),
                "this does not compile as C: " + reason,
                is_about_cpp(path_, reason)
                    ? "C and Python are read, C++ is not: put the loop nest into a C function"
                    : "compiler flags (-I, -D) go after --");
  }
}

std::vector<Node> TranslationUnit::functions() const {
  std::vector<Node> result;
  for (const Node& node : root().children()) {
    if (node.kind() == CXCursor_FunctionDecl && clang_isCursorDefinition(node.cursor) != 0 &&
        node.file() == path_) {
      result.push_back(node);
    }
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
