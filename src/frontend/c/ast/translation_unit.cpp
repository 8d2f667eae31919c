// SPDX-License-Identifier: BSD-3-Clause
// One source file as libclang reads it.
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "frontend/c/ast/ast.hpp"
#include "frontend/c/ast/own_headers.hpp"
#include "frontend/c/ast/templates.hpp"

namespace redblue::frontend::c {

namespace {

constexpr const char* spare_headers = "/redblue-headers";

std::string headers_there_are() {
  std::string names;
  for (const OwnHeader& header : own_headers()) names += (names.empty() ? "" : ", ") + header.name;
  return "here a source stands alone: it declares what it uses, or includes " + names;
}

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
  use_templates(flags, {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
}

TranslationUnit::TranslationUnit(const std::string& path, const std::string& text)
    : path_(path),
      alone_(true),
      index_(clang_createIndex(0, 0), clang_disposeIndex),
      unit_(nullptr, clang_disposeTranslationUnit) {
  parse({}, &text);
  if (is_cpp(path)) use_templates({}, text);
}

// Templates that nothing uses are read with arguments of our own.
void TranslationUnit::use_templates(const std::vector<std::string>& flags,
                                    const std::string& text) {
  const std::string uses = uses_of_templates(root(), path_);
  if (uses.empty()) return;
  const std::string all = text + uses;
  try {
    parse(flags, &all);
  } catch (const Error&) {  // a template that is not meant for double
    parse(flags, &text);
  }
}

// `text` stands for the file's, where it is given.
void TranslationUnit::parse(const std::vector<std::string>& flags, const std::string* text) {
  std::vector<std::string> paths;
  paths.reserve(own_headers().size());
  std::vector<CXUnsavedFile> texts;
  for (const OwnHeader& header : own_headers()) {
    if (!alone_ && !header.spare) continue;
    paths.push_back(spare_headers + ("/" + header.name));
    texts.push_back({paths.back().c_str(), header.text.c_str(), header.text.size()});
  }
  if (text != nullptr) texts.push_back({path_.c_str(), text->c_str(), text->size()});
  const bool cpp = is_cpp(path_);
  std::vector<const char*> arguments = {cpp ? "-xc++" : "-xc", cpp ? "-std=gnu++20" : "-std=gnu11",
                                        "-Wno-everything"};
  if (alone_) arguments.insert(arguments.end(), {"-nostdinc", "-nostdinc++"});
  arguments.insert(arguments.end(), {alone_ ? "-isystem" : "-idirafter", spare_headers});
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
  if (alone_) check_inclusions();
  for (unsigned d = 0; d < clang_getNumDiagnostics(unit); ++d) {
    const std::unique_ptr<void, void (*)(CXDiagnostic)> message(clang_getDiagnostic(unit, d),
                                                                clang_disposeDiagnostic);
    if (clang_getDiagnosticSeverity(message.get()) < CXDiagnostic_Error) continue;
    CXString file;
    unsigned line = 0;
    clang_getPresumedLocation(clang_getDiagnosticLocation(message.get()), &file, &line, nullptr);
    const std::string where = take(file);
    const std::string reason = take(clang_getDiagnosticSpelling(message.get()));
    static const std::regex missing("not found|undeclared|unknown type|no member named");
    const std::string remedy = !cpp && looks_like_cpp(reason)
                                   ? "files of C++ end in .cpp, .cc or .cxx"
                               : !alone_ ? "compiler flags (-I, -D) go after --"
                               : std::regex_search(reason, missing) ? headers_there_are()
                                                                    : "";
    throw Error((where.empty() ? path_ : where) + ":" + std::to_string(line),
                "this does not compile as " + language + ": " + reason, remedy);
  }
}

// What was included otherwise goes into no message: this comes before the compiler's own.
void TranslationUnit::check_inclusions() const {
  struct Found {
    const std::string* path;
    std::string other;
  } found{&path_, {}};
  clang_getInclusions(
      unit_.get(),
      [](CXFile file, CXSourceLocation*, unsigned, CXClientData data) {
        auto& seen = *static_cast<Found*>(data);
        const std::string name = take(clang_getFileName(file));
        if (name != *seen.path && !name.starts_with(spare_headers + std::string("/")))
          seen.other = name;
      },
      &found);
  if (!found.other.empty())
    throw Error(path_, "it includes a file that it may not", headers_there_are());
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

std::vector<std::pair<int, int>> scop_regions(const std::string& path, const std::string& text) {
  static const std::regex begin("^\\s*#\\s*pragma\\s+scop\\b.*");
  static const std::regex end("^\\s*#\\s*pragma\\s+endscop\\b.*");
  std::vector<std::pair<int, int>> regions;
  std::istringstream in(text);
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
