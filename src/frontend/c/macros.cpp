// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/c/macros.hpp"

#include <algorithm>
#include <map>
#include <regex>
#include <set>

namespace redblue::frontend::c {

namespace {

using Words = std::set<std::string>;

Words words_of(const std::string& text) {
  static const std::regex word("[A-Za-z_]\\w*");
  Words result;
  for (std::sregex_iterator m(text.begin(), text.end(), word), end; m != end; ++m)
    result.insert(m->str());
  return result;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first);
}

struct Macro {
  Words words;      // of its definition but its parameters, those of macros in it included
  std::string sum;  // its definition, where that is no number, name, call or term in parentheses
};

bool is_one_term(const std::string& definition) {
  static const std::regex one("\\s*(?:[-+]?\\s*[\\w.]+(?:[eE][-+]?\\w+)?|\\w*\\s*\\(.*\\))?\\s*");
  return std::regex_match(definition, one);
}

std::map<std::string, Macro> macros_of(const std::string& text) {
  static const std::regex definition(
      "(?:^|\\n)[ \\t]*#[ \\t]*define[ "
      "\\t]+(\\w+)(?:\\(([^)\\n]*)\\))?((?:[^\\n\\\\]|\\\\[^\\n]|\\\\\\n)*)");
  std::map<std::string, Macro> result;
  for (std::sregex_iterator m(text.begin(), text.end(), definition), end; m != end; ++m) {
    Words words = words_of((*m)[3]);
    for (const std::string& parameter : words_of((*m)[2])) words.erase(parameter);
    result[(*m)[1]] = {words, is_one_term((*m)[3]) ? "" : trimmed((*m)[3])};
  }
  for (std::size_t round = 0; round < result.size(); ++round) {
    for (auto& [name, macro] : result) {
      Words more;
      for (const std::string& w : macro.words) {
        const auto inner = result.find(w);
        if (inner != result.end())
          more.insert(inner->second.words.begin(), inner->second.words.end());
      }
      macro.words.merge(more);
    }
  }
  return result;
}

// In a statement's text.
bool beside_operator(const program::Program& program, const std::string& name) {
  const std::regex use("[-*/%]\\s*" + name + "\\b|\\b" + name + "\\s*[*/%]");
  return std::any_of(program.statements.begin(), program.statements.end(),
                     [&](const auto& s) { return std::regex_search(s.source, use); });
}

}  // namespace

std::string hidden_by_macros(const program::Program& program) {
  const program::Region& region = program.region;
  Words renamed;
  for (const program::Statement& s : program.statements) {
    renamed.insert(s.iterators.begin(), s.iterators.end());
    for (const program::Access& w : s.writes) renamed.insert(w.array);
  }
  const Words used =
      words_of(region.text.substr(region.where.begin, region.where.end - region.where.begin));
  for (const auto& [name, macro] : macros_of(region.text)) {
    if (used.count(name) == 0) continue;
    for (const std::string& w : macro.words) {
      if (renamed.count(w) != 0)
        return "the macro '" + name + "' names '" + w + "', which another order may call otherwise";
    }
    if (!macro.sum.empty() && beside_operator(program, name))
      return "the macro '" + name + "' stands for '" + macro.sum + "' without parentheses";
  }
  return {};
}

}  // namespace redblue::frontend::c
