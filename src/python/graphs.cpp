// SPDX-License-Identifier: BSD-3-Clause
// Computational DAGs and the pebble games on them.
#include <pybind11/stl.h>

#include "python/alone.hpp"
#include "python/analysis_module.hpp"
#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue::python {

namespace py = pybind11;
using namespace cdag;

namespace {

// Vertices in an order in which operands come first.
Graph graph_of(const std::vector<std::string>& names,
               const std::vector<std::vector<Vertex>>& operands, const std::vector<bool>& inputs,
               const std::vector<bool>& outputs) {
  Builder builder;
  for (std::size_t v = 0; v < names.size(); ++v) {
    for (const Vertex operand : operands[v]) {
      if (operand < 0 || operand >= static_cast<Vertex>(v))
        throw Error("a graph from edges", names[v] + " stands before an operand of it",
                    "list operands first");
    }
    const Vertex made = builder.named(operands[v], names[v]);
    builder.tag(made, inputs[v], outputs[v]);
  }
  return builder.finish(false);
}

template <class F>
auto of_all(const Graph& graph, F f) {
  std::vector<decltype(f(Vertex{}))> result;
  result.reserve(static_cast<std::size_t>(graph.size()));
  for (Vertex v = 0; v < graph.size(); ++v) result.push_back(f(v));
  return result;
}

const char* name_of(Rule rule) {
  constexpr const char* names[] = {"load", "store", "compute", "erase",
                                   "get",  "up",    "down",    "accumulate"};
  return names[static_cast<std::size_t>(rule)];
}

// Rule, vertex and, of accumulate, the operand.
using MoveNames = std::tuple<std::string, std::string, std::string>;

std::vector<MoveNames> moves_of(const Graph& graph, const std::vector<Move>& moves) {
  std::vector<MoveNames> result;
  result.reserve(moves.size());
  for (const Move& move : moves)
    result.emplace_back(name_of(move.rule), graph.name(move.vertex),
                        move.operand < 0 ? "" : graph.name(move.operand));
  return result;
}

struct Optimum {
  std::int64_t lower, upper, loads, stores;
  bool proved;
  std::vector<MoveNames> moves;
};

Optimum optimum(const Graph& graph, std::int64_t s, bool recompute, bool partial, double seconds) {
  if (recompute && partial) throw Error("--partial --recompute", "two games", "give one of them");
  return alone([&] {
    ExactOptions options;
    options.recomputation = recompute;
    options.seconds = seconds;
    options.progress = interruptible();
    const Exact found =
        partial ? optimal_partial_pebbling(graph, s, options) : optimal_pebbling(graph, s, options);
    const Tally tally = play(graph, found.pebbling.game, found.pebbling.moves);
    return Optimum{found.lower,  found.upper,    tally.loads,
                   tally.stores, found.proved(), moves_of(graph, found.pebbling.moves)};
  });
}

struct Found {
  std::int64_t loads, stores;
  std::string how;
  std::vector<std::string> order;
};

Found schedule(const Graph& graph, std::int64_t s, double seconds) {
  return alone([&] {
    check_room(graph, s);
    ScheduleSearch search;
    search.seconds = seconds;
    search.progress = interruptible();
    const Schedule found = good_schedule(graph, s, search);
    Found result{found.cost.loads, found.cost.stores, found.how, {}};
    for (const Vertex v : found.order) result.order.push_back(graph.name(v));
    return result;
  });
}

std::pair<std::int64_t, std::string> bound(const Graph& graph, std::int64_t s, bool recompute) {
  return alone([&] {
    check_room(graph, s);
    const GraphBound best = graph_bound(graph, s, recompute);
    if (recompute) return std::pair(best.moved, best.method);
    const cdag::Decomposition pieces = best_decomposition(graph, s);
    if (pieces.moved <= best.moved) return std::pair(best.moved, best.method);
    return std::pair(pieces.moved, "sum over " + std::to_string(pieces.pieces) + " pieces");
  });
}

}  // namespace

void add_graphs(py::module_& module) {
  py::class_<Graph>(module, "Graph")
      .def("__len__", &Graph::size)
      .def("edges", &Graph::edges)
      .def("most_operands", &Graph::most_operands)
      .def("names", [](const Graph& g) { return of_all(g, [&](Vertex v) { return g.name(v); }); })
      .def("inputs", [](const Graph& g) { return of_all(g, [&](Vertex v) { return g.input(v); }); })
      .def("outputs",
           [](const Graph& g) { return of_all(g, [&](Vertex v) { return g.output(v); }); })
      .def("operands",
           [](const Graph& g) {
             return of_all(g, [&](Vertex v) {
               const auto row = g.operands(v);
               return std::vector<Vertex>(row.begin(), row.end());
             });
           })
      .def("dot", [](const Graph& g) { return to_dot(g); })
      .def("edge_list", [](const Graph& g) { return to_edges(g); })
      .def("svg", [](const Graph& g) { return alone([&] { return to_svg(g); }); })
      .def("optimum", &optimum)
      .def("schedule", &schedule)
      .def("bound", &bound)
      .def("wavefront", [](const Graph& g) {
        return alone([&] {
          const Wavefront found = largest_wavefront(g, 64);
          return std::pair(found.vertex < 0 ? "" : g.name(found.vertex), found.size);
        });
      });
  py::class_<Optimum>(module, "Optimum")
      .def_readonly("lower", &Optimum::lower)
      .def_readonly("upper", &Optimum::upper)
      .def_readonly("loads", &Optimum::loads)
      .def_readonly("stores", &Optimum::stores)
      .def_readonly("proved", &Optimum::proved)
      .def_readonly("moves", &Optimum::moves);
  py::class_<Found>(module, "FoundSchedule")
      .def_readonly("loads", &Found::loads)
      .def_readonly("stores", &Found::stores)
      .def_readonly("how", &Found::how)
      .def_readonly("order", &Found::order);
  module.def("graph_of", &graph_of);
  module.def("make_graph", [](const std::string& description) {
    return alone([&] { return make_graph(description); });
  });
  module.def("source_graph", [](const BoundRequest& request) {
    return alone([&] { return source_graph(request, interruptible()); });
  });
}

}  // namespace redblue::python
