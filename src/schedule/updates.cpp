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

std::optional<Update> update(const Program& program, std::size_t index) {
  const Statement& s = program.statements[index];
  if (s.writes.size() != 1 || s.writes.front().where.size() != 1) return std::nullopt;
  const Access& write = s.writes.front();
  const std::size_t begin = write.where.front().end;
  static const std::regex call("^\\s*=\\s*(f(?:max|min)f?)\\s*\\(");
  std::smatch found;
  const std::string right = s.source.substr(begin);
  if (!blank(s.source, 0, write.where.front().begin) || !std::regex_search(right, found, call))
    return std::nullopt;
  const std::size_t first = begin + static_cast<std::size_t>(found.length());
  const std::optional<Arguments> in = arguments(s.source, first);
  if (!in || !blank(s.source, in->end + 1, s.source.size())) return std::nullopt;
  for (std::size_t r = 0; r < s.reads.size(); ++r) {
    const Access& read = s.reads[r];
    if (read.where.size() != 1 || read.array != write.array ||
        !read.elements.is_equal(write.elements))
      continue;
    const Span& span = read.where.front();
    if (alone(s.source, span, first, in->comma) || alone(s.source, span, in->comma + 1, in->end))
      return Update{index, r, found[1]};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Update> commuting_updates(const Program& program) {
  std::vector<Update> result;
  for (std::size_t s = 0; s < program.statements.size(); ++s)
    if (const auto found = update(program, s)) result.push_back(*found);
  return result;
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
