// SPDX-License-Identifier: BSD-3-Clause
// redblue plan trsv.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/linalg/model_options.hpp"
#include "cli/linalg/trsv_leading.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "redblue/error.hpp"
#include "redblue/factor_model.hpp"
#include "redblue/lower_bound.hpp"

namespace redblue::cli {

namespace {

struct Options {
  std::string n, block, ranks, scheme = "wavefront";
  ModelOptionTexts model;
  bool json = false;
};

struct Plan {
  TrsvDecomposition decomposition;
  TrsvCost cost;
  double bound = 0;
};

// Of the most nearly square grid of all these ranks.
int grid_rows_of(int ranks) {
  int rows = static_cast<int>(std::sqrt(static_cast<double>(ranks)));
  while (rows > 1 && ranks % rows != 0) --rows;
  return std::max(1, rows);
}

Plan planned(const Options& options, int ranks, std::optional<std::int64_t> block) {
  TrsvRequest request;
  request.n = whole_number("-n", options.n);
  request.ranks = ranks;
  options.model.read(request.options);
  request.options.block = block;
  if (options.scheme == "wavefront") {
    request.scheme = TrsvScheme::wavefront;
  } else {
    request.grid_rows = grid_rows_of(ranks);
    request.grid_columns = std::max(1, ranks) / request.grid_rows;
  }
  Plan plan;
  plan.decomposition = choose_trsv(request);
  plan.cost = cost_of(plan.decomposition, request.options.machine);
  return plan;
}

double bound_of(const Options& options, const TrsvDecomposition& d) {
  FactorOptions how;
  options.model.read(how);
  // with the caller's arrays, spread evenly
  if (how.memory) *how.memory += Words(d.n * (d.n + 1) / d.ranks + 1);
  return lower_bound(d, how.memory);
}

// The same with other panels or steps: from 8 on, doubled.
std::vector<Plan> others(const Options& options, const Plan& chosen) {
  std::vector<Plan> plans;
  for (std::int64_t b = 8; b <= chosen.decomposition.n; b *= 2) {
    plans.push_back(planned(options, chosen.decomposition.ranks, b));
  }
  return plans;
}

Json to_json(const Options& options, const Plan& p, const std::vector<Plan>& alternatives) {
  Json json = {{"ranks", p.decomposition.ranks},
               {"scheme", options.scheme},
               {"decomposition", p.decomposition.name()},
               {"block", p.decomposition.step},
               {"max_words_received", p.cost.words.value},
               {"words_per_rank", p.cost.words.value},  // the same: of the busiest rank
               {"mean_words_per_rank", p.cost.mean_words},
               {"messages", p.cost.messages.value},
               {"memory_words", p.cost.memory.value},
               {"predicted_seconds", p.cost.seconds},
               {"synchronisations", p.cost.path.synchronisations},
               {"flops", p.cost.path.operations},
               {"path_words", p.cost.path.words.value},
               {"leading", leading_json(p.decomposition)},
               {"lower_bound", p.bound},
               {"ratio", ratio_json(static_cast<double>(p.cost.words.value), p.bound)}};
  json["alternatives"] = Json::array();
  for (const Plan& a : alternatives) {
    json["alternatives"].push_back({{"name", a.decomposition.name()},
                                    {"block", a.decomposition.step},
                                    {"max_words_received", a.cost.words.value},
                                    {"synchronisations", a.cost.path.synchronisations},
                                    {"flops", a.cost.path.operations},
                                    {"path_words", a.cost.path.words.value},
                                    {"predicted_seconds", a.cost.seconds}});
  }
  return json;
}

void print_row(const std::string& name, const TrsvCost& cost) {
  fmt::print("  {:<44} {:>8} {:>14} {:>12} {:>10.3g}\n", name, cost.path.synchronisations,
             grouped(cost.path.operations), grouped(cost.path.words.value), cost.seconds);
}

void print(const Plan& p, const std::vector<Plan>& alternatives) {
  const TrsvLeadingTerms leading = leading_terms(p.decomposition);
  fmt::print("{}\n", bold(fmt::format("trsv {} on {} ranks: {}", p.decomposition.n,
                                      p.decomposition.ranks, p.decomposition.name())));
  print_words(p.cost.words, p.cost.mean_words, p.bound, no_rank_multiplies_more);
  fmt::print("  messages        {}\n", p.cost.messages.value);
  fmt::print("  memory          {} words beside the caller's arrays\n",
             grouped(p.cost.memory.value));
  fmt::print("  predicted       {:.3g} s\n", p.cost.seconds);
  if (p.decomposition.scheme == TrsvScheme::wavefront) {
    fmt::print("  leading terms   S = {}, F = {}, W = {}  (where every panel has a rank)\n",
               grouped(leading.synchronisations), grouped(leading.operations),
               grouped(leading.words));
  }
  fmt::print("  {:<44} {:>8} {:>14} {:>12} {:>10}\n", "along the critical path", "S", "F", "W",
             "seconds");
  print_row(p.decomposition.name(), p.cost);
  for (const Plan& a : alternatives) {
    if (a.decomposition.step != p.decomposition.step) print_row(a.decomposition.name(), a.cost);
  }
}

int plan(const Options& options) {
  std::optional<std::int64_t> block;
  if (!options.block.empty()) block = whole_number("--block", options.block);
  std::vector<Plan> plans;
  for (const int p : rank_counts(options.ranks)) {
    plans.push_back(planned(options, p, block));
    plans.back().bound = bound_of(options, plans.back().decomposition);
  }
  Json json = Json::array();
  for (const Plan& p : plans) {
    const std::vector<Plan> alternatives = others(options, p);
    if (options.json) {
      json.push_back(to_json(options, p, alternatives));
    } else {
      print(p, alternatives);
    }
  }
  if (options.json) print_json(plans.size() == 1 ? json[0] : json);
  return 0;
}

}  // namespace

void add_plan_trsv(CLI::App& command, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* sub = command.add_subcommand("trsv", "L x = b, L of order n, one right-hand side");
  sub->add_option("-n", options->n, "Order")->required();
  sub->add_option("-p", options->ranks, "Ranks; several as 7,8,13")->required();
  sub->add_option("--block", options->block,
                  "Columns of a panel, or rows solved for at a time (default: by the machine)");
  sub->add_option("--scheme", options->scheme,
                  "wavefront: over column panels; in-place: in blocks of 64 on the squarest grid")
      ->check(CLI::IsMember({"wavefront", "in-place"}))
      ->capture_default_str();
  options->model.add_to(*sub, "Not used: a solve needs little beside the caller's arrays");
  sub->add_flag("--json", options->json, "Print JSON (an array for several rank counts)");
  sub->footer("Example:\n  redblue plan trsv -n 4096 -p 16");
  sub->callback([options, &action] { action = [options] { return plan(*options); }; });
}

}  // namespace redblue::cli
