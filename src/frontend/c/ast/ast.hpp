// SPDX-License-Identifier: BSD-3-Clause
// A thin value view of libclang's syntax tree, of C and C++.
#pragma once

#include <clang-c/Index.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program/program.hpp"
#include "redblue/error.hpp"

namespace redblue::frontend::c {

// The text of a string of libclang, which is given back.
std::string take(CXString s);

// A node of the tree. Cheap to copy; valid while its TranslationUnit lives.
struct Node {
  CXCursor cursor;

  CXCursorKind kind() const { return clang_getCursorKind(cursor); }
  std::string name() const;
  std::vector<Node> children() const;
  Node referenced() const { return {clang_getCursorReferenced(cursor)}; }
  bool is_null() const { return clang_Cursor_isNull(cursor) != 0; }

  int line() const;        // as #line directives have it
  int first_line() const;  // in the file, whatever #line says; of a macro: of its call
  int last_line() const;   // likewise
  std::string file() const;
  std::string_view from_here() const;  // its file from its first character on
  program::Span span() const;          // in its file; of a macro's argument, where it was written
  std::string source() const;          // the characters of the span
  // From its first character to before the next ; or , outside parentheses: right where it ends in
  // a macro's call, too.
  std::string source_of_expression() const;
  std::string text() const;  // the source, each stretch of white space as one blank

  bool operator==(const Node& other) const { return clang_equalCursors(cursor, other.cursor) != 0; }

  // Identifies a declaration within its translation unit.
  std::string key() const;

  CXType type() const;  // without typedefs
  bool has_integer_type() const;
  bool in_system_header() const;
  std::optional<long long> constant() const;  // the value of a constant integer expression

  CXBinaryOperatorKind binary_operator() const { return clang_getCursorBinaryOperatorKind(cursor); }
  CXUnaryOperatorKind unary_operator() const { return clang_getCursorUnaryOperatorKind(cursor); }
};

bool is_array(CXType type);
bool is_reference(CXType type);
bool is_record(CXType type);
// T& that is not const T&.
bool is_changeable_reference(CXType type);

// A type without its arrays and pointers, and these, outermost first: whether an extent is written.
struct Levels {
  CXType element;
  std::vector<bool> sized;
};
Levels levels_of(CXType type);

// The value a variable is declared with; nothing where there is none, or it is an array.
std::optional<Node> initial_value(const Node& variable);

// The type of a variable, of its elements where it is an array or a pointer, without typedefs and
// qualifiers: "double".
std::string spelled_type(const Node& variable);

// The node without parentheses, casts and the compiler's implicit conversions.
Node stripped(Node node);

// (void)x; which keeps a compiler from warning of a variable that nothing uses.
bool is_discarded(const Node& node);

// Calls f on the node and on all below it.
void visit(const Node& node, const std::function<void(const Node&)>& f);

// The function that is called as it is defined in this file, its parameters, and its body; null or
// nothing where it is not defined here, in a header of the system, or virtual.
Node definition_of(const Node& call);
std::vector<Node> parameters_of(const Node& function);
std::optional<Node> body_of(const Node& call);
// What the body returns where that is all it does.
std::optional<Node> returned_by(const Node& call);

// A call taken apart. M(i, j) calls a member of M with i and j; where a member function calls
// another of its own object, `object` is empty.
struct Call {
  Node function;
  bool is_member = false;
  std::optional<Node> object;
  std::vector<Node> arguments;
};
Call call_of(const Node& node);

// What a name stands for.
struct Identity {
  std::string key;   // identifies it within its translation unit
  std::string name;  // "A", or "M_data" for M.data and M->data
};

// A function or an instance of a template of functions.
bool is_function(const Node& node);

bool is_assignment(const Node& node);  // =, +=, ...
bool is_increment(const Node& node);   // ++, --

// "FILE:LINE: reason", ready to throw.
Error error_at(const Node& node, const std::string& reason, const std::string& remedy = {});

// Whether a file is read as C++: by how its name ends.
bool is_cpp(const std::string& path);

// A parsed C or C++ file.
class TranslationUnit {
 public:
  // Throws Error with the compiler's first message when the file cannot be read or parsed.
  TranslationUnit(const std::string& path, const std::vector<std::string>& flags);
  // A text that stands for the file's, with own_headers() in place of all others; lines are those
  // of its #line directives.
  TranslationUnit(const std::string& path, const std::string& text);

  Node root() const { return {clang_getTranslationUnitCursor(unit_.get())}; }

  // Function definitions of the main file, those in namespaces and classes and the instances of
  // templates, too.
  std::vector<Node> functions() const;

 private:
  void parse(const std::vector<std::string>& flags, const std::string* text);
  void check_inclusions() const;
  void use_templates(const std::vector<std::string>& flags, const std::string& text);

  std::string path_;
  bool alone_ = false;  // nothing but the text is read
  std::unique_ptr<void, void (*)(CXIndex)> index_;
  std::unique_ptr<CXTranslationUnitImpl, void (*)(CXTranslationUnit)> unit_;
};

// First and last line of every `#pragma scop` .. `#pragma endscop` pair. Throws Error when they do
// not match. `path`: of the text, for messages.
std::vector<std::pair<int, int>> scop_regions(const std::string& path, const std::string& text);

}  // namespace redblue::frontend::c
