// SPDX-License-Identifier: BSD-3-Clause
// Pages of HTML that need nothing else: no network, no script. Written as XML has it, too.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace redblue::page {

// `text` as the content of an element or an attribute's value, whatever bytes it has: what is no
// UTF-8, and control characters, become U+FFFD.
std::string html_text(const std::string& text);

// Content MathML as redblue::Formula::mathml() writes it, within a sentence.
std::string html_math(const std::string& mathml);

// <tag>text</tag>, escaped.
std::string html_element(const std::string& tag, const std::string& text);

struct Table {
  std::string caption;                 // plain; also the name of the region that scrolls
  std::vector<std::string> head;       // plain
  std::set<std::size_t> numbers = {};  // columns set to the right
  std::vector<std::vector<std::string>> rows = {};  // HTML
  std::string html() const;
};

// A list of HTML items.
std::string html_list(const std::vector<std::string>& items);

// A block of code that scrolls by itself. `lines` are HTML.
std::string html_code(const std::string& name, const std::string& lines);

// A picture for wide columns and one for telephones, of which one is shown; what it shows in a
// sentence (HTML), and its numbers to unfold.
std::string html_figure(const std::string& wide, const std::string& narrow,
                        const std::string& caption, const std::string& numbers);

// A picture that keeps its size and scrolls by itself.
std::string html_large_figure(const std::string& name, const std::string& svg,
                              const std::string& caption);

class Page {
 public:
  struct Section {
    std::string id, heading, content;
  };

  // `lead`: the one sentence (HTML).
  Page(std::string kicker, std::string title, std::string lead);

  // A number with what it is, below the sentence. Both plain.
  void figure(const std::string& number, const std::string& what);
  // `id`: of no other section; `heading` plain, `content` HTML.
  void section(const std::string& id, const std::string& heading, const std::string& content);
  void footer(const std::string& html) { footer_ = html; }
  // The address of a script that its own server gives it, and that may ask that server: a page of
  // `redblue serve`. Others have none.
  void script(const std::string& address) { script_ = address; }

  void style(const std::string& css) { style_ = css; }  // more of it

  const std::string& title() const { return title_; }
  const std::string& lead() const { return lead_; }
  const std::vector<Section>& sections() const { return sections_; }
  std::string figures_html() const;  // a list of all figures; empty where there are none
  // What the browser is to allow; a server also says it itself.
  std::string policy() const;
  std::string html() const;

 private:
  std::string kicker_, title_, lead_, footer_, script_, style_;
  std::vector<std::pair<std::string, std::string>> figures_;
  std::vector<Section> sections_;
};

// The page's CSS.
const char* page_style();

}  // namespace redblue::page
