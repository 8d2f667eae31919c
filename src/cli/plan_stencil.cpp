// redblue plan stencil: which scheme, what it moves and how long it is predicted to take.
#include <fmt/core.h>

#include <memory>
#include <vector>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/stencil_options.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

namespace {

struct Options {
  StencilMeshTexts mesh;
  StencilWayTexts way;
  std::string steps = "1", ranks;
  bool json = false;
};

void add_cost(Json& json, const StencilCost& c) {
  json["max_words_received"] = c.words.value;
  json["messages"] = c.messages.value;
  json["synchronisations"] = c.synchronisations;
  json["stages"] = c.stages;
  json["updates"] = c.updates;
  json["memory_words"] = c.memory.value;
  json["memory_traffic_words"] = c.memory_traffic.value;
  json["predicted_seconds"] = c.seconds;
}

Json to_json(const StencilPlanRequest& r, const StencilPlanReport& report, std::int64_t flops) {
  Json json = {{"ranks", r.ranks}, {"steps", r.steps}};
  json["memory"] = r.memory ? Json(r.memory->value) : Json(nullptr);
  add_decomposition(json, r.program, report.decomposition);
  add_cost(json, report.cost);
  json["flops"] = flops * report.cost.updates;
  json["alternatives"] = Json::array();
  for (const StencilAlternative& a : report.alternatives) {
    Json one;
    add_decomposition(one, r.program, a.decomposition);
    add_cost(one, a.cost);
    one["flops"] = flops * a.cost.updates;
    json["alternatives"].push_back(one);
  }
  return json;
}

void print(const StencilPlanRequest& r, const StencilPlanReport& report, const std::string& title) {
  fmt::print("{}\n", bold(fmt::format("{}, {} steps on {} ranks: {}", title, r.steps, r.ranks,
                                      report.decomposition.name())));
  fmt::print("  predicted         {:.3g} s on machine {}\n", report.cost.seconds, r.machine.name);
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

int plan(const Options& options) {
  if (!options.mesh.given()) throw Error("plan stencil", "no mesh", "give -n 512");
  std::vector<StencilPlanRequest> requests;
  std::vector<StencilPlanReport> reports;
  for (const std::int64_t p : numbers("-p", options.ranks)) {
    StencilPlanRequest r = options.way.request();
    r.program = options.mesh.program();
    r.steps = whole_number("--steps", options.steps);
    r.ranks = rank_count(p);
    reports.push_back(plan_stencil(r));
    requests.push_back(r);
  }
  if (reports.empty()) {
    throw Error("-p " + options.ranks, "no rank count", "give -p 8 or -p 7,8,13");
  }
  Json json = Json::array();
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (options.json) {
      json.push_back(to_json(requests[i], reports[i], flops_per_update(requests[i].program)));
    } else {
      print(requests[i], reports[i], options.mesh.title());
    }
  }
  if (options.json) print_json(reports.size() == 1 ? json[0] : json);
  return 0;
}

}  // namespace

void add_plan_stencil(CLI::App& command, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* stencil = command.add_subcommand(
      "stencil", "Time steps of a star or box on a mesh: halos, trapezoids or blocks");
  options->mesh.add_to(*stencil);
  stencil->add_option("--steps", options->steps, "Time steps")->capture_default_str();
  options->way.add_to(*stencil);
  stencil->add_option("-p", options->ranks, "Ranks; several as 7,8,13")->required();
  stencil->add_flag("--json", options->json, "Print JSON (an array for several rank counts)");
  stencil->footer("Example:\n  redblue plan stencil -d 2 -n 512 --radius 1 --box --steps 64 -p 16");
  stencil->callback([options, &action] { action = [options] { return plan(*options); }; });
}

}  // namespace redblue::cli
