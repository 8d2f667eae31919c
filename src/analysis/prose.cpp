// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/prose.hpp"

namespace redblue {

namespace {

std::string latex_relation(const std::string& relation) {
  return relation == ">=" ? "\\ge" : relation == "<=" ? "\\le" : relation;
}

std::string mathml_relation(const std::string& relation) {
  const std::string sign = relation == ">="   ? "&#x2265;"
                           : relation == "<=" ? "&#x2264;"
                           : relation == ">"  ? "&gt;"
                           : relation == "<"  ? "&lt;"
                                              : relation;
  return "<mo>" + sign + "</mo>";
}

}  // namespace

Math& Math::operator+=(const Math& other) {
  text += other.text;
  latex += other.latex;
  mathml += other.mathml;
  return *this;
}

Math math(const Formula& formula) {
  return {formula.text(), formula.latex(), formula.mathml()};
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c == '<' ? std::string("&lt;") : c == '&' ? std::string("&amp;") : std::string(1, c);
  }
  return result;
}

void Prose::title(const std::string& plain) {
  if (markup_ == Markup::html) return;
  text_ += (markup_ == Markup::markdown ? "# " : "") + plain + "\n\n";
}

void Prose::heading(const std::string& plain) {
  switch (markup_) {
    case Markup::html:
      text_ += "<h3>" + plain + "</h3>\n";
      break;
    case Markup::markdown:
      text_ += "## " + plain + "\n\n";
      break;
    default:
      text_ += plain + "\n";
  }
}

void Prose::say(const std::string& sentence) {
  if (markup_ == Markup::html) {
    text_ += "<p>" + sentence + "</p>\n";
  } else {
    text_ += (markup_ == Markup::markdown ? "" : "  ") + sentence + "\n\n";
  }
}

void Prose::item(const std::string& text) {
  if (markup_ == Markup::html) {
    text_ += (in_list_ ? "<li>" : "<ul>\n<li>") + text + "</li>\n";
    in_list_ = true;
  } else {
    text_ += (markup_ == Markup::markdown ? "- " : "  - ") + text + "\n";
  }
}

void Prose::end_of_list() {
  if (markup_ != Markup::html) {
    text_ += "\n";
  } else if (in_list_) {
    text_ += "</ul>\n";
  }
  in_list_ = false;
}

void Prose::display(const Math& left, const std::string& relation, const Math& right) {
  switch (markup_) {
    case Markup::html:
      text_ += "<div class=\"formula\"><math display=\"block\">" + left.mathml +
               mathml_relation(relation) + right.mathml + "</math></div>\n";
      break;
    case Markup::markdown:
      text_ += "$$" + left.latex + " " + latex_relation(relation) + " " + right.latex + "$$\n\n";
      break;
    default:
      text_ += "      " + left.text + " " + relation + " " + right.text + "\n\n";
  }
}

std::string Prose::formula(const Formula& formula) const {
  switch (markup_) {
    case Markup::html:
      return within(formula.mathml());
    case Markup::markdown:
      return "$" + formula.latex() + "$";
    default:
      return formula.text();
  }
}

std::string Prose::formula(const Formula& left, const std::string& relation,
                           const Formula& right) const {
  switch (markup_) {
    case Markup::html:
      return within(left.mathml() + mathml_relation(relation) + right.mathml());
    case Markup::markdown:
      return "$" + left.latex() + " " + latex_relation(relation) + " " + right.latex() + "$";
    default:
      return left.text() + " " + relation + " " + right.text();
  }
}

std::string Prose::code(const std::string& text) const {
  switch (markup_) {
    case Markup::html:
      return "<code>" + words(text) + "</code>";
    case Markup::markdown:
      return "`" + text + "`";
    default:
      return text;
  }
}

std::string Prose::words(const std::string& text) const {
  return markup_ == Markup::html ? escaped(text) : text;
}

}  // namespace redblue
