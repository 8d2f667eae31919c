// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/codegen/statement_text.hpp"

#include <algorithm>

#include "schedule/c_text.hpp"
#include "schedule/codegen/extremes.hpp"
#include "schedule/region_text.hpp"

namespace redblue::schedule::codegen {

using program::Access;
using program::Span;
using program::Statement;

namespace {

// Whether the word at `begin` is a member: x.word, x->word.
bool member(const std::string& text, std::size_t begin) {
  while (begin > 0 && text[begin - 1] == ' ') --begin;
  return begin > 0 && (text[begin - 1] == '.' ||
                       (begin > 1 && text[begin - 1] == '>' && text[begin - 2] == '-'));
}

// The value of a counter, iterators by their expressions.
std::string value_of(const program::Counter& counter, const Statement& s,
                     const std::vector<std::string>& iterators) {
  std::vector<std::pair<std::string, std::string>> words;
  for (std::size_t d = 0; d < iterators.size(); ++d) {
    words.emplace_back("redblue_" + std::to_string(d), in_parentheses(iterators[d]));
  }
  return renamed(with_words(expression(counter.value, s.domain), words));
}

}  // namespace

std::string with_words(const std::string& text,
                       const std::vector<std::pair<std::string, std::string>>& words) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (!in_word(text[at])) {
      result += text[at++];
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && in_word(text[end])) ++end;
    const std::string word = text.substr(at, end - at);
    const auto known = std::find_if(words.begin(), words.end(),
                                    [&word](const auto& w) { return w.first == word; });
    result += known == words.end() || member(text, at) ? word : known->second;
    at = end;
  }
  return result;
}

bool has_word(const std::string& text, const std::string& word) {
  return with_words(text, {{word, ""}}) != text;
}

std::string in_parentheses(const std::string& expression) {
  const bool simple = std::all_of(expression.begin(), expression.end(), in_word);
  return simple ? expression : "(" + expression + ")";
}

std::string tidy(std::string text) {
  for (std::size_t begin = 0; begin + 1 < text.size();) {
    if (text[begin] != '(') {
      ++begin;
      continue;
    }
    std::size_t end = begin, depth = 0;
    do {
      if (text[end] == '(') ++depth;
      if (text[end] == ')') --depth;
      ++end;
    } while (depth > 0 && end < text.size());
    const char before = begin == 0 ? '\0' : text[begin - 1];
    const char after = end < text.size() ? text[end] : '\0';
    if ((before == '[' && after == ']') || (before == '(' && after == ')')) {
      text.erase(end - 1, 1);
      text.erase(begin, 1);
      begin = 0;
    } else {
      ++begin;
    }
  }
  return text;
}

namespace {

// Source text with the loop variables' values, and functions that fill vectors, in their places.
std::string at_counters(const Statement& s, const std::string& text,
                        const std::vector<std::string>& iterators) {
  std::vector<std::pair<std::string, std::string>> words = called_extremes(text);
  for (const program::Counter& c : s.counters) {
    const std::string value = in_parentheses(value_of(c, s, iterators));
    const bool is_signed = c.type == "int" || c.type == "long";
    words.emplace_back(c.name, is_signed ? value : "((" + c.type + ")" + value + ")");
  }
  return with_words(on_one_line(text), words);
}

}  // namespace

std::string StatementText::named(std::size_t statement, std::size_t read, const Access& access,
                                 const Span& span,
                                 const std::vector<std::string>& iterators) const {
  const Statement& s = program_->statements[statement];
  const Family* family =
      moved_family(*families_, statement, read == the_write ? std::nullopt : std::optional(read));
  const auto text = [&s](std::size_t begin, std::size_t end) {
    return s.source.substr(begin, end - begin);
  };
  if (family == nullptr) return at_counters(s, text(span.begin, span.end), iterators);
  const Span replaced = array_name(*program_, s, access, span);
  std::string name = family->storage;
  for (const int d : family->iterators)
    name += subscript(*program_, *family, d, iterators[static_cast<std::size_t>(d)]);
  return name + at_counters(s, text(replaced.end, span.end), iterators);
}

std::string StatementText::between(std::size_t statement, const Span& where,
                                   const std::vector<std::string>& iterators,
                                   const Replacement& replaced,
                                   const std::optional<Part>& part) const {
  const Statement& s = program_->statements[statement];
  std::vector<Part> changes;
  if (part) changes.push_back(*part);
  const auto add = [&](std::size_t read, const Access& access) {
    for (const Span& span : access.where) {
      if (span.begin < where.begin || span.end > where.end) continue;
      const std::string now = named(statement, read, access, span, iterators);
      changes.push_back({span, replaced ? replaced(read, now) : now});
    }
  };
  add(the_write, s.writes.front());
  for (std::size_t r = 0; r < s.reads.size(); ++r) add(r, s.reads[r]);
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Part& a, const Part& b) { return a.where.begin < b.where.begin; });
  std::string text;
  std::size_t done = where.begin;
  for (const Part& change : changes) {
    // The two sides of x += e; what a part replaces.
    if (change.where.begin < done) continue;
    text += at_counters(s, s.source.substr(done, change.where.begin - done), iterators);
    text += change.text;
    done = change.where.end;
  }
  return text + at_counters(s, s.source.substr(done, where.end - done), iterators);
}

std::string StatementText::at(std::size_t statement, const std::vector<std::string>& iterators,
                              const Replacement& replaced, const std::optional<Part>& part) const {
  const Span all = {0, program_->statements[statement].source.size()};
  std::string text = between(statement, all, iterators, replaced, part);
  text.erase(text.find_last_not_of(" ;") + 1);
  return tidy(text) + ";";
}

std::string StatementText::part(std::size_t statement, const Span& where,
                                const std::vector<std::string>& iterators) const {
  return tidy(between(statement, where, iterators, {}, {}));
}

void StatementText::write(const Reached& reached, Lines& lines) const {
  for (std::size_t s = 0; s < program_->statements.size(); ++s) {
    if (program_->statements[s].name == reached.name) lines.add(at(s, reached.coordinates));
  }
}

std::string StatementText::access(std::size_t statement, std::size_t read,
                                  const std::vector<std::string>& iterators) const {
  const Statement& s = program_->statements[statement];
  const Access& access = read == the_write ? s.writes.front() : s.reads[read];
  return tidy(named(statement, read, access, access.where.front(), iterators));
}

}  // namespace redblue::schedule::codegen
