// SPDX-License-Identifier: BSD-3-Clause
#include "cli/analysis/statement_graph.hpp"

namespace redblue::cli {

namespace {

Json name_or_null(const std::string& name) {
  return name.empty() ? Json(nullptr) : Json(name);
}

Json to_json(const StatementGraph::Counted& counted, const BoundReport& report) {
  const LowerBound& bound = report.bounds[counted.bound];
  return {{"method", bound.method}, {"leading", bound.leading.text()}, {"parts", counted.parts}};
}

const char* name_of(StatementGraph::Merged::How how) {
  switch (how) {
    case StatementGraph::Merged::How::alike:
      return "alike";
    case StatementGraph::Merged::How::copies:
      return "copies";
    default:
      return "on the way";
  }
}

}  // namespace

Json to_json(const StatementGraph& graph, const BoundReport& report) {
  Json json;
  json["statements"] = Json::array();
  for (const StatementInfo& s : graph.statements) {
    json["statements"].push_back(
        {{"name", s.name}, {"line", s.line}, {"text", s.text}, {"count", s.count.text()}});
  }
  json["edges"] = Json::array();
  for (const StatementGraph::Edge& e : graph.edges) {
    json["edges"].push_back({{"from", name_or_null(e.from)},
                             {"to", name_or_null(e.to)},
                             {"array", e.array},
                             {"reads", e.reads}});
  }
  json["merged"] = Json::array();
  for (const StatementGraph::Merged& m : graph.merged)
    json["merged"].push_back({{"statements", m.statements}, {"how", name_of(m.how)}});
  json["sums"] = Json::array();
  for (const StatementGraph::Counted& sum : graph.sums)
    json["sums"].push_back(to_json(sum, report));
  json["best"] = to_json(graph.best, report);
  return json;
}

}  // namespace redblue::cli
