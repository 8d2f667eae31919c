// SPDX-License-Identifier: BSD-3-Clause
// redblue plan syrk | syr2k | symm | cholesky | lu | qr | trsm.
#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "cli/commands.hpp"
#include "cli/linalg/factor_options.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "redblue/error.hpp"
#include "redblue/lower_bound.hpp"
#include "redblue/qr_model.hpp"
#include "redblue/symmetric_model.hpp"
#include "task_graph/plans.hpp"

namespace redblue::cli {

namespace {

struct Options {
  FactorOptionTexts kernel;
  std::string ranks;
  bool json = false;
};

// One row of the table: a way to do it and what it moves into the busiest rank.
struct Way {
  std::string name, shape;
  double words = 0;
};

struct Plan {
  int ranks = 1;
  std::string title, decomposition;
  Cost cost;
  std::optional<double> critical;  // seconds of its critical path, where the plan is small
  double bound = 0;
  const char* bound_holds = no_rank_multiplies_more;
  std::vector<Way> others;

  double seconds() const { return critical.value_or(cost.seconds); }
  const char* predicted_by() const { return critical ? "critical path" : "busiest rank"; }
};

// [kwasniewski2021, Table 4.2], at the number of replicas c that suits each best: S = c N^2 / P
// words.
std::vector<Way> models(std::int64_t order, int ranks) {
  const auto n = static_cast<double>(order);
  const double p = ranks;
  double deepest = 0;  // of N^3 / (P sqrt S), c at most P^(1/3)
  double conflux = n * n / std::sqrt(p) + n * n / p;
  int replicas = 1;
  for (int c = 1; c * c * c <= ranks; ++c) {
    deepest = n * n / std::sqrt(p * c);
    const double words = deepest + n * n * (c - 1) / p + n * n / p;
    if (words < conflux) {
      conflux = words;
      replicas = c;
    }
  }
  return {
      {"2D (ScaLAPACK, SLATE)", "N^2/sqrt(P) + N^2/P", n * n / std::sqrt(p) + n * n / p},
      {"CANDMC", "5 N^3/(P sqrt(S))", 5 * deepest},
      {"CAPITAL", "45/8 N^3/(P sqrt(S))", 45. / 8 * deepest},
      {"CONFLUX, CONFCHOX", fmt::format("N^3/(P sqrt(S)) + c N^2/P, c = {}", replicas), conflux}};
}

// All that a rank holds, the caller's arrays included, spread evenly.
std::optional<Words> all_memory(const FactorOptions& options, double elements, int ranks) {
  if (!options.memory) return std::nullopt;
  return *options.memory + Words(static_cast<std::int64_t>(std::ceil(elements / ranks)));
}

double size(std::int64_t rows, std::int64_t columns) {
  return static_cast<double>(rows) * static_cast<double>(columns);
}

Plan planned_qr(const FactorOptionTexts& texts, int ranks) {
  const FactorOptions options = texts.factor();
  const QrDecomposition d = choose_qr(texts.rows(), texts.columns(), ranks, options);
  Plan plan;
  plan.ranks = ranks;
  plan.title = fmt::format("qr {} x {}", d.m, d.n);
  plan.decomposition = d.name();
  plan.cost = cost_of(d, options.machine);
  plan.bound = lower_bound(d);
  plan.bound_holds = "where ranks store what they do here, before and after";
  return plan;
}

Plan planned(Kernel kernel, const FactorOptionTexts& texts, int ranks) {
  Plan plan;
  plan.ranks = ranks;
  if (kernel == Kernel::syrk) {
    const SyrkPlanRequest request = texts.syrk(ranks);
    const SyrkPlanReport report = plan_syrk(request);
    plan.title = fmt::format("syrk {} x {}", request.shape.n, request.shape.k);
    plan.decomposition = report.decomposition.name();
    plan.cost = report.cost;
    plan.bound = report.lower_bound;
    for (const Alternative& a : report.alternatives) {
      plan.others.push_back({a.name, a.shape, static_cast<double>(a.cost.words.value)});
    }
    return plan;
  }
  if (is_symmetric(kernel)) {
    const bool symm = kernel == Kernel::symm;
    const SymmetricKernel which = symm ? SymmetricKernel::symm : SymmetricKernel::syr2k;
    const SyrkPlanRequest request = texts.syrk(ranks);
    const TriangleDecomposition d = choose_symmetric(which, request);
    plan.title = fmt::format("{} {} x {}", symm ? "symm" : "syr2k", d.shape.n, d.shape.k);
    plan.decomposition = d.name();
    plan.cost = cost_of(which, d, request.machine);
    plan.bound = lower_bound(which, d, request.memory);
    return plan;
  }
  const FactorOptions options = texts.factor();
  if (kernel == Kernel::trsm) {
    const TrsmDecomposition d =
        choose_trsm(texts.columns(), texts.right_hand_sides(), ranks, options);
    plan.title = fmt::format("trsm {} x {}", d.n, d.m);
    plan.decomposition = d.name();
    plan.cost = cost_of(d, options.machine);
    plan.bound = lower_bound(d, all_memory(options, size(d.n, d.n) + size(d.n, d.m), ranks));
    plan.critical = task_graph::seconds_of_plan(d, options.machine);
    return plan;
  }
  if (kernel == Kernel::qr) return planned_qr(texts, ranks);
  if (kernel == Kernel::cholesky) {
    const CholeskyDecomposition d = choose_cholesky(texts.columns(), ranks, options);
    plan.title = fmt::format("cholesky {}", d.n);
    plan.decomposition = d.name();
    plan.cost = cost_of(d, options.machine);
    plan.bound = lower_bound(d, all_memory(options, size(d.n, d.n), ranks));
    plan.critical = task_graph::seconds_of_plan(d, options.machine);
  } else {
    const LuDecomposition d = choose_lu(texts.rows(), texts.columns(), ranks, options);
    plan.title = fmt::format("lu {} x {}", d.m, d.n);
    plan.decomposition = d.name();
    plan.cost = cost_of(d, options.machine);
    plan.bound = lower_bound(d, all_memory(options, size(d.m, d.n), ranks));
    plan.critical = task_graph::seconds_of_plan(d, options.machine);
  }
  plan.others = models(texts.columns(), ranks);
  return plan;
}

Json to_json(const Plan& p) {
  Json json = {{"ranks", p.ranks},
               {"decomposition", p.decomposition},
               {"max_words_received", p.cost.words.value},
               {"words_per_rank", p.cost.words.value},  // the same: of the busiest rank
               {"mean_words_per_rank", p.cost.mean_words},
               {"messages", p.cost.messages.value},
               {"memory_words", p.cost.memory.value},
               {"predicted_seconds", p.seconds()},
               {"predicted_by", p.predicted_by()}};
  json["lower_bound"] = p.bound;
  json["ratio"] = ratio_json(static_cast<double>(p.cost.words.value), p.bound);
  json["alternatives"] = Json::array();
  for (const Way& w : p.others) {
    json["alternatives"].push_back({{"name", w.name},
                                    {"decomposition", w.shape},
                                    {"max_words_received", w.words},
                                    {"words_per_rank", w.words}});
  }
  return json;
}

void print(const Plan& p) {
  fmt::print("{}\n", bold(fmt::format("{} on {} ranks: {}", p.title, p.ranks, p.decomposition)));
  print_words(p.cost.words, p.cost.mean_words, p.bound, p.bound_holds);
  fmt::print("  messages        {}\n", p.cost.messages.value);
  fmt::print("  memory          {} words\n", grouped(p.cost.memory.value));
  fmt::print("  predicted       {:.3g} s (by its {})\n", p.seconds(), p.predicted_by());
  if (p.others.empty()) return;
  fmt::print("  {:<24} {:<40} {:>14}\n", "beside it", "", "words per rank");
  for (const Way& w : p.others) {
    fmt::print("  {:<24} {:<40} {:>14}\n", w.name, w.shape, grouped(w.words));
  }
}

int plan(Kernel kernel, const Options& options) {
  std::vector<Plan> plans;
  for (const int p : rank_counts(options.ranks)) {
    plans.push_back(planned(kernel, options.kernel, p));
  }
  if (!options.json) {
    for (const Plan& p : plans) print(p);
    return 0;
  }
  Json json = Json::array();
  for (const Plan& p : plans) json.push_back(to_json(p));
  print_json(plans.size() == 1 ? json[0] : json);
  return 0;
}

void add(CLI::App& command, Action& action, Kernel kernel, const char* name, const char* what,
         const char* example) {
  const auto options = std::make_shared<Options>();
  CLI::App* sub = command.add_subcommand(name, what);
  options->kernel.add_to(*sub, kernel);
  sub->add_option("-p", options->ranks, "Ranks; several as 7,8,13")->required();
  sub->add_flag("--json", options->json, "Print JSON (an array for several rank counts)");
  sub->footer(fmt::format("Example:\n  redblue plan {}", example));
  sub->callback([options, kernel, &action] {
    action = [options, kernel] { return plan(kernel, *options); };
  });
}

}  // namespace

void add_plan_factor(CLI::App& command, Action& action) {
  add(command, action, Kernel::syrk, "syrk", "C (n x n, one triangle) = A (n x k) A^T",
      "syrk -n 2048 -k 256 -p 12,13,14");
  add(command, action, Kernel::syr2k, "syr2k",
      "C (n x n, one triangle) = A B^T + B A^T, A and B n x k", "syr2k -n 2048 -k 256 -p 12,13,14");
  add(command, action, Kernel::symm, "symm",
      "C (n x k) = A B, A symmetric of order n, one triangle stored",
      "symm -n 2048 -k 256 -p 12,13,14");
  add(command, action, Kernel::cholesky, "cholesky", "A = L L'", "cholesky -n 4096 -p 16,64");
  add(command, action, Kernel::lu, "lu", "P A = L U", "lu -n 4096 -p 16,64");
  add(command, action, Kernel::qr, "qr", "A = Q R", "qr -m 100000 -n 200 -p 16,64");
  add(command, action, Kernel::trsm, "trsm", "L X = B, L of order n, k right-hand sides",
      "trsm -n 4096 -k 512 -p 16,64");
}

}  // namespace redblue::cli
