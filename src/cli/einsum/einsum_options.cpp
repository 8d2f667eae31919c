// SPDX-License-Identifier: BSD-3-Clause
#include "cli/einsum/einsum_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

#include "cli/options.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

namespace {

std::map<char, std::int64_t> letters(const EinsumShape& shape) {
  std::map<char, std::int64_t> result;
  const auto add = [&result](const std::vector<EinsumTensor>& tensors) {
    for (const EinsumTensor& t : tensors) {
      for (std::size_t l = 0; l < t.letters.size(); ++l) result[t.letters[l]] = t.extents[l];
    }
  };
  add(shape.tensors);
  for (const EinsumStatement& s : shape.statements) add(s.tensors);
  return result;
}

// "1=2x2/64x64,result=4x1": by the operand's number, from 1 on.
std::vector<std::optional<EinsumLayout>> layouts_of(const std::string& text,
                                                    const EinsumShape& shape) {
  std::vector<std::optional<EinsumLayout>> layouts(shape.tensors.size());
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string one = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t equals = one.find('=');
    const std::string which = one.substr(0, equals);
    std::size_t number = shape.tensors.size();
    for (std::size_t t = 0; t < shape.tensors.size(); ++t) {
      const bool is_result = t == shape.operands();
      if (which == (is_result ? "result" : std::to_string(t + 1))) number = t;
    }
    if (equals == std::string::npos || number == shape.tensors.size()) {
      throw Error("--layout '" + one + "'", "no tensor is named",
                  "write 1=2x2 for the first operand, result=2x2/64x64 for the result");
    }
    layouts[number] = einsum_layout(one.substr(equals + 1));
  }
  return layouts;
}

}  // namespace

void EinsumOptionTexts::add_to(CLI::App& command) {
  command
      .add_option("einsum", einsum,
                  "The summation: \"ijk,jr,kr->ir\"; several: \"T=ijk,jr->ikr;T,ks->irs\"; "
                  "an operand read twice: \"A:ik,A:jk->ij\"")
      ->required();
  command.add_option("--set", set, "The extent Nx of every letter x: Ni=400,Nj=400");
  command
      .add_option("--order", order,
                  "Three operands and more: all at once, or two at a time in the order with the "
                  "fewest operations or words; automatic: what moves least of those that multiply "
                  "about least")
      ->check(CLI::IsMember({"automatic", "once", "operations", "words"}))
      ->capture_default_str();
  command.add_option("--layout", layout,
                     "Where tensors are stored before and after: a grid of ranks, and blocks that "
                     "are dealt out to it, along every letter: 1=2x2x1/16x16x8,result=4x1 "
                     "(default: where they are needed)");
  model.add_to(command, "Words a rank may hold, everything counted (default: unlimited)");
}

EinsumPlanRequest EinsumOptionTexts::request(int ranks) const {
  EinsumPlanRequest request;
  request.shape =
      einsum_shape(einsum, set.empty() ? std::map<std::string, std::int64_t>{} : sizes(set));
  request.ranks = ranks;
  model.read(request);
  if (!layout.empty()) request.layouts = layouts_of(layout, request.shape);
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
  if (report.symmetric) return report.symmetric->decomposition.name();
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
    json["decomposition"] = report.symmetric
                                ? Json({{"name", name_of(report)}})
                                : decomposition_json(step.shape, step.report.decomposition);
    json["words_per_rank"] = step.cost.words.value;
    json["mean_words_per_rank"] = step.cost.mean_words;
    json["lower_bound"] = step.report.lower_bound;
    json["messages"] = step.cost.messages.value;
    json["products_per_rank"] = step.cost.work;
    steps.push_back(std::move(json));
  }
  return steps;
}

Json layouts_json(const EinsumPlanRequest& request) {
  Json json = Json::array();
  for (const auto& layout : request.layouts) {
    if (!layout) {
      json.push_back(nullptr);
      continue;
    }
    json.push_back({{"grid", layout->grid}, {"block", layout->block}});
  }
  return json;
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
