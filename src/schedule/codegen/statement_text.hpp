// SPDX-License-Identifier: BSD-3-Clause
// An instance of a statement as C, from the text of the source.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "program/program.hpp"
#include "schedule/codegen/ast_text.hpp"
#include "schedule/privatise.hpp"

namespace redblue::schedule::codegen {

// What stands in the place of an access: of the read with that number, or of the write.
constexpr std::size_t the_write = static_cast<std::size_t>(-1);
using Replacement = std::function<std::string(std::size_t read, const std::string& text)>;

// A part of a statement's text and what stands in its place.
struct Part {
  program::Span where;
  std::string text;
};

// The statements of a program with the storage that families give their values.
class StatementText {
 public:
  StatementText(const program::Program& program, const std::vector<Family>& families)
      : program_(&program), families_(&families) {}

  // The statement at the instance whose iterators have these values (expressions in C); ends in
  // ';'. `replaced` may put something else in the place of an access.
  std::string at(std::size_t statement, const std::vector<std::string>& iterators,
                 const Replacement& replaced = {}, const std::optional<Part>& part = {}) const;

  // A part of the statement's text at an instance.
  std::string part(std::size_t statement, const program::Span& where,
                   const std::vector<std::string>& iterators) const;

  // The line of an instance where loops reach it; none for what is no statement.
  void write(const Reached& reached, Lines& lines) const;

  // One access at an instance: "A[i][k]", "sum_1[i][j]".
  std::string access(std::size_t statement, std::size_t read,
                     const std::vector<std::string>& iterators) const;

 private:
  std::string between(std::size_t statement, const program::Span& where,
                      const std::vector<std::string>& iterators, const Replacement& replaced,
                      const std::optional<Part>& part) const;
  std::string named(std::size_t statement, std::size_t read, const program::Access& access,
                    const program::Span& span, const std::vector<std::string>& iterators) const;

  const program::Program* program_;
  const std::vector<Family>* families_;
};

// Whether the word stands in the text.
bool has_word(const std::string& text, const std::string& word);

// `text` with whole words replaced: {{"i", "i + 1"}} turns "A[i]" into "A[i + 1]".
std::string with_words(const std::string& text,
                       const std::vector<std::pair<std::string, std::string>>& words);

// "(x)", unless x is a name or a number.
std::string in_parentheses(const std::string& expression);

// Without parentheses around what stands in brackets or parentheses by itself.
std::string tidy(std::string text);

}  // namespace redblue::schedule::codegen
