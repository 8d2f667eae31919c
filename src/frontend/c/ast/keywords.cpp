// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/c/ast/keywords.hpp"

#include <set>

namespace redblue::frontend::c {

bool is_keyword(const std::string& word) {
  static const std::set<std::string> words = {
      "auto",           "break",        "case",     "char",     "const",      "continue",
      "default",        "do",           "double",   "else",     "enum",       "extern",
      "float",          "for",          "goto",     "if",       "inline",     "int",
      "long",           "return",       "restrict", "register", "short",      "signed",
      "sizeof",         "static",       "struct",   "switch",   "typedef",    "union",
      "unsigned",       "void",         "volatile", "while",    "_Alignas",   "_Alignof",
      "_Atomic",        "_Bool",        "_Complex", "_Generic", "_Imaginary", "_Noreturn",
      "_Static_assert", "_Thread_local"};
  return words.count(word) != 0;
}

}  // namespace redblue::frontend::c
