// SPDX-License-Identifier: BSD-3-Clause
#include "cli/analysis/bound_json.hpp"

namespace redblue::cli {

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
                       {"value", value_or_null(bound.busiest_value)}};
  }
  json["ledger"] = Json::array();
  for (const Condition& c : bound.ledger) {
    json["ledger"].push_back({{"condition", c.condition}, {"status", status_name(c.status)}});
  }
  return json;
}

}  // namespace

Json to_json(const BoundReport& report) {
  Json json = {{"program", report.program},
               {"parameters", report.parameters},
               {"assume", report.assume},
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

}  // namespace redblue::cli
