// SPDX-License-Identifier: BSD-3-Clause
#include "page/page.hpp"

#include <fmt/core.h>

#include <utility>

namespace redblue::page {

namespace {

constexpr const char* unknown = "\xEF\xBF\xBD";  // U+FFFD

// How many bytes the UTF-8 character at `at` has; 0 where there is none.
std::size_t character(const std::string& text, std::size_t at) {
  const auto byte = [&text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(at);
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  unsigned code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80U) return 0;
    code = code << 6U | (byte(at + i) & 0x3FU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool no_character = (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF ||
                            (code >= 0x80 && code < 0xA0) || (code & 0xFFFEU) == 0xFFFE;
  return overlong || no_character ? 0 : length;
}

}  // namespace

std::string html_text(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const std::size_t length = c == '\n' || c == '\t' ? 1 : character(text, at);
    if (length == 0) {
      result += unknown;
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '&') {
      result += "&amp;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (c == '\'') {
      result += "&#39;";
    } else {
      result.append(text, at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return result;
}

std::string html_math(const std::string& mathml) {
  return "<math displaystyle=\"true\">" + mathml + "</math>";
}

std::string html_element(const std::string& tag, const std::string& text) {
  return fmt::format("<{0}>{1}</{0}>", tag, html_text(text));
}

std::string Table::html() const {
  const auto cell = [this](const char* tag, std::size_t column, const std::string& content,
                           const char* more) {
    return fmt::format("<{0}{1}{2}>{3}</{0}>", tag, more,
                       numbers.contains(column) ? " class=\"number\"" : "", content);
  };
  std::string html = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\">\n<table>\n"
      "<caption>{0}</caption>\n<thead><tr>",
      html_text(caption));
  for (std::size_t c = 0; c < head.size(); ++c)
    html += cell("th", c, html_text(head[c]), " scope=\"col\"");
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : rows) {
    html += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c)
      html += c == 0 ? cell("th", c, row[c], " scope=\"row\"") : cell("td", c, row[c], "");
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table>\n</div>\n";
}

std::string html_list(const std::vector<std::string>& items) {
  std::string html = "<ul>\n";
  for (const std::string& item : items) html += "<li>" + item + "</li>\n";
  return items.empty() ? "" : html + "</ul>\n";
}

std::string html_code(const std::string& name, const std::string& lines) {
  return fmt::format(
      "<pre class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><code>{}</code></pre>"
      "\n",
      html_text(name), lines);
}

std::string html_figure(const std::string& wide, const std::string& narrow,
                        const std::string& caption, const std::string& numbers) {
  return fmt::format(
      "<figure>\n<div class=\"wide\">\n{}</div>\n<div class=\"narrow\">\n{}</div>\n<figcaption>{}"
      "</figcaption>\n{}</figure>\n",
      wide, narrow, caption,
      numbers.empty()
          ? ""
          : "<details>\n<summary>The numbers as a table</summary>\n" + numbers + "</details>\n");
}

std::string html_large_figure(const std::string& name, const std::string& svg,
                              const std::string& caption) {
  return fmt::format(
      "<figure>\n<div class=\"scroll drawing\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n"
      "{}</div>\n<figcaption>{}</figcaption>\n</figure>\n",
      html_text(name), svg, caption);
}

Page::Page(std::string kicker, std::string title, std::string lead)
    : kicker_(std::move(kicker)), title_(std::move(title)), lead_(std::move(lead)) {}

void Page::figure(const std::string& number, const std::string& what) {
  figures_.emplace_back(number, what);
}

void Page::section(const std::string& id, const std::string& heading, const std::string& content) {
  sections_.push_back({id, heading, content});
}

std::string Page::figures_html() const {
  if (figures_.empty()) return "";
  std::string html = "<dl class=\"figures\">\n";
  for (const auto& [number, what] : figures_) {
    html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", html_text(what), html_text(number));
  }
  return html + "</dl>\n";
}

// Whatever stands in the page, nothing of it runs and nothing is fetched.
std::string Page::policy() const {
  const std::string nothing = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
  return script_.empty() ? nothing
                         : nothing +
                               "; script-src 'self'; connect-src 'self'; base-uri 'none'; "
                               "form-action 'none'";
}

std::string Page::html() const {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
      "<meta name=\"generator\" content=\"redblue " REDBLUE_VERSION
      "\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"{4}\"/>\n"
      "<link rel=\"icon\" href=\"data:,\"/>\n<title>{0}: {1}</title>\n<style>{2}</style>\n</head>\n"
      "<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n<header>\n"
      "<p class=\"kicker\">{1}</p>\n<h1>{0}</h1>\n<p class=\"lead\">{3}</p>\n",
      html_text(title_), html_text(kicker_), page_style() + style_, lead_, policy());
  html += figures_html() + "</header>\n<nav aria-label=\"Sections\">\n<ul>\n";
  for (const Section& s : sections_)
    html += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", s.id, html_text(s.heading));
  html += "</ul>\n</nav>\n<main id=\"content\">\n";
  for (const Section& s : sections_) {
    html += fmt::format(
        "<section id=\"{0}\" aria-labelledby=\"{0}-heading\">\n<h2 id=\"{0}-heading\">{1}</h2>\n{2}"
        "</section>\n",
        s.id, html_text(s.heading), s.content);
  }
  return html + "</main>\n<footer>\n" + footer_ + "</footer>\n" +
         (script_.empty() ? "" : "<script src=\"" + script_ + "\"></script>\n") +
         "</body>\n</html>\n";
}

}  // namespace redblue::page
