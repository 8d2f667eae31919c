// SPDX-License-Identifier: BSD-3-Clause
// redblue plan einsum: how P ranks would share a summation, and how far that is from the bound.
#include <fmt/core.h>

#include <memory>
#include <vector>

#include "cli/commands.hpp"
#include "cli/einsum/einsum_options.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

namespace {

Json to_json(const EinsumPlanRequest& request, const EinsumChainReport& report) {
  Json json = {{"einsum", request.shape.text}};
  json["extents"] = letters_json(request.shape);
  if (!request.layouts.empty()) json["layouts"] = layouts_json(request);
  json["ranks"] = request.ranks;
  json["memory"] = request.memory ? Json(request.memory->value) : Json(nullptr);
  const EinsumStep& first = report.steps.front();
  const bool is_chain = report.steps.size() > 1;
  json["decomposition"] = is_chain || report.symmetric
                              ? Json({{"name", name_of(report)}})
                              : decomposition_json(first.shape, first.report.decomposition);
  json["max_words_received"] = report.cost.words.value;
  json["words_per_rank"] = report.cost.words.value;  // the same: of the busiest rank
  json["mean_words_per_rank"] = report.cost.mean_words;
  json["lower_bound"] = report.lower_bound;
  json["ratio"] = ratio_json(static_cast<double>(report.cost.words.value), report.lower_bound);
  if (!is_chain && request.shape.statements.empty())
    json["lower_bound_even"] = einsum_lower_bound(request.shape, request.ranks, {}, request.memory);
  json["messages"] = report.cost.messages.value;
  json["memory_words"] = report.cost.memory.value;
  json["products_per_rank"] = report.cost.work;
  json["predicted_seconds"] = report.cost.seconds;
  json["steps"] = steps_json(request.shape, report);
  json["alternatives"] = Json::array();
  if (is_chain) return json;
  for (const Alternative& a : first.report.alternatives) {
    json["alternatives"].push_back(
        {{"name", a.name},
         {"max_words_received", a.cost.words.value},
         {"words_per_rank", a.cost.words.value},
         {"ratio", ratio_json(static_cast<double>(a.cost.words.value), report.lower_bound)},
         {"decomposition", a.shape},
         {"ranks_used", a.ranks_used},
         {"messages", a.cost.messages.value}});
  }
  return json;
}

std::string ratio(const Cost& cost, const EinsumChainReport& report) {
  return ratio_text(static_cast<double>(cost.words.value), report.lower_bound);
}

void print_steps(const EinsumPlanRequest& request, const EinsumChainReport& report) {
  fmt::print("  {:<28} {:<16} {:<30} {:>14} {:>12}\n", "steps", "of", "", "words per rank",
             "bound");
  for (std::size_t s = 0; s < report.steps.size(); ++s) {
    const EinsumStep& step = report.steps[s];
    std::string of;
    for (const std::size_t o : step.operands)
      of += (of.empty() ? "" : ", ") + operand_name(request.shape, o);
    fmt::print("  T{}: {:<24} {:<16} {:<30} {:>14} {:>12}\n", s + 1, step.shape.text, of,
               step.report.decomposition.name(step.shape), grouped(step.cost.words.value),
               grouped(step.report.lower_bound));
  }
}

void print_alternatives(const EinsumChainReport& report) {
  fmt::print("  {:<20} {:<34} {:>10} {:>14} {:>8}\n", "alternatives", "", "ranks used",
             "words per rank", "ratio");
  for (const Alternative& a : report.steps.front().report.alternatives) {
    fmt::print("  {:<20} {:<34} {:>10} {:>14} {:>8}\n", a.name, a.shape, a.ranks_used,
               grouped(a.cost.words.value), ratio(a.cost, report));
  }
}

void print(const EinsumPlanRequest& request, const EinsumChainReport& report) {
  fmt::print("{}\n", bold(title(request, report)));
  fmt::print("  words per rank  {}  (received, worst rank; {} in the mean)\n",
             grouped(report.cost.words.value), grouped(report.cost.mean_words));
  fmt::print("  lower bound     {}  ({})\n", grouped(report.lower_bound), no_rank_multiplies_more);
  fmt::print("  ratio           {}\n", ratio(report.cost, report));
  fmt::print("  messages        {}\n", report.cost.messages.value);
  const EinsumDecomposition& d = report.steps.front().report.decomposition;
  const EinsumShape& first = report.steps.front().shape;
  const bool in_rounds = report.steps.size() == 1 && d.round_index >= 0 && !report.symmetric;
  fmt::print("  memory          {} words{}\n", grouped(report.cost.memory.value),
             in_rounds ? fmt::format(", {} rounds over {}", d.rounds,
                                     first.indices[static_cast<std::size_t>(d.round_index)].letters)
                       : "");
  fmt::print("  predicted       {:.3g} s on machine {}\n", report.cost.seconds,
             request.machine.name);
  if (report.steps.size() > 1) {
    print_steps(request, report);
  } else {
    print_alternatives(report);
  }
}

// One line per rank count.
void print_table(const std::vector<EinsumPlanRequest>& requests,
                 const std::vector<EinsumChainReport>& reports) {
  const EinsumShape& shape = requests.front().shape;
  fmt::print("{}\n",
             bold(fmt::format("Plan for einsum {} ({}): words received by the worst rank / bound",
                              shape.text, letters_text(shape))));
  fmt::print("  {:>5}  {:<34} {:>12} {:>12} {:>6}\n", "ranks", "decomposition", "words", "bound",
             "ratio");
  for (std::size_t r = 0; r < reports.size(); ++r) {
    fmt::print("  {:>5}  {:<34} {:>12} {:>12} {:>6}\n", requests[r].ranks, name_of(reports[r]),
               grouped(reports[r].cost.words.value), grouped(reports[r].lower_bound),
               ratio(reports[r].cost, reports[r]));
  }
}

struct Options {
  EinsumOptionTexts einsum;
  std::string ranks;
  bool json = false;
};

int plan(const Options& options) {
  std::vector<EinsumPlanRequest> requests;
  std::vector<EinsumChainReport> reports;
  for (const int p : rank_counts(options.ranks)) {
    requests.push_back(options.einsum.request(p));
    reports.push_back(plan_einsum_chain(requests.back(), options.einsum.chosen_order()));
  }
  if (options.json) {
    Json json = Json::array();
    for (std::size_t r = 0; r < reports.size(); ++r)
      json.push_back(to_json(requests[r], reports[r]));
    print_json(reports.size() == 1 ? json[0] : json);
  } else if (reports.size() == 1) {
    print(requests.front(), reports.front());
  } else {
    print_table(requests, reports);
  }
  return 0;
}

}  // namespace

void add_plan_einsum(CLI::App& command, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* einsum = command.add_subcommand("einsum", "An Einstein summation of dense tensors");
  options->einsum.add_to(*einsum);
  einsum->add_option("-p", options->ranks, "Ranks; several as 7,8,13 for a table")->required();
  einsum->add_flag("--json", options->json, "Print JSON (an array for several rank counts)");
  einsum->footer(
      "Example:\n"
      "  redblue plan einsum \"ijk,jr,kr->ir\" --set Ni=400,Nj=400,Nk=400,Nr=32 -p 7,8,16");
  einsum->callback([options, &action] { action = [options] { return plan(*options); }; });
}

}  // namespace redblue::cli
