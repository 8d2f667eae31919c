// SPDX-License-Identifier: BSD-3-Clause
// Bounds, their derivations and pictures, formulas and counts.
#include <pybind11/stl.h>

#include <algorithm>

#include "cli/analysis/memory_plot.hpp"
#include "json/bounds.hpp"
#include "json/counts.hpp"
#include "python/alone.hpp"
#include "python/analysis_module.hpp"
#include "redblue/analysis.hpp"
#include "redblue/cdag.hpp"
#include "redblue/counting.hpp"
#include "redblue/einsum.hpp"
#include "redblue/measure.hpp"
#include "redblue/statement_graph.hpp"

namespace redblue::python {

namespace py = pybind11;
using json::Json;

namespace {

std::string bound(const BoundRequest& request) {
  return alone([&] {
    Json report = json::to_json(lower_bounds(request));
    report["hints"] = Json::array();
    if (!request.einsum.empty()) report["hints"] = einsum_hints(request.einsum);
    return report.dump();
  });
}

std::string explain(const BoundRequest& request, const std::string& statement, bool assumed,
                    bool markdown) {
  return alone([&] {
    const BoundReport report = lower_bounds(request);
    return explanation(report, strongest_of(report, statement, assumed), markdown);
  });
}

std::string graph(const BoundRequest& request) {
  return alone([&] {
    const BoundedProgram program(request);
    const BoundReport report = program.at(request.sizes, request.units);
    return cdag::drawn(to_dot(statement_graph(program, report), report));
  });
}

// The pieces in S as JSON.
std::string by_memory(const BoundRequest& request) {
  return alone([&] {
    Json pieces = Json::array();
    for (const MemoryRange& piece :
         bounds_by_memory(BoundedProgram(request), request.sizes, request.units, interruptible()))
      pieces.push_back(json::to_json(piece));
    return pieces.dump();
  });
}

// All methods' curves at these memories, as SVG.
std::string curves(const BoundRequest& request, const std::vector<std::int64_t>& memories) {
  return alone([&] {
    cli::MemoryPicture picture;
    const BoundedProgram program(request);
    std::map<std::string, std::int64_t> sizes = request.sizes;
    sizes.erase("S");
    picture.program = program.at(sizes, request.units).program;
    picture.curves = curves_by_memory(program, sizes, memories, request.units, interruptible());
    BoundRequest whole = request;
    whole.sizes = sizes;
    picture.operations = arithmetic_operations(whole);
    picture.unit = "operations";
    if (picture.operations == 0) {
      picture.unit = "statement instances";
      const std::map<std::string, double> values(sizes.begin(), sizes.end());
      for (const StatementInfo& s : program.statements()) picture.operations += s.count.at(values);
    }
    return cli::memory_plot(picture);
  });
}

}  // namespace

void add_formulas(py::module_& module) {
  module.def("formula_text",
             [](const std::string& text) { return alone([&] { return Formula(text).text(); }); });
  module.def("formula_python",
             [](const std::string& text) { return alone([&] { return Formula(text).python(); }); });
  module.def("formula_latex",
             [](const std::string& text) { return alone([&] { return Formula(text).latex(); }); });
  module.def("formula_at",
             [](const std::string& text, const std::map<std::string, double>& values) {
               return alone([&] { return Formula(text).at(values); });
             });
}

void add_bounds(py::module_& module) {
  py::class_<BoundRequest>(module, "Request")
      .def(py::init<>())
      .def_readwrite("file", &BoundRequest::file)
      .def_readwrite("function", &BoundRequest::function)
      .def_readwrite("flags", &BoundRequest::flags)
      .def_readwrite("sizes", &BoundRequest::sizes)
      .def_readwrite("units", &BoundRequest::units)
      .def_readwrite("einsum", &BoundRequest::einsum)
      .def_readwrite("small", &BoundRequest::small)
      .def_readwrite("assume", &BoundRequest::assume)
      .def_readwrite("scratch", &BoundRequest::scratch)
      .def_readwrite("outputs", &BoundRequest::outputs);
  module.def("bound", &bound);
  module.def("explain", &explain);
  module.def("graph", &graph);
  module.def("by_memory", &by_memory);
  module.def("curves", &curves);
}

void add_counts(py::module_& module) {
  py::class_<CountRequest>(module, "CountRequest")
      .def(py::init<>())
      .def_readwrite("file", &CountRequest::file)
      .def_readwrite("function", &CountRequest::function)
      .def_readwrite("flags", &CountRequest::flags)
      .def_readwrite("assumptions", &CountRequest::assumptions)
      .def_readwrite("sizes", &CountRequest::sizes)
      .def_readwrite("size_name", &CountRequest::size_name)
      .def_readwrite("rank_name", &CountRequest::rank_name);
  module.def("count", [](const CountRequest& request) {
    return alone([&] { return json::to_json(count(request)).dump(); });
  });
}

}  // namespace redblue::python
