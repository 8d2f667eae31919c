// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/updates.hpp"

#include <algorithm>
#include <optional>
#include <regex>

#include "schedule/order.hpp"

namespace redblue::schedule {

using program::Access;
using program::Program;
using program::Span;
using program::Statement;
using program::Update;

namespace {

// The comma between two arguments, and the parenthesis that closes them, from `begin` on; nothing
// where there are more or fewer.
struct Arguments {
  std::size_t comma = 0, end = 0;
};
std::optional<Arguments> arguments(const std::string& text, std::size_t begin) {
  Arguments result;
  int depth = 0;
  for (std::size_t at = begin; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(' || c == '[') ++depth;
    if (depth == 0 && c == ')') {
      result.end = at;
      return result.comma == 0 ? std::nullopt : std::optional(result);
    }
    if (c == ')' || c == ']') --depth;
    if (depth != 0 || c != ',') continue;
    if (result.comma != 0) return std::nullopt;
    result.comma = at;
  }
  return std::nullopt;
}

bool blank(const std::string& text, std::size_t begin, std::size_t end) {
  return text.find_first_not_of(" \t\n;", begin) >= end;
}

// Whether the span is all that stands between two places of the text.
bool alone(const std::string& text, const Span& span, std::size_t begin, std::size_t end) {
  return begin <= span.begin && span.end <= end && blank(text, begin, span.begin) &&
         blank(text, span.end, end);
}

// "sum" or "product" for the operator in front of, or behind, everything else of a side.
std::string function_of(char operation) {
  return operation == '*' ? "product" : "sum";
}

// Whether nothing outside of parentheses in text[begin, end) binds weaker than `operation`.
bool binds(const std::string& text, std::size_t begin, std::size_t end, char operation) {
  const std::string weaker = operation == '*' ? "+-?:<>=&|^,%/" : "?:<>=&|^,";
  int depth = 0;
  for (std::size_t at = begin; at < end; ++at) {
    const char c = text[at];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (depth == 0 && weaker.find(c) != std::string::npos) return false;
  }
  return true;
}

// The first character from `begin` on that is not blank; the text's size where there is none.
std::size_t next(const std::string& text, std::size_t begin) {
  return std::min(text.find_first_not_of(" \t\n", begin), text.size());
}

// "sum" of x += e, x = x + e, ..: `write` and `read` are where x stands, once in x += e.
std::optional<std::string> reassociable(const std::string& text, const Span& write,
                                        const Span& read) {
  const std::size_t operation = next(text, write.end);
  const std::size_t end = std::min(text.find(';', write.end), text.size());
  if (!blank(text, 0, write.begin) || operation + 1 >= end) return std::nullopt;
  const char first = text[operation];
  if (read.begin == write.begin) {
    const bool updates =
        (first == '+' || first == '-' || first == '*') && text[operation + 1] == '=';
    return updates ? std::optional(function_of(first)) : std::nullopt;
  }
  if (first != '=' || text[operation + 1] == '=') return std::nullopt;
  if (blank(text, operation + 1, read.begin)) {  // x = x + e
    const std::size_t at = next(text, read.end);
    const char c = at < end ? text[at] : ';';
    const bool known = c == '+' || c == '-' || c == '*';
    return known && binds(text, at + 1, end, c) ? std::optional(function_of(c)) : std::nullopt;
  }
  if (!blank(text, read.end, end)) return std::nullopt;
  const std::size_t at = text.find_last_not_of(" \t\n", read.begin - 1);  // x = e + x
  const char c = text[at];
  const bool known = c == '+' || c == '*';
  return known && binds(text, operation + 1, at, c) ? std::optional(function_of(c)) : std::nullopt;
}

// Sums of whole numbers with fractions are cut off in every step.
bool holds_fractions(const Program& program, const std::string& array) {
  const auto& all = program.region.variables;
  return std::any_of(all.begin(), all.end(), [&array](const program::Variable& v) {
    return v.name == array && (v.type == "double" || v.type == "float" || v.type == "long double");
  });
}

// "fmax" of x = fmax(x, e), ..: `write` and `read` are where x stands.
std::optional<std::string> extreme(const std::string& text, const Span& write, const Span& read) {
  static const std::regex call("^\\s*=\\s*(f(?:max|min)f?)\\s*\\(");
  std::smatch found;
  const std::string right = text.substr(write.end);
  if (!blank(text, 0, write.begin) || !std::regex_search(right, found, call)) return std::nullopt;
  const std::size_t first = write.end + static_cast<std::size_t>(found.length());
  const std::optional<Arguments> in = arguments(text, first);
  if (!in || !blank(text, in->end + 1, text.size())) return std::nullopt;
  const bool argument =
      alone(text, read, first, in->comma) || alone(text, read, in->comma + 1, in->end);
  return argument ? std::optional<std::string>(found[1]) : std::nullopt;
}

std::optional<Update> update(const Program& program, std::size_t index, bool reassociate) {
  const Statement& s = program.statements[index];
  if (s.writes.size() != 1 || s.writes.front().where.size() != 1) return std::nullopt;
  const Access& write = s.writes.front();
  const bool sums = reassociate && holds_fractions(program, write.array);
  for (std::size_t r = 0; r < s.reads.size(); ++r) {
    const Access& read = s.reads[r];
    if (read.where.size() != 1 || read.array != write.array ||
        !read.elements.is_equal(write.elements))
      continue;
    const Span &to = write.where.front(), &from = read.where.front();
    std::optional<std::string> function = extreme(s.source, to, from);
    if (!function && sums) function = reassociable(s.source, to, from);
    if (function) return Update{index, r, *function};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Update> commuting_updates(const Program& program, bool reassociate) {
  std::vector<Update> result;
  for (std::size_t s = 0; s < program.statements.size(); ++s)
    if (const auto found = update(program, s, reassociate)) result.push_back(*found);
  return result;
}

bool reassociates(const Program& program) {
  return std::any_of(program.commuting.begin(), program.commuting.end(), [](const Update& u) {
    return u.function == "sum" || u.function == "product";
  });
}

std::vector<std::string> reordered_updates(const Program& program, const isl::union_map& times) {
  std::vector<std::string> result;
  for (const Update& update : program.commuting) {
    Program bound = program;
    std::erase_if(bound.commuting, [&](const auto& u) { return u.function == update.function; });
    const std::string array = bound.statements[update.statement].writes.front().array;
    const std::string text = update.function + " of " + array;
    if (std::count(result.begin(), result.end(), text) == 0 && !respects(times, conflicts(bound)))
      result.push_back(text);
  }
  return result;
}

}  // namespace redblue::schedule
