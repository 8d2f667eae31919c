// SPDX-License-Identifier: BSD-3-Clause
// redblue plan: how P ranks would share a kernel, and how far that is from the bound.
#include <fmt/core.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/linalg/gemm_options.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/plots/gemm_curve.hpp"
#include "redblue/cost.hpp"
#include "redblue/error.hpp"
#include "redblue/gemm_model.hpp"
#include "task_graph/plans.hpp"

namespace redblue::cli {

namespace {

Json to_json(const Decomposition& d) {
  Json json = {{"name", d.name()},
               {"rounds", d.rounds},
               {"panels", d.panels},
               {"reductions", d.reductions},
               {"exchange", d.exchange == Exchange::doubling ? "doubling" : "direct"}};
  if (d.kind == Decomposition::Kind::grid) json["grid"] = d.grid;
  if (d.kind == Decomposition::Kind::stationary) json["strips"] = d.strips;
  return json;
}

// Where the plan is small its critical path's time, else what the busiest rank does one after the
// other.
struct Prediction {
  double seconds;
  const char* by;
};

Prediction predicted(const GemmPlanRequest& request, const GemmPlanReport& report) {
  const auto timed = task_graph::seconds_of_plan(report.decomposition, request.machine);
  return timed ? Prediction{*timed, "critical path"}
               : Prediction{report.cost.seconds, "busiest rank"};
}

Json to_json(const GemmPlanRequest& request, const GemmPlanReport& report) {
  const GemmShape& s = request.shape;
  Json json = {{"m", s.m}, {"n", s.n}, {"k", s.k}, {"ranks", request.ranks}};
  json["memory"] = request.memory ? Json(request.memory->value) : Json(nullptr);
  json["decomposition"] = to_json(report.decomposition);
  json["max_words_received"] = report.cost.words.value;
  json["words_per_rank"] = report.cost.words.value;  // the same: of the busiest rank
  json["mean_words_per_rank"] = report.cost.mean_words;
  json["lower_bound"] = report.lower_bound;
  json["ratio"] = report.ratio;
  json["messages"] = report.cost.messages.value;
  json["memory_words"] = report.cost.memory.value;
  const Prediction prediction = predicted(request, report);
  json["predicted_seconds"] = prediction.seconds;
  json["predicted_by"] = prediction.by;
  json["alternatives"] = Json::array();
  for (const Alternative& a : report.alternatives) {
    json["alternatives"].push_back({{"name", a.name},
                                    {"max_words_received", a.cost.words.value},
                                    {"words_per_rank", a.cost.words.value},
                                    {"ratio", a.ratio},
                                    {"decomposition", a.shape},
                                    {"ranks_used", a.ranks_used},
                                    {"messages", a.cost.messages.value}});
  }
  return json;
}

void print(const GemmPlanRequest& request, const GemmPlanReport& report) {
  const GemmShape& s = request.shape;
  fmt::print("{}\n", bold(fmt::format("gemm {} x {} x {} on {} ranks: {}", s.m, s.n, s.k,
                                      request.ranks, report.decomposition.name())));
  fmt::print("  words per rank  {}  (received, worst rank; {} in the mean)\n",
             grouped(report.cost.words.value), grouped(report.cost.mean_words));
  fmt::print("  lower bound     {}  (where all ranks do the same work)\n",
             grouped(report.lower_bound));
  fmt::print("  ratio           {:.3f}\n", report.ratio);
  fmt::print("  messages        {}\n", report.cost.messages.value);
  fmt::print("  memory          {} words, {} round(s), {} panel(s), {} reduction(s)\n",
             grouped(report.cost.memory.value), report.decomposition.rounds,
             report.decomposition.panels, report.decomposition.reductions);
  const Prediction prediction = predicted(request, report);
  fmt::print("  predicted       {:.3g} s on machine {} (by its {})\n", prediction.seconds,
             request.machine.name, prediction.by);
  fmt::print("  {:<20} {:<26} {:>10} {:>14} {:>8}\n", "alternatives", "", "ranks used",
             "words per rank", "ratio");
  for (const Alternative& a : report.alternatives) {
    fmt::print("  {:<20} {:<26} {:>10} {:>14} {:>8.3f}\n", a.name, a.shape, a.ranks_used,
               grouped(a.cost.words.value), a.ratio);
  }
}

// One line per rank count, alternatives beside it.
void print_table(const std::vector<GemmPlanRequest>& requests,
                 const std::vector<GemmPlanReport>& reports) {
  const GemmShape& s = requests.front().shape;
  fmt::print(
      "{}\n",
      bold(fmt::format("Plan for gemm {} x {} x {}: words received by the worst rank / lower bound",
                       s.m, s.n, s.k)));
  fmt::print("  {:>5}  {:<24} {:>12} {:>12} {:>6}", "ranks", "decomposition", "words", "bound",
             "ratio");
  for (const Alternative& a : reports.front().alternatives) {
    if (a.name.rfind("best", 0) != 0) fmt::print("  {:>17}", a.name);
  }
  fmt::print("\n");
  for (std::size_t r = 0; r < reports.size(); ++r) {
    fmt::print("  {:>5}  {:<24} {:>12} {:>12} {:>6.3f}", requests[r].ranks,
               reports[r].decomposition.name(), grouped(reports[r].cost.words.value),
               grouped(reports[r].lower_bound), reports[r].ratio);
    for (const Alternative& a : reports[r].alternatives) {
      if (a.name.rfind("best", 0) == 0) continue;
      const std::string idle =
          a.ranks_used < requests[r].ranks ? fmt::format(" ({} ranks)", a.ranks_used) : "";
      fmt::print("  {:>17}", fmt::format("{:.3f}{}", a.ratio, idle));
    }
    fmt::print("\n");
  }
}

struct Options {
  GemmOptionTexts gemm;
  std::string ranks, plot;
  bool curve = false;
  bool json = false;
};

int curve(const Options& options) {
  const std::vector<std::int64_t> ranks = numbers("-p", options.ranks);
  if (ranks.size() != 1) {
    throw Error("--curve with -p " + options.ranks, std::to_string(ranks.size()) + " rank counts",
                "give one");
  }
  const GemmPlanRequest request = options.gemm.request(rank_count(ranks.front()));
  const std::vector<TradeOffPoint> points = gemm_trade_off(request);
  if (!options.plot.empty()) write_file(options.plot, curve_plot(request, points));
  if (options.json) {
    print_json(curve_json(request, points));
  } else {
    print_curve(request, points);
  }
  return 0;
}

int plan(const Options& options) {
  if (options.curve) return curve(options);
  std::vector<GemmPlanRequest> requests;
  std::vector<GemmPlanReport> reports;
  for (const int p : rank_counts(options.ranks)) {
    requests.push_back(options.gemm.request(p));
    reports.push_back(plan_gemm(requests.back()));
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

void add_plan(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags) {
  CLI::App* command =
      app.add_subcommand("plan", "Choose a parallel decomposition and compare it with its bound");
  command->require_subcommand(1);
  command->footer("Example:\n  redblue plan gemm -m 1200 -n 1200 -k 1200 -p 7");
  const auto options = std::make_shared<Options>();
  CLI::App* gemm = command->add_subcommand("gemm", "C (m x n) = A (m x k) B (k x n)");
  options->gemm.add_to(*gemm);
  options->gemm.add_exchange_to(*gemm);
  gemm->add_option("-p", options->ranks, "Ranks; several as 7,8,13 for a table")->required();
  CLI::Option* curve = gemm->add_flag(
      "--curve", options->curve, "The plans that no other one beats in both words and messages");
  gemm->add_option("--plot", options->plot, "Draw the curve into this SVG file")->needs(curve);
  gemm->add_flag("--json", options->json, "Print JSON (an array for several rank counts)");
  gemm->footer(
      "Example:\n  redblue plan gemm -m 1200 -n 1200 -k 1200 -p 7,8,13\n"
      "  redblue plan gemm -m 1200 -n 1200 -k 1200 -p 64 --memory 120000 --curve");
  gemm->callback([options, &action] { action = [options] { return plan(*options); }; });
  add_plan_factor(*command, action);
  add_plan_einsum(*command, action);
  add_plan_trsv(*command, action);
  add_plan_stencil(*command, action, compiler_flags);
}

}  // namespace redblue::cli
