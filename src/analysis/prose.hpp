// SPDX-License-Identifier: BSD-3-Clause
// Sentences, lists and displayed formulas, as plain text, Markdown or HTML.
#pragma once

#include <string>

#include "redblue/analysis.hpp"

namespace redblue {

// One formula in all three: infix, LaTeX, and MathML to stand within <math>.
struct Math {
  std::string text, latex, mathml;
  Math& operator+=(const Math& other);
};

Math math(const Formula& formula);

// `text` as the content of an element of HTML.
std::string escaped(const std::string& text);

class Prose {
 public:
  explicit Prose(Markup markup) : markup_(markup) {}

  std::string text() const { return text_ + (in_list_ ? "</ul>\n" : ""); }

  // HTML has the page's title, not one here.
  void title(const std::string& plain);
  void heading(const std::string& plain);
  // Sentences and items are put together of plain words, and what the functions below return.
  void say(const std::string& sentence);
  void item(const std::string& text);
  void end_of_list();
  void display(const Math& left, const std::string& relation, const Math& right);

  std::string formula(const Formula& formula) const;  // within a sentence
  std::string formula(const Formula& left, const std::string& relation, const Formula& right) const;
  std::string code(const std::string& text) const;
  // What comes from the program or a condition, and may have signs that mean something in HTML.
  std::string words(const std::string& text) const;

 private:
  std::string within(const std::string& mathml) const { return "<math>" + mathml + "</math>"; }

  Markup markup_;
  std::string text_;
  bool in_list_ = false;
};

}  // namespace redblue
