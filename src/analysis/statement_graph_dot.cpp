// SPDX-License-Identifier: BSD-3-Clause
// A graph of statements as Graphviz text.
#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "redblue/statement_graph.hpp"

namespace redblue {

namespace {

using Merged = StatementGraph::Merged;

constexpr std::array fills = {"#cfe2f3", "#d9ead3", "#fce5cd", "#ead1dc", "#fff2cc", "#d0e0e3"};

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text)
    result += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return result;
}

std::string joined(const std::vector<std::string>& all, const std::string& separator) {
  std::string text;
  for (const std::string& one : all) text += (text.empty() ? "" : separator) + one;
  return text;
}

// Long texts in several lines, cut at spaces.
std::string folded(const std::string& text, std::size_t width) {
  std::string result;
  std::size_t column = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (column > 0 && column + word.size() > width) {
      result += "\\n";
      column = 0;
    }
    result += (column > 0 ? " " : "") + escaped(word);
    column += word.size() + 1;
  }
  return result;
}

std::string parts_of(const StatementGraph::Counted& counted) {
  std::string text;
  for (const auto& part : counted.parts) text += (text.empty() ? "" : " and ") + joined(part, "+");
  return text;
}

class Dot {
 public:
  Dot(const StatementGraph& graph, const BoundReport& report) : graph_(graph), report_(report) {}

  std::string text() {
    out_
        << "digraph {\n  graph [fontname=\"sans-serif\", fontsize=12, labelloc=b, labeljust=l, "
           "label=\""
        << caption() << "\"];\n"
        << "  node [fontname=\"sans-serif\", fontsize=11, shape=box, style=\"filled,rounded\", "
           "fillcolor=white];\n  edge [fontname=\"sans-serif\", fontsize=10, color=\"#555555\"];\n";
    for (const Merged& merged : graph_.merged) frame(merged);
    for (const StatementInfo& s : graph_.statements) {
      if (drawn_.count(s.name) == 0) statement(s);
    }
    for (const StatementGraph::Edge& e : graph_.edges) arrow(e);
    out_ << "}\n";
    return out_.str();
  }

 private:
  void frame(const Merged& merged) {
    std::vector<const StatementInfo*> inside;
    for (const StatementInfo& s : graph_.statements) {
      const auto& names = merged.statements;
      const bool in = std::find(names.begin(), names.end(), s.name) != names.end();
      if (in && drawn_.count(s.name) == 0) inside.push_back(&s);
    }
    if (inside.empty()) return;
    out_ << "  subgraph cluster_" << frames_++
         << " {\n  style=\"dashed,rounded\"; color=\"#888888\"; labelloc=t; fontsize=10; label=\""
         << how(merged.how) << "\";\n";
    for (const StatementInfo* s : inside) statement(*s);
    out_ << "  }\n";
  }

  static std::string how(Merged::How how) {
    switch (how) {
      case Merged::How::alike:
        return "one statement: the same on disjoint instances";
      case Merged::How::copies:
        return "looked through: values made from one value";
      default:
        return "values on the way of one instance";
    }
  }

  void statement(const StatementInfo& s) {
    drawn_.insert(s.name);
    out_ << "  \"" << s.name << "\" [label=\"" << s.name;
    if (s.line > 0) out_ << ", line " << s.line;
    out_ << "\\n" << folded(s.text, 40) << "\\nx " << folded(s.count.text(), 40) << '"';
    for (std::size_t p = 0; p < graph_.best.parts.size(); ++p) {
      const auto& part = graph_.best.parts[p];
      if (std::find(part.begin(), part.end(), s.name) == part.end()) continue;
      out_ << ", penwidth=2, fillcolor=\"" << fills[p % fills.size()] << '"';
    }
    out_ << "];\n";
  }

  void arrow(const StatementGraph::Edge& e) {
    const std::string from = e.from.empty() ? "in " + e.array : e.from;
    const std::string to = e.to.empty() ? "out " + e.array : e.to;
    if (e.from.empty() && drawn_.insert(from).second)
      out_ << "  \"" << escaped(from) << "\" [shape=ellipse, style=filled, fillcolor=\"#eeeeee\", "
           << "label=\"" << escaped(e.array) << "\"];\n";
    if (e.to.empty() && drawn_.insert(to).second)
      out_ << "  \"" << escaped(to) << "\" [shape=ellipse, peripheries=2, style=filled, "
           << "fillcolor=\"#eeeeee\", label=\"" << escaped(e.array) << "\"];\n";
    std::string label = e.array;
    if (!e.reads.empty()) {
      constexpr std::size_t shown = 4;
      const std::vector<std::string> some(
          e.reads.begin(),
          e.reads.begin() + static_cast<std::ptrdiff_t>(std::min(shown, e.reads.size())));
      label = joined(some, ", ");
      if (e.reads.size() > shown)
        label += " and " + std::to_string(e.reads.size() - shown) + " more of " + e.array;
    }
    out_ << "  \"" << escaped(from) << "\" -> \"" << escaped(to) << "\" [label=\" "
         << folded(label, 30) << "\"];\n";
  }

  std::string caption() const {
    const LowerBound& best = report_.bounds[graph_.best.bound];
    std::string text = "\\n";
    const auto line = [&text](const std::string& words) { text += folded(words, 90) + "\\l"; };
    line(report_.program + ": Q >= " + best.leading.text() + " + .., by " + best.method +
         ", nothing assumed");
    if (graph_.best.parts.empty())
      line("It counts values of the whole program, not of one statement.");
    else
      line("Filled: the statements it counts" +
           std::string(graph_.best.parts.size() > 1 ? ", a colour for each part of the sum: "
                                                    : " ") +
           parts_of(graph_.best) + ".");
    for (const StatementGraph::Counted& sum : graph_.sums) {
      const LowerBound& bound = report_.bounds[sum.bound];
      line((sum.parts.size() > 1 ? "Sum of bounds: " : "One bound for all: ") + parts_of(sum) +
           " (" + bound.method + "): " + bound.leading.text() +
           (sum.bound == graph_.best.bound ? ", the best" : ""));
    }
    line("Grey: inputs; with two borders: outputs. An arrow's label: the elements read.");
    return text;
  }

  const StatementGraph& graph_;
  const BoundReport& report_;
  std::ostringstream out_;
  std::set<std::string> drawn_;
  int frames_ = 0;
};

}  // namespace

std::string to_dot(const StatementGraph& graph, const BoundReport& report) {
  return Dot(graph, report).text();
}

}  // namespace redblue
