// SPDX-License-Identifier: BSD-3-Clause
#include "json/counts.hpp"

namespace redblue::json {

namespace {

// A number where JSON has numbers that large, else its digits.
Json number(const std::string& digits) {
  return digits.size() <= 18 ? Json(std::stoll(digits)) : Json(digits);
}

Json to_json(const Count& count) {
  Json json = Json::object();
  if (count.exact) {
    json["count"] = count.lower.text();
  } else {
    json["lower"] = count.lower.text();
    json["upper"] = count.upper.text();
  }
  json["exact"] = count.exact;
  if (count.exact) {
    if (count.lower_value) json["value"] = number(*count.lower_value);
  } else {
    if (count.lower_value) json["lower_value"] = number(*count.lower_value);
    if (count.upper_value) json["upper_value"] = number(*count.upper_value);
  }
  return json;
}

Json to_json(const std::map<std::string, Count>& by_type) {
  Json json = Json::object();
  for (const auto& [type, count] : by_type) json[type] = to_json(count);
  return json;
}

}  // namespace

std::string text_of(const Formula& figure, bool infinite) {
  if (infinite) return "infinity";
  return figure.empty() ? "unknown" : figure.text();
}

Json to_json(const CountedPlace& place) {
  Json json = {{"function", place.function},
               {"file", place.file},
               {"line", place.line},
               {"name", place.name},
               {"affine", place.affine}};
  json.update(to_json(place.count));
  return json;
}

Json to_json(const CountReport& report) {
  Json json = {{"program", report.program}, {"parameters", report.parameters}};
  json["loops"] = Json::array();
  for (const CountedPlace& loop : report.loops) json["loops"].push_back(to_json(loop));
  json["unknowns"] = Json::array();
  for (const Unknown& u : report.unknowns) {
    json["unknowns"].push_back(
        {{"name", u.name},
         {"function", u.function},
         {"file", u.file},
         {"line", u.line},
         {"meaning", u.meaning},
         {"at_most", u.at_most.empty() ? Json(nullptr) : Json(u.at_most.text())}});
  }
  json["total"] = to_json(report.total);
  json["formula"] = report.formula;
  json["work"] = to_json(report.work);
  const auto figure = [&report](const Formula& formula, bool infinite = false) {
    return report.parallel ? Json(text_of(formula, infinite)) : Json(nullptr);
  };
  json["depth"] = figure(report.depth, report.infinite_depth);
  json["efficiency"] = figure(report.efficiency);
  if (report.efficiency_value) json["efficiency_value"] = *report.efficiency_value;
  json["parallelism"] = figure(report.parallelism);
  if (report.parallelism_value) json["parallelism_value"] = *report.parallelism_value;
  json["operations"] = {{"flops", to_json(report.operations.flops)},
                        {"loads", to_json(report.operations.loads)},
                        {"stores", to_json(report.operations.stores)}};
  json["ledger"] = Json::array();
  for (const Condition& c : report.ledger) {
    json["ledger"].push_back(
        {{"condition", c.condition},
         {"status", c.status == Condition::Status::proved ? "proved" : "assumed"}});
  }
  return json;
}

}  // namespace redblue::json
