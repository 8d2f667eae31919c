// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/c/frontend.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "frontend/c/macros.hpp"
#include "frontend/c/read_after.hpp"
#include "frontend/c/region.hpp"

namespace redblue::frontend::c {

namespace {

using Lines = std::pair<int, int>;

bool contains(const Node& node, const Lines& region) {
  return node.first_line() <= region.first && node.last_line() >= region.second;
}

// The statements between the two pragma lines, taken from the innermost block around them.
std::vector<Node> statements_between(const Node& block, const Lines& region) {
  for (const Node& child : block.children()) {
    if (!contains(child, region)) continue;
    return statements_between(child, region);
  }
  std::vector<Node> inside;
  for (const Node& child : block.children()) {
    if (child.first_line() > region.first && child.last_line() < region.second)
      inside.push_back(child);
  }
  return inside;
}

struct Body {
  std::vector<Node> statements;
  program::Span where;
};

Body whole_body(const Node& function) {
  Body body;
  for (const Node& part : function.children()) {
    if (part.kind() != CXCursor_CompoundStmt) continue;
    body = {part.children(), {part.span().begin + 1, part.span().end - 1}};
  }
  for (const Node& statement : body.statements) {
    if (!is_early_return(statement)) break;
    const std::string_view rest = statement.from_here();  // up to its semicolon or brace
    body.where.begin = statement.span().end;
    const std::size_t length = statement.span().end - statement.span().begin;
    if (length < rest.size() && rest[length] == ';') ++body.where.begin;
  }
  if (!body.statements.empty() && body.statements.back().kind() == CXCursor_ReturnStmt) {
    body.where.end = body.statements.back().span().begin;
    body.statements.pop_back();
  }
  return body;
}

// The characters between the lines of two pragmas.
program::Span characters_between(const std::string& text, const Lines& lines) {
  std::istringstream in(text);
  program::Span where;
  std::string line;
  std::size_t offset = 0;
  for (int number = 1; std::getline(in, line); ++number) {
    if (number == lines.second) where.end = offset;
    offset += line.size() + 1;
    if (number == lines.first) where.begin = offset;
  }
  return where;
}

std::string names_of(const std::vector<Node>& functions) {
  std::string names;
  for (const Node& f : functions) names += (names.empty() ? "" : ", ") + f.name();
  return names;
}

// Functions that no other function of the file calls.
std::vector<Node> not_called(const std::vector<Node>& functions) {
  std::set<std::string> called;
  for (const Node& f : functions) {
    visit(f, [&](const Node& part) {
      if (part.kind() == CXCursor_CallExpr && part.name() != f.name()) called.insert(part.name());
    });
  }
  std::vector<Node> result;
  for (const Node& f : functions)
    if (called.count(f.name()) == 0) result.push_back(f);
  return result;
}

Node chosen_function(const std::string& path, const std::string& wanted,
                     const std::vector<Node>& functions, const std::vector<Lines>& regions) {
  if (functions.empty())
    throw Error(path, "no function is defined here",
                is_cpp(path)
                    ? "put the loop nest into a function; a template whose types cannot be "
                      "double is read where the file calls it"
                    : "put the loop nest into a function");
  std::vector<Node> candidates;
  for (const Node& f : functions) {
    bool has_region = false;
    for (const Lines& region : regions) has_region = has_region || contains(f, region);
    if (wanted.empty() ? has_region : f.name() == wanted) candidates.push_back(f);
  }
  if (!wanted.empty() && candidates.empty()) {
    throw Error(path, "no function '" + wanted + "'", "the file defines " + names_of(functions));
  }
  if (candidates.empty()) candidates = not_called(functions);
  if (candidates.size() == 1) return candidates.front();
  throw Error(path,
              regions.empty() ? "no #pragma scop and several functions"
                              : "several functions have a #pragma scop",
              "choose one of " + names_of(candidates.empty() ? functions : candidates) +
                  " with --function");
}

}  // namespace

namespace {

// Nothing in C says that two pointers lead to different memory, unless `restrict` does.
void note_pointers(program::Program& program, const Node& function) {
  std::set<std::string> written;
  for (const program::Statement& s : program.statements)
    for (const program::Access& write : s.writes) written.insert(write.array);
  std::string names;
  int pointers = 0;
  bool some_written = false;
  for (const Node& parameter : function.children()) {
    const std::string name = parameter.name();
    if (parameter.kind() != CXCursor_ParmDecl || program.arrays.count(name) == 0) continue;
    const std::string text = parameter.text();
    const bool is_pointer = text.find('*') != std::string::npos;
    if (!is_pointer || text.find("restrict") != std::string::npos) continue;
    names += (names.empty() ? "" : ", ") + name;
    some_written = some_written || written.count(name) != 0;
    ++pointers;
  }
  if (pointers > 1 && some_written)
    program.taken.push_back(names + " share no memory, as if their pointers were restrict");
}

std::string contents(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

program::Program read(const TranslationUnit& unit, const std::string& path, const std::string& text,
                      const std::string& function, const std::vector<Lines>& regions) {
  const Node chosen = chosen_function(path, function, unit.functions(), regions);
  Body body;
  int pieces = 0;
  for (const Lines& region : regions) {
    if (!contains(chosen, region)) continue;
    ++pieces;
    body.where = characters_between(text, region);
    for (const Node& s : statements_between(chosen, region)) body.statements.push_back(s);
  }
  if (pieces == 0) body = whole_body(chosen);
  RegionReader reader(body.statements);
  program::Program program = reader.read();
  if (program.statements.empty()) {
    throw Error(path, "function '" + chosen.name() + "' has no statement to analyse",
                "put assignments between #pragma scop and #pragma endscop");
  }
  mark_dead_values(program, reader.declarations(), chosen, body.statements);
  note_pointers(program, chosen);
  program.name = chosen.name();
  program.region = {
      path, text, body.where, std::max(pieces, 1), reader.variables(), program.region.no_code};
  if (program.region.no_code.empty()) program.region.no_code = hidden_by_macros(program);
  return program;
}

}  // namespace

program::Program parse(const std::string& path, const std::string& function,
                       const std::vector<std::string>& flags) {
  const TranslationUnit unit(path, flags);
  const std::string text = contents(path);
  return read(unit, path, text, function, scop_regions(path, text));
}

program::Program parse_text(const std::string& path, const std::string& text,
                            const std::string& function) {
  const TranslationUnit unit(path, text);
  return read(unit, path, text, function, scop_regions(path, text));
}

}  // namespace redblue::frontend::c
