// SPDX-License-Identifier: BSD-3-Clause
// Boost.Graph sets off GCC 12 (bug 105562, uninitialised optional), so that warning is off here.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include "cdag/flow.hpp"
#include "cdag/index.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

namespace redblue::cdag {

namespace {

using Side = CutProblem::Side;

constexpr int unlimited = 1 << 30;

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Digraph = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS,
    boost::property<
        boost::vertex_color_t, boost::default_color_type,
        boost::property<boost::vertex_distance_t, int,
                        boost::property<boost::vertex_predecessor_t, Traits::edge_descriptor>>>,
    boost::property<
        boost::edge_capacity_t, int,
        boost::property<boost::edge_residual_capacity_t, int,
                        boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;
using Node = Traits::vertex_descriptor;
using Arc = Traits::edge_descriptor;
constexpr Node nobody = static_cast<Node>(-1);

// Every vertex is split in two, joined by an arc of capacity 1 where it counts.
class Network {
 public:
  Network(const Graph& graph, const CutProblem& problem)
      : graph_(graph),
        problem_(problem),
        cut_for_certain_(at(graph.size()), false),
        out_(at(graph.size()), nobody),
        in_(at(graph.size()), nobody) {}

  Cut solve() {
    take_the_certain();
    source_ = add_vertex(network_);
    sink_ = add_vertex(network_);
    for (Vertex v = 0; v < graph_.size(); ++v) add_split(v);
    for (Vertex v = 0; v < graph_.size(); ++v) add_operands(v);
    if (!through_.empty()) add_flow();
    std::sort(cut_.vertices.begin(), cut_.vertices.end());
    std::sort(cut_.paths.begin(), cut_.paths.end());
    return cut_;
  }

 private:
  Side side(Vertex v) const { return problem_.side[at(v)]; }
  bool behind(Vertex v) const { return side(v) == Side::behind; }

  // Before the cut by decree with a reader behind it by decree.
  void take_the_certain() {
    for (Vertex v = 0; v < graph_.size(); ++v) {
      if (side(v) != Side::before) continue;
      const auto readers = graph_.readers(v);
      cut_for_certain_[at(v)] =
          std::any_of(readers.begin(), readers.end(), [this](Vertex r) { return behind(r); });
      if (!cut_for_certain_[at(v)] || !problem_.counts[at(v)]) continue;
      ++cut_.size;
      cut_.vertices.push_back(v);
      cut_.paths.push_back(v);
    }
  }

  void add_split(Vertex v) {
    if (side(v) == Side::absent || behind(v) || cut_for_certain_[at(v)]) return;
    const auto readers = graph_.readers(v);
    if (side(v) == Side::before && std::none_of(readers.begin(), readers.end(), [this](Vertex r) {
          return side(r) == Side::free;
        })) {
      return;
    }
    in_[at(v)] = side(v) == Side::before ? source_ : boost::add_vertex(network_);
    out_[at(v)] = boost::add_vertex(network_);
    through_.emplace_back(v, connect(in_[at(v)], out_[at(v)], problem_.counts[at(v)] ? 1 : 0));
  }

  Arc connect(Node from, Node to, int capacity) {
    const Arc arc = add_edge(from, to, network_).first;
    const Arc back = add_edge(to, from, network_).first;
    put(boost::edge_capacity, network_, arc, capacity);
    put(boost::edge_capacity, network_, back, 0);
    put(boost::edge_reverse, network_, arc, back);
    put(boost::edge_reverse, network_, back, arc);
    return arc;
  }

  void add_operands(Vertex v) {
    if (side(v) == Side::absent || side(v) == Side::before) return;
    const Node to = behind(v) ? sink_ : in_[at(v)];
    for (const Vertex o : graph_.operands(v)) {
      if (out_[at(o)] == nobody) continue;
      connect(out_[at(o)], to, unlimited);
      if (problem_.convex && side(v) == Side::free && side(o) == Side::free) {
        connect(in_[at(v)], in_[at(o)], unlimited);
      }
    }
  }

  void add_flow() {
    cut_.size += boykov_kolmogorov_max_flow(network_, source_, sink_);
    const std::vector<bool> before = reached_from_source();
    for (const auto& [v, arc] : through_) {
      if (!problem_.counts[at(v)]) continue;
      if (get(boost::edge_residual_capacity, network_, arc) == 0) cut_.paths.push_back(v);
      if (before[boost::source(arc, network_)] && !before[boost::target(arc, network_)]) {
        cut_.vertices.push_back(v);
      }
    }
  }

  std::vector<bool> reached_from_source() const {
    std::vector<bool> reached(num_vertices(network_), false);
    std::vector<Node> waiting{source_};
    reached[source_] = true;
    while (!waiting.empty()) {
      const Node from = waiting.back();
      waiting.pop_back();
      for (auto [arc, end] = out_edges(from, network_); arc != end; ++arc) {
        const Node to = boost::target(*arc, network_);
        if (reached[to] || get(boost::edge_residual_capacity, network_, *arc) == 0) continue;
        reached[to] = true;
        waiting.push_back(to);
      }
    }
    return reached;
  }

  const Graph& graph_;
  const CutProblem& problem_;
  std::vector<bool> cut_for_certain_;
  Digraph network_;
  Node source_ = nobody, sink_ = nobody;
  std::vector<Node> out_, in_;
  std::vector<std::pair<Vertex, Arc>> through_;  // the arcs that split vertices
  Cut cut_;
};

}  // namespace

Cut minimum_cut(const Graph& graph, const CutProblem& problem) {
  return Network(graph, problem).solve();
}

std::vector<bool> ancestors(const Graph& graph, Vertex v) {
  std::vector<bool> marked(at(graph.size()), false);
  for (Vertex u = v; u >= 0; --u) {
    if (u != v && !marked[at(u)]) continue;
    for (const Vertex o : graph.operands(u)) marked[at(o)] = true;
  }
  return marked;
}

std::vector<bool> descendants(const Graph& graph, Vertex v) {
  std::vector<bool> marked(at(graph.size()), false);
  for (Vertex u = v; u < graph.size(); ++u) {
    if (u != v && !marked[at(u)]) continue;
    for (const Vertex r : graph.readers(u)) marked[at(r)] = true;
  }
  return marked;
}

}  // namespace redblue::cdag
