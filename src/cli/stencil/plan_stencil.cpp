// SPDX-License-Identifier: BSD-3-Clause
// redblue plan stencil: which scheme, what it moves and how long it is predicted to take.
#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <vector>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/stencil/stencil_options.hpp"
#ifdef REDBLUE_HAS_ANALYSIS
#include "cli/stencil/stencil_source.hpp"
#endif
#include "redblue/error.hpp"
#include "redblue/stencil_bound.hpp"

namespace redblue::cli {

namespace {

struct Options {
#ifdef REDBLUE_HAS_ANALYSIS
  StencilSourceTexts source;
#endif
  StencilMeshTexts mesh;
  StencilWayTexts way;
  std::string steps = "1", ranks;
  bool json = false;
};

// What is planned for.
struct Planned {
  StencilProgram program, needed;  // `needed`: with reads that all points need
  std::int64_t steps = 1;
  double flops = 1;  // of one update
  std::string title;
};

Planned planned(const Options& options, [[maybe_unused]] const std::vector<std::string>& flags) {
#ifdef REDBLUE_HAS_ANALYSIS
  if (!options.source.file.empty()) {
    const StencilSource source = options.source.read(flags);
    return {source.program, source.needed, source.steps, flops_per_update(source),
            title_of(source)};
  }
#endif
  if (!options.mesh.given()) throw Error("plan stencil", "no program", "give a C file, or -n 512");
  const StencilProgram program = options.mesh.program();
  return {program, program, whole_number("--steps", options.steps),
          static_cast<double>(flops_per_update(program)), options.mesh.title()};
}

void add_cost(Json& json, const StencilCost& c, double bound) {
  json["max_words_received"] = c.words.value;
  json["lower_bound"] = bound;
  json["ratio"] = ratio_to_bound(c.words.value, bound);
  json["messages"] = c.messages.value;
  json["synchronisations"] = c.synchronisations;
  json["stages"] = c.stages;
  json["updates"] = c.updates;
  json["memory_words"] = c.memory.value;
  json["memory_traffic_words"] = c.memory_traffic.value;
  json["predicted_seconds"] = c.seconds;
}

Json to_json(const StencilPlanRequest& r, const StencilPlanReport& report, const Planned& what) {
  Json json = {{"ranks", r.ranks}, {"steps", r.steps}};
  json["memory"] = r.memory ? Json(r.memory->value) : Json(nullptr);
  add_decomposition(json, r.program, report.decomposition);
  add_cost(json, report.cost, stencil_lower_bound(what.needed, report.decomposition, what.steps));
  json["flops"] = std::llround(what.flops * static_cast<double>(report.cost.updates));
  json["alternatives"] = Json::array();
  for (const StencilAlternative& a : report.alternatives) {
    Json one;
    add_decomposition(one, r.program, a.decomposition);
    add_cost(one, a.cost, stencil_lower_bound(what.needed, a.decomposition, what.steps));
    one["flops"] = std::llround(what.flops * static_cast<double>(a.cost.updates));
    json["alternatives"].push_back(one);
  }
  return json;
}

void print(const StencilPlanRequest& r, const StencilPlanReport& report, const Planned& what) {
  fmt::print("{}\n", bold(fmt::format("{}, {} steps on {} ranks: {}", what.title, r.steps, r.ranks,
                                      report.decomposition.name())));
  fmt::print("  predicted         {:.3g} s on machine {}\n", report.cost.seconds, r.machine.name);
  const double bound = stencil_lower_bound(what.needed, report.decomposition, what.steps);
  if (bound > 0) {
    fmt::print("  bound             {} words received by some rank, ratio {:.3f}\n", grouped(bound),
               static_cast<double>(report.cost.words.value) / bound);
  }
  fmt::print("  of the rank with the most of each\n");
  fmt::print("  {:<38} {:>14} {:>9} {:>9} {:>14} {:>12} {:>10}\n", "scheme", "words received",
             "messages", "synchron.", "updates", "memory words", "seconds");
  for (const StencilAlternative& a : report.alternatives) {
    const StencilCost& c = a.cost;
    fmt::print("  {:<38} {:>14} {:>9} {:>9} {:>14} {:>12} {:>10.3g}\n", a.decomposition.name(),
               grouped(c.words.value), c.messages.value, c.synchronisations, grouped(c.updates),
               grouped(c.memory.value), c.seconds);
  }
}

int plan(const Options& options, const std::vector<std::string>& compiler_flags) {
  const Planned what = planned(options, compiler_flags);
  std::vector<StencilPlanRequest> requests;
  std::vector<StencilPlanReport> reports;
  for (const int p : rank_counts(options.ranks)) {
    StencilPlanRequest r = options.way.request();
    r.program = what.program;
    r.steps = what.steps;
    r.ranks = p;
    reports.push_back(plan_stencil(r));
    requests.push_back(r);
  }
  Json json = Json::array();
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (options.json) {
      json.push_back(to_json(requests[i], reports[i], what));
    } else {
      print(requests[i], reports[i], what);
    }
  }
  if (options.json) print_json(reports.size() == 1 ? json[0] : json);
  return 0;
}

}  // namespace

void add_plan_stencil(CLI::App& command, Action& action,
                      const std::vector<std::string>& compiler_flags) {
  const auto options = std::make_shared<Options>();
  CLI::App* stencil = command.add_subcommand(
      "stencil", "Time steps of a star or box on a mesh: halos, trapezoids or blocks");
  options->mesh.add_to(*stencil);
  stencil->add_option("--steps", options->steps, "Time steps")->capture_default_str();
  options->way.add_to(*stencil);
  stencil->add_option("-p", options->ranks, "Ranks; several as 7,8,13")->required();
  stencil->add_flag("--json", options->json, "Print JSON (an array for several rank counts)");
#ifdef REDBLUE_HAS_ANALYSIS
  options->source.add_to(*stencil);
#endif
  stencil->footer(
      "Example:\n  redblue plan stencil -d 2 -n 512 --radius 1 --box --steps 64 -p 16\n"
      "  redblue plan stencil kernels/jacobi-2d.c --set T=100,N=512 -p 16");
  stencil->callback([options, &action, &compiler_flags] {
    action = [options, &compiler_flags] { return plan(*options, compiler_flags); };
  });
}

}  // namespace redblue::cli
