// SPDX-License-Identifier: BSD-3-Clause
#include "cdag/files/files.hpp"

#include <graphviz/cgraph.h>
#include <graphviz/gvc.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <queue>
#include <sstream>

#include "redblue/error.hpp"

namespace redblue::cdag {

namespace {

std::string contents(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw Error(path, "cannot be read", "give the path of a graph file");
  return text.str();
}

// A cycle among the vertices that still wait for an operand.
std::string a_cycle(const NamedGraph& given, const std::vector<int>& waiting) {
  std::vector<int> operand(given.names.size(), -1);  // one that waits itself
  for (const auto& [from, to] : given.edges) {
    if (waiting[static_cast<std::size_t>(from)] > 0) operand[static_cast<std::size_t>(to)] = from;
  }
  auto v =
      std::find_if(waiting.begin(), waiting.end(), [](int w) { return w > 0; }) - waiting.begin();
  for (std::size_t step = 0; step < given.names.size(); ++step) {
    v = operand[static_cast<std::size_t>(v)];
  }
  std::string text = given.names[static_cast<std::size_t>(v)];
  int shown = 0;
  for (auto u = operand[static_cast<std::size_t>(v)]; u != v && ++shown < 8;
       u = operand[static_cast<std::size_t>(u)]) {
    text = given.names[static_cast<std::size_t>(u)] + " -> " + text;
  }
  return given.names[static_cast<std::size_t>(v)] + (shown >= 8 ? " -> ... -> " : " -> ") + text;
}

// cgraph reports what it cannot parse through one function without context.
std::string& parse_complaint() {
  static std::string text;
  return text;
}

int keep_complaint(char* message) {
  if (parse_complaint().size() < 200) parse_complaint() += message;
  return 0;
}

struct CloseGraph {
  void operator()(Agraph_t* g) const { agclose(g); }
};
using DotGraph = std::unique_ptr<Agraph_t, CloseGraph>;

DotGraph parse_dot(const std::string& text) {
  parse_complaint().clear();
  agseterrf(keep_complaint);
  DotGraph graph(agmemread(text.c_str()));
  agseterrf(nullptr);
  return graph;
}

}  // namespace

Graph sorted(const std::string& path, const NamedGraph& given) {
  const std::size_t n = given.names.size();
  std::vector<std::vector<int>> operands(n), readers(n);
  std::vector<int> waiting(n, 0);
  for (const auto& [from, to] : given.edges) {
    operands[static_cast<std::size_t>(to)].push_back(from);
    readers[static_cast<std::size_t>(from)].push_back(to);
    ++waiting[static_cast<std::size_t>(to)];
  }
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (std::size_t v = 0; v < n; ++v) {
    if (waiting[v] == 0) ready.push(static_cast<int>(v));
  }
  const bool tagged = std::any_of(given.tags.begin(), given.tags.end(),
                                  [](const std::string& t) { return !t.empty(); });
  Builder builder;
  std::vector<Vertex> renumbered(n, -1);
  std::size_t done = 0;
  for (; !ready.empty(); ++done) {
    const auto v = static_cast<std::size_t>(ready.top());
    ready.pop();
    std::vector<Vertex> sources;
    for (const int o : operands[v]) sources.push_back(renumbered[static_cast<std::size_t>(o)]);
    renumbered[v] = builder.named(sources, given.names[v]);
    const std::string& tag = given.tags[v];
    const bool input = tagged ? tag.find("input") != std::string::npos : operands[v].empty();
    const bool output = tagged ? tag.find("output") != std::string::npos
                               : readers[v].empty() && !operands[v].empty();
    if (input && !operands[v].empty()) {
      throw Error(path, "vertex '" + given.names[v] + "' is an input and has operands",
                  "inputs are given, not computed");
    }
    builder.tag(renumbered[v], input, output);
    for (const int r : readers[v]) {
      if (--waiting[static_cast<std::size_t>(r)] == 0) ready.push(r);
    }
  }
  if (done < n) {
    throw Error(path, "the cycle " + a_cycle(given, waiting), "a computational DAG has none");
  }
  return builder.finish(false);
}

Graph read_edges(const std::string& path) {
  std::istringstream in(contents(path));
  NamedGraph given;
  std::map<std::string, int> known;
  const auto number = [&](const std::string& name) {
    const auto [at, fresh] = known.emplace(name, static_cast<int>(given.names.size()));
    if (fresh) {
      given.names.push_back(name);
      given.tags.emplace_back();
    }
    return at->second;
  };
  std::string line;
  for (int at = 1; std::getline(in, line); ++at) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string first, second, third;
    if (!(words >> first)) continue;
    if (!(words >> second) || words >> third) {
      throw Error(path + ":" + std::to_string(at), "'" + line + "' is no edge",
                  "write 'u v' for an edge, 'input u' or 'output v'");
    }
    if (first == "input" || first == "output") {
      const auto v = static_cast<std::size_t>(number(second));
      given.tags[v] += given.tags[v].empty() ? first : "," + first;
    } else {
      const int from = number(first);
      given.edges.emplace_back(from, number(second));
    }
  }
  return sorted(path, given);
}

Graph read_dot(const std::string& path) {
  const DotGraph graph = parse_dot(contents(path));
  if (!graph) {
    const std::string why = parse_complaint().empty() ? "no graph in it" : parse_complaint();
    throw Error(path, "no Graphviz file: " + why.substr(0, why.find('\n')),
                "write 'digraph { a -> b; }'");
  }
  if (agisdirected(graph.get()) == 0) {
    throw Error(path, "an undirected graph", "write 'digraph', not 'graph'");
  }
  NamedGraph given;
  std::map<Agnode_t*, int> number;
  std::string key = "tag";
  for (Agnode_t* v = agfstnode(graph.get()); v != nullptr; v = agnxtnode(graph.get(), v)) {
    number[v] = static_cast<int>(given.names.size());
    given.names.emplace_back(agnameof(v));
    const char* tag = agget(v, key.data());
    given.tags.emplace_back(tag == nullptr ? "" : tag);
    const std::string& t = given.tags.back();
    if (!t.empty() && t != "input" && t != "output" && t != "input,output" && t != "none") {
      throw Error(path, "vertex '" + given.names.back() + "' has the unknown tag '" + t + "'",
                  "use input, output, input,output or none");
    }
  }
  for (Agnode_t* v = agfstnode(graph.get()); v != nullptr; v = agnxtnode(graph.get(), v)) {
    for (Agedge_t* e = agfstout(graph.get(), v); e != nullptr; e = agnxtout(graph.get(), e)) {
      given.edges.emplace_back(number[v], number[aghead(e)]);
    }
  }
  return sorted(path, given);
}

std::string to_edges(const Graph& graph) {
  std::ostringstream out;
  for (Vertex v = 0; v < graph.size(); ++v) {
    for (const Vertex o : graph.operands(v)) out << graph.name(o) << ' ' << graph.name(v) << '\n';
  }
  for (Vertex v = 0; v < graph.size(); ++v) {
    if (graph.input(v)) out << "input " << graph.name(v) << '\n';
    if (graph.output(v)) out << "output " << graph.name(v) << '\n';
  }
  return out.str();
}

namespace {

std::string quoted(const std::string& name) {
  std::string result = "\"";
  for (const char c : name)
    result += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return result + "\"";
}

// Graphviz 2.42 makes room in a rank for the label of an edge between two nodes of that rank, and
// leaves `av`, which it frees, where the rank's nodes were before.
void free_layout(GVC_t* context, Agraph_t* graph) {
  rank_t* ranks = GD_rank(graph);
  for (int r = GD_minrank(graph); ranks != nullptr && r <= GD_maxrank(graph); ++r)
    ranks[r].av = ranks[r].v;
  gvFreeLayout(context, graph);
}

}  // namespace

std::string to_dot(const Graph& graph, const Pebbles& pebbles) {
  std::ostringstream out;
  out << "digraph {\n  node [shape=circle, style=filled, fillcolor=white, fontsize=10, "
         "tag=none];\n";
  for (Vertex v = 0; v < graph.size(); ++v) {
    const auto i = static_cast<std::size_t>(v);
    std::string tag = graph.input(v) ? "input" : "";
    if (graph.output(v)) tag += tag.empty() ? "output" : ",output";
    out << "  " << quoted(graph.name(v)) << " [";
    out << "tag=\"" << (tag.empty() ? "none" : tag) << "\"";
    if (graph.input(v)) out << ", shape=box";
    if (graph.output(v)) out << ", peripheries=2";
    if (i < pebbles.red.size() && pebbles.red[i]) out << ", fillcolor=\"#e06c5a\"";
    if (i < pebbles.blue.size() && pebbles.blue[i]) out << ", color=\"#2b6cb0\", penwidth=3";
    out << "];\n";
  }
  for (Vertex v = 0; v < graph.size(); ++v) {
    for (const Vertex o : graph.operands(v)) {
      out << "  " << quoted(graph.name(o)) << " -> " << quoted(graph.name(v)) << ";\n";
    }
  }
  out << "}\n";
  return out.str();
}

std::string to_svg(const Graph& graph, const Pebbles& pebbles) {
  return drawn(to_dot(graph, pebbles));
}

std::string drawn(const std::string& dot) {
  const std::unique_ptr<GVC_t, int (*)(GVC_t*)> context(gvContext(), gvFreeContext);
  const DotGraph graph = parse_dot(dot);
  char* text = nullptr;
  unsigned length = 0;
  if (!graph || gvLayout(context.get(), graph.get(), "dot") != 0 ||
      gvRenderData(context.get(), graph.get(), "svg", &text, &length) != 0) {
    throw Error("an SVG picture", "Graphviz could not lay it out",
                "write dot and draw it elsewhere");
  }
  const std::string result(text, length);
  gvFreeRenderData(text);
  free_layout(context.get(), graph.get());
  return result;
}

}  // namespace redblue::cdag
