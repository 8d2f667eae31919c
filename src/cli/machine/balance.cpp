// SPDX-License-Identifier: BSD-3-Clause
// redblue balance: at which memory level a program must be bandwidth-bound.
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <tuple>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "redblue/analysis.hpp"
#include "redblue/counting.hpp"
#include "redblue/error.hpp"
#include "redblue/machine.hpp"
#include "redblue/pebble.hpp"

namespace redblue::cli {

namespace {

struct Options {
  BoundRequest request;
  std::string set, machine, flops, at_most, network;
  bool json = false;
};

std::string program_name(const BoundRequest& request) {
  return request.einsum.empty() ? request.file : request.einsum;
}

std::map<std::string, double> values_of(const BoundRequest& request) {
  std::map<std::string, double> values;
  for (const auto& [name, value] : request.sizes) values[name] = static_cast<double>(value);
  return values;
}

// Of a formula that the user gave, in these names.
double value_of(const std::string& formula, const std::map<std::string, double>& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return Formula(formula, names).at(values);
}

// Instances of all statements at the given sizes.
double instances(const BoundedProgram& program, const BoundRequest& request) {
  double sum = 0;
  for (const StatementInfo& s : program.at(request.sizes).statements)
    sum += s.count.at(values_of(request));
  return sum;
}

// Loads + stores of a schedule of the explicit graph, where that is small.
std::optional<double> replayed(const BoundRequest& request, double vertices, std::int64_t words) {
  if (vertices > 2e6) return std::nullopt;
  const cdag::Graph graph = cdag::source_graph(request);
  if (words <= graph.most_operands()) return std::nullopt;
  cdag::ScheduleSearch search;
  search.seconds = std::numeric_limits<double>::infinity();
  search.vertices = 20'000'000;  // some seconds
  return static_cast<double>(cdag::good_schedule(graph, words, search).cost.moved());
}

struct Flops {
  double number = 0;
  std::string source;  // "given", "counted", "statements"
};

// Floating-point operations of a C file at the given sizes, as counting has them; nullopt where
// it has no number or none at all.
std::optional<double> counted_flops(const BoundRequest& request) {
  if (request.file.empty() || request.file.ends_with(".py")) return std::nullopt;
  CountRequest counted;
  counted.file = request.file;
  counted.function = request.function;
  counted.flags = request.flags;
  counted.sizes = request.sizes;
  double sum = 0;
  for (const auto& [type, flops] : count(counted).operations.flops) {
    if (!flops.exact || !flops.upper_value) return std::nullopt;
    sum += std::stod(*flops.upper_value);
  }
  return sum > 0 ? std::optional(sum) : std::nullopt;
}

Flops flops_of(const Options& o, double instances) {
  if (!o.flops.empty()) return {value_of(o.flops, values_of(o.request)), "given"};
  if (const auto counted = counted_flops(o.request)) return {*counted, "counted"};
  return {instances, "statements"};
}

// With where the FLOPs come from.
std::pair<ProgramTraffic, std::string> traffic_of(const Options& o) {
  const BoundRequest& request = o.request;
  const auto program = std::make_shared<const BoundedProgram>(request);
  const double vertices = instances(*program, request);
  ProgramTraffic traffic;
  const Flops flops = flops_of(o, vertices);
  traffic.flops = flops.number;
  if (!(traffic.flops > 0)) throw Error("--flops " + o.flops, "no FLOPs at these sizes", "");
  const auto bounds_at = [program, sizes = request.sizes](std::int64_t words, std::int64_t units) {
    auto here = sizes;
    here["S"] = words;
    return program->at(here, units);
  };
  traffic.at_least = [bounds_at](std::int64_t words, std::int64_t units) {
    const BoundReport report = bounds_at(words, units);
    return report.bounds[report.best].value.value_or(0);
  };
  // An execution whose data start in the nodes' memories is one of the game with a slow memory that
  // first loads what they hold, `words` each, and then loads what it receives (stored before by the
  // sender, as often as one likes). So what bounds loads alone bounds what is received, once the
  // first loads are taken off. Segments of X - S loads do; compulsory traffic and wavefronts do not
  // tell whether a value comes from another node or from the same.
  traffic.network_at_least = [bounds_at](std::int64_t words, std::int64_t units) {
    const double at_first = static_cast<double>(words) * static_cast<double>(units);
    double most = 0;
    for (const LowerBound& b : bounds_at(words, units).bounds) {
      if (!b.proved() || b.method != "projection" || b.segment.empty()) continue;
      most = std::max(most, b.value.value_or(0) - b.stores_value - at_first);
    }
    return most;
  };
  traffic.at_most = [request, o, vertices](std::int64_t words) -> std::optional<double> {
    if (o.at_most.empty()) return replayed(request, vertices, words);
    auto values = values_of(request);
    values["S"] = static_cast<double>(words);
    return value_of(o.at_most, values);
  };
  traffic.network_at_most = [request, o](std::int64_t units) -> std::optional<double> {
    if (o.network.empty()) return std::nullopt;
    auto values = values_of(request);
    values["units"] = static_cast<double>(units);
    return value_of(o.network, values);
  };
  return {traffic, flops.source};
}

std::string name_of(LevelBalance::Verdict verdict) {
  switch (verdict) {
    case LevelBalance::Verdict::bound:
      return "must be bandwidth-bound";
    case LevelBalance::Verdict::free:
      return "need not be bandwidth-bound";
    case LevelBalance::Verdict::undecided:
      return "undecided";
  }
  return "";
}

void print_json_of(const Options& o, const Machine& machine, const ProgramTraffic& traffic,
                   const std::string& flops_from, const std::vector<LevelBalance>& levels) {
  Json json = {{"program", program_name(o.request)},
               {"machine", machine.name},
               {"flops", traffic.flops},
               {"flops_from", flops_from}};
  json["levels"] = Json::array();
  for (const LevelBalance& l : levels) {
    json["levels"].push_back(
        {{"level", l.level},
         {"machine_words_per_flop", l.machine},
         {"at_least_words_per_flop", l.at_least},
         {"at_most_words_per_flop", l.at_most ? Json(*l.at_most) : Json(nullptr)},
         {"verdict", name_of(l.verdict)}});
  }
  print_json(json);
}

int judge(Options& o) {
  if (o.request.file.empty() == o.request.einsum.empty()) {
    throw Error("redblue balance", "neither or both of a file and --einsum", "give one of them");
  }
  o.request.sizes = sizes(o.set);
  if (o.request.sizes.erase("S") > 0) {
    throw Error("--set S", "the machine file says how large each memory is", "leave S out");
  }
  const Machine machine = read_machine(o.machine);
  ProgramTraffic traffic;
  std::string flops_from;
  std::vector<LevelBalance> levels;
  {
    const Progress progress("deriving bounds for each level");
    std::tie(traffic, flops_from) = traffic_of(o);
    levels = balance(machine, traffic);
  }
  if (o.json) {
    print_json_of(o, machine, traffic, flops_from, levels);
    return 0;
  }
  fmt::print("{}\n", bold("Balance of " + program_name(o.request) + " on " + machine.name +
                          ", in words per FLOP"));
  const std::map<std::string, std::string> sources{
      {"given", ""},
      {"counted", ", counted in the file (redblue count)"},
      {"statements", ", one per statement instance (assumed; --flops says otherwise)"}};
  fmt::print("  FLOPs           {:.4g}{}\n", traffic.flops, sources.at(flops_from));
  fmt::print("  {:<36} {:>9} {:>9} {:>9}\n", "", "machine", "at least", "at most");
  for (const LevelBalance& l : levels) {
    fmt::print("  {:<36} {:>9.4g} {:>9.4g} {:>9}  {}\n", l.level, l.machine, l.at_least,
               l.at_most ? fmt::format("{:.4g}", *l.at_most) : "unknown", name_of(l.verdict));
  }
  fmt::print(
      "  proved          no execution needs less than 'at least'\n"
      "  assumed         'at most' is of a schedule whose work is spread evenly\n");
  return 0;
}

}  // namespace

void add_balance(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags) {
  const auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "balance", "At which memory level a program must be bandwidth-bound, and where not");
  command->add_option("file", o->request.file, "C or Python file");
  command->add_option("--einsum", o->request.einsum,
                      "Einstein summations and layers instead of a file: ij,jk->ik");
  command->add_option("--function", o->request.function, "The function to read");
  command->add_option("--set", o->set, "Sizes of all parameters: N=10000,T=100")->required();
  command->add_option("--machine", o->machine, "Machine file with [[level]] tables")->required();
  command->add_option("--flops", o->flops,
                      "FLOPs as a formula: 20*N^3*T (default: those counted in a C file)");
  command->add_option("--at-most", o->at_most,
                      "Words a schedule moves through a fast memory of S words, as a formula "
                      "(default: a replayed schedule up to 2,000,000 instances)");
  command->add_option("--network", o->network,
                      "Words the busiest of `units` nodes receives at most, as a formula");
  command->add_flag("--json", o->json, "Print JSON");
  command->footer(
      "Compiler flags go after --.\n\nExample:\n"
      "  redblue balance kernels/cg-3d.c --set N=10000,T=100 --machine machines/ibm-bgq.toml \\\n"
      "    --flops '20*N^3*T' --network '6*(N/units^(1/3))^2*T'");
  command->callback([o, &action, &compiler_flags] {
    action = [o, &compiler_flags] {
      o->request.flags = compiler_flags;
      return judge(*o);
    };
  });
}

}  // namespace redblue::cli
