// SPDX-License-Identifier: BSD-3-Clause
#include "json/bounds.hpp"

namespace redblue::json {

namespace {

Json value_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const std::vector<SizeCondition>& conditions) {
  Json json = Json::array();
  for (const SizeCondition& c : conditions)
    json.push_back({{"left", c.left.text()}, {"relation", c.relation}, {"right", c.right.text()}});
  return json;
}

}  // namespace

const char* status_name(Condition::Status status) {
  return status == Condition::Status::proved ? "proved" : "assumed";
}

Json summary(const LowerBound& bound) {
  return {{"method", bound.method},
          {"leading", bound.leading.text()},
          {"expression", bound.expression.text()},
          {"holds_for", bound.holds_for},
          {"holds_where", to_json(bound.holds_where)},
          {"value", value_or_null(bound.value)},
          {"recomputation", bound.recomputation}};
}

namespace {

Json to_json(const LowerBound& bound) {
  Json json = summary(bound);
  json["statement"] = bound.statement.empty() ? Json(nullptr) : Json(bound.statement);
  json["intensity"] = bound.intensity.empty() ? Json(nullptr) : Json(bound.intensity.text());
  json["segment"] = bound.segment.empty() ? Json(nullptr) : Json(bound.segment.text());
  json["tiles"] = Json::object();
  for (const auto& [loop, size] : bound.tiles) json["tiles"][loop] = size.text();
  if (!bound.busiest.empty()) {
    json["busiest"] = {{"expression", bound.busiest.text()},
                       {"holds_for", bound.busiest_holds_for},
                       {"holds_where", to_json(bound.busiest_holds_where)},
                       {"provided", bound.busiest_provided},
                       {"value", value_or_null(bound.busiest_value)}};
  }
  json["ledger"] = Json::array();
  for (const Condition& c : bound.ledger) {
    json["ledger"].push_back({{"condition", c.condition}, {"status", status_name(c.status)}});
  }
  return json;
}

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

Json to_json(const BoundReport& report) {
  Json json = {{"program", report.program},
               {"parameters", report.parameters},
               {"assume", report.assume},
               {"taken", report.taken},
               {"least_s", report.least_s}};
  json["statements"] = Json::array();
  for (const StatementInfo& s : report.statements) {
    json["statements"].push_back({{"name", s.name},
                                  {"count", s.count.text()},
                                  {"count_holds_for", s.count_holds_for},
                                  {"text", s.text},
                                  {"line", s.line}});
  }
  json["gave_up"] = Json::array();
  for (const GaveUp& g : report.gave_up) {
    json["gave_up"].push_back(
        {{"method", g.method}, {"statement", g.statement}, {"reason", g.reason}});
  }
  json["separate_parts"] = Json::array();
  for (const SeparateParts& one : report.separate_parts) {
    json["separate_parts"].push_back({{"statement", one.statement},
                                      {"loop", one.loop},
                                      {"parts", one.parts.text()},
                                      {"holds_for", one.holds_for},
                                      {"value", value_or_null(one.value)},
                                      {"alike", one.alike}});
  }
  json["outputs"] = report.outputs;
  json["dead"] = report.dead;
  json["final_values"] = Json::array();
  for (const FinalValues& f : report.final_values) {
    json["final_values"].push_back(
        {{"array", f.array}, {"output", f.output}, {"elements", f.elements}, {"why", f.why}});
  }
  json["bounds"] = Json::array();
  for (const LowerBound& b : report.bounds) json["bounds"].push_back(to_json(b));
  json["best"] = summary(report.bounds[report.best]);
  json["best_assumed"] = summary(report.bounds[report.best_assumed]);
  return json;
}

Json to_json(const MemoryRange& piece) {
  return {{"from", piece.from},
          {"to", piece.to ? Json(*piece.to) : Json(nullptr)},
          {"value_from", piece.bound.value ? Json(*piece.bound.value) : Json(nullptr)},
          {"value_to", piece.value_to},
          {"bound", summary(piece.bound)}};
}

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

}  // namespace redblue::json
