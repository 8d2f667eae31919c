// SPDX-License-Identifier: BSD-3-Clause
#include "cli/einsum/einsum_options.hpp"

#include <fmt/core.h>

#include <map>

#include "cli/options.hpp"

namespace redblue::cli {

namespace {

std::map<char, std::int64_t> letters(const EinsumShape& shape) {
  std::map<char, std::int64_t> result;
  for (const EinsumTensor& t : shape.tensors) {
    for (std::size_t l = 0; l < t.letters.size(); ++l) result[t.letters[l]] = t.extents[l];
  }
  return result;
}

}  // namespace

void EinsumOptionTexts::add_to(CLI::App& command) {
  command.add_option("einsum", einsum, "The summation: \"ijk,jr,kr->ir\"")->required();
  command.add_option("--set", set, "The extent Nx of every letter x: Ni=400,Nj=400");
  command
      .add_option("--order", order,
                  "Three operands and more: all at once, or two at a time in the order with the "
                  "fewest operations or words; automatic: what moves least of those that multiply "
                  "about least")
      ->check(CLI::IsMember({"automatic", "once", "operations", "words"}))
      ->capture_default_str();
  model.add_to(command, "Words a rank may hold, everything counted (default: unlimited)");
}

EinsumPlanRequest EinsumOptionTexts::request(int ranks) const {
  EinsumPlanRequest request;
  request.shape =
      einsum_shape(einsum, set.empty() ? std::map<std::string, std::int64_t>{} : sizes(set));
  request.ranks = ranks;
  model.read(request);
  return request;
}

EinsumOrder EinsumOptionTexts::chosen_order() const {
  if (order == "once") return EinsumOrder::once;
  if (order == "operations") return EinsumOrder::operations;
  return order == "words" ? EinsumOrder::words : EinsumOrder::automatic;
}

std::string operand_name(const EinsumShape& whole, std::size_t number) {
  const std::size_t operands = whole.operands();
  return number < operands ? whole.tensors[number].letters
                           : "T" + std::to_string(number - operands + 1);
}

std::string name_of(const EinsumChainReport& report) {
  const EinsumStep& first = report.steps.front();
  if (report.steps.size() == 1) return first.report.decomposition.name(first.shape);
  return std::to_string(report.steps.size()) + " contractions";
}

std::string title(const EinsumPlanRequest& request, const EinsumChainReport& report) {
  return fmt::format("einsum {} ({}) on {} ranks: {}", request.shape.text,
                     letters_text(request.shape), request.ranks, name_of(report));
}

Json steps_json(const EinsumShape& whole, const EinsumChainReport& report) {
  Json steps = Json::array();
  for (const EinsumStep& step : report.steps) {
    Json json = {{"einsum", step.shape.text}};
    json["operands"] = Json::array();
    for (const std::size_t o : step.operands) json["operands"].push_back(operand_name(whole, o));
    json["decomposition"] = decomposition_json(step.shape, step.report.decomposition);
    json["words_per_rank"] = step.cost.words.value;
    json["mean_words_per_rank"] = step.cost.mean_words;
    json["lower_bound"] = step.report.lower_bound;
    json["messages"] = step.cost.messages.value;
    json["products_per_rank"] = step.cost.work;
    steps.push_back(std::move(json));
  }
  return steps;
}

Json letters_json(const EinsumShape& shape) {
  Json json = Json::object();
  for (const auto& [letter, extent] : letters(shape)) json[std::string(1, letter)] = extent;
  return json;
}

std::string letters_text(const EinsumShape& shape) {
  std::string text;
  for (const auto& [letter, extent] : letters(shape))
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", letter, extent);
  return text;
}

Json decomposition_json(const EinsumShape& shape, const EinsumDecomposition& d) {
  Json json = {{"name", d.name(shape)}, {"rounds", d.rounds}};
  const bool in_rounds = d.round_index >= 0;
  json["round_over"] = in_rounds
                           ? Json(shape.indices[static_cast<std::size_t>(d.round_index)].letters)
                           : Json(nullptr);
  if (d.kind != EinsumDecomposition::Kind::grid) return json;
  json["grid"] = Json::object();
  for (std::size_t t = 0; t < d.grid.size(); ++t)
    json["grid"][shape.indices[t].letters] = d.grid[t];
  return json;
}

}  // namespace redblue::cli
