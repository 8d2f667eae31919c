// SPDX-License-Identifier: BSD-3-Clause
#include "cli/report/listing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "page/page.hpp"

namespace redblue::cli {

using namespace page;

namespace {

const std::set<std::string>& words_of(bool python) {
  static const std::set<std::string> c = {
      "auto",    "bool",     "break",    "case",    "char",     "const",  "continue", "default",
      "do",      "double",   "else",     "float",   "for",      "if",     "inline",   "int",
      "long",    "restrict", "return",   "short",   "signed",   "sizeof", "static",   "struct",
      "switch",  "template", "typename", "using",   "unsigned", "void",   "while",    "#pragma",
      "#define", "#include", "#ifdef",   "#ifndef", "#endif",   "#if",    "#else",    "#undef"};
  static const std::set<std::string> py = {"and",  "as", "def",    "elif",  "else",   "for",
                                           "from", "if", "import", "in",    "is",     "lambda",
                                           "not",  "or", "pass",   "range", "return", "while"};
  return python ? py : c;
}

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string span(const char* kind, const std::string& text) {
  return fmt::format("<span class=\"{}\">{}</span>", kind, html_text(text));
}

// Line by line: a comment of C may go on.
class Lines {
 public:
  explicit Lines(bool python) : python_(python) {}

  std::string html(const std::string& line) {
    std::string html;
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t end = std::max(at + 1, end_of(line, at));
      const std::string text = line.substr(at, end - at);
      html += kind_ == nullptr ? html_text(text) : span(kind_, text);
      at = end;
    }
    return html;
  }

 private:
  // Of the piece that begins at `at`; leaves what it is in kind_.
  std::size_t end_of(const std::string& line, std::size_t at) {
    kind_ = nullptr;
    if (in_comment_ || line.compare(at, 2, "/*") == 0) return end_of_comment(line, at);
    if (line.compare(at, 2, "//") == 0 || (python_ && line[at] == '#')) {
      kind_ = "comment";
      return line.size();
    }
    if (line[at] == '"' || line[at] == '\'') {
      kind_ = "literal";
      std::size_t end = at + 1;
      while (end < line.size() && line[end] != line[at]) end += line[end] == '\\' ? 2 : 1;
      return std::min(end + 1, line.size());
    }
    if (!in_name(line[at]) && line[at] != '#') return other(line, at);
    std::size_t end = at + 1;
    const bool number = std::isdigit(static_cast<unsigned char>(line[at])) != 0;
    while (end < line.size() && (in_name(line[end]) || (number && line[end] == '.'))) ++end;
    if (number) {
      kind_ = "literal";
    } else if (words_of(python_).contains(line.substr(at, end - at))) {
      kind_ = "word";
    }
    return end;
  }

  std::size_t end_of_comment(const std::string& line, std::size_t at) {
    kind_ = "comment";
    const std::size_t end = line.find("*/", in_comment_ ? at : at + 2);
    in_comment_ = end == std::string::npos;
    return in_comment_ ? line.size() : end + 2;
  }

  static std::size_t other(const std::string& line, std::size_t at) {
    std::size_t end = at + 1;
    while (end < line.size() && !in_name(line[end]) &&
           std::string("/#\"'").find(line[end]) == std::string::npos)
      ++end;
    return end;
  }

  bool python_, in_comment_ = false;
  const char* kind_ = nullptr;
};

// The first and last line shown.
std::pair<int, int> shown(const Listing& listing, int lines) {
  constexpr int most = 400, near = 40;
  if (!listing.numbered || lines <= most || listing.marks.empty()) return {1, lines};
  const int first = listing.marks.begin()->first, last = listing.marks.rbegin()->first;
  return {std::max(1, first - near), std::min(lines, std::min(last, first + most) + near)};
}

}  // namespace

std::string listing_html(const Listing& listing) {
  std::size_t longest = 0;  // of the marks, which stand in a column before the code
  for (const auto& [line, mark] : listing.marks) longest = std::max(longest, mark.size());
  std::vector<std::string> lines;
  std::istringstream in(listing.code);
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
  }
  Lines writer(listing.python);
  const auto [first, last] = shown(listing, static_cast<int>(lines.size()));
  std::string html;
  if (first > 1) html += span("comment", fmt::format("... {} lines before", first - 1)) + "\n";
  for (int number = 1; number <= last; ++number) {
    const std::string line = writer.html(lines[static_cast<std::size_t>(number - 1)]);
    if (number < first) continue;
    if (!listing.numbered) {
      html += line + "\n";
      continue;
    }
    const auto mark = listing.marks.find(number);
    const bool marked = mark != listing.marks.end();
    const std::string name = marked ? mark->second : "";
    html += fmt::format(
        "<span class=\"line{}\"><span class=\"gutter\">{}</span><span class=\"tag\">{}</span>{}"
        "</span>\n",
        marked ? " counted" : "", number,
        html_text(name) + std::string(longest + 2 - name.size(), ' '), line);
  }
  const int rest = static_cast<int>(lines.size()) - last;
  if (rest > 0) html += span("comment", fmt::format("... {} lines more", rest)) + "\n";
  return html;
}

}  // namespace redblue::cli
