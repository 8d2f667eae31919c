// SPDX-License-Identifier: BSD-3-Clause
// redblue bound: lower bounds of a C loop nest.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "cli/analysis/by_memory.hpp"
#include "cli/analysis/schedule.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "json/bounds.hpp"
#include "json/schedules.hpp"
#include "redblue/analysis.hpp"
#include "redblue/einsum.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

std::string title(const LowerBound& bound) {
  const std::string name =
      bound.statement.empty() ? bound.method : bound.method + " on " + bound.statement;
  return name + (bound.recomputation ? "" : ", each value computed once");
}

// "for M >= N", or "for all sizes"; the second where the formula is a bound whatever the sizes.
std::string range_of(const std::string& holds_for) {
  return "for " + (holds_for.empty() ? "all sizes" : holds_for);
}

namespace {

using SizeMap = std::map<std::string, std::int64_t>;

// Whether the formula is for one order of the parameters among several, say.
bool is_one_of_several(const LowerBound& bound) {
  return std::any_of(bound.holds_where.begin(), bound.holds_where.end(),
                     [](const auto& c) { return !c.right.names().empty(); });
}

void print_details(const LowerBound& bound, const SizeMap& sizes) {
  if (bound.value) {
    fmt::print("  at these sizes  {} words{}\n", grouped(*bound.value),
               bound.holds_at(sizes) ? "" : ", which the formula does not claim");
  } else if (is_one_of_several(bound)) {
    fmt::print("  other sizes     --set, --small or --assume give the formula for them\n");
  }
  if (!bound.intensity.empty()) {
    fmt::print("  intensity       {} vertices per word\n", bound.intensity.text());
  }
  if (!bound.segment.empty()) {
    std::string tiles;
    for (const auto& [loop, size] : bound.tiles)
      tiles += (tiles.empty() ? "" : ", ") + loop + " " + size.text();
    fmt::print("  {:<14}  {}(X_0 = {})\n", tiles.empty() ? "segments" : "tiles",
               tiles.empty() ? "" : tiles + "  ", bound.segment.text());
  }
  for (const Condition& c : bound.ledger)
    fmt::print("  {:<8}        {}\n", json::status_name(c.status), c.condition);
}

// What the busiest moves where all parameters are large.
double busiest_far_out(const BoundReport& report, const LowerBound& bound,
                       std::int64_t processors) {
  constexpr double large = 1 << 20;
  std::map<std::string, double> values = {{"p", static_cast<double>(processors)}};
  for (const std::string& parameter : report.parameters) values[parameter] = large;
  return bound.busiest.at(values);
}

// Of processors with S words each, one moves at least its part of what all of them move.
void print_part(const LowerBound& best, std::int64_t processors) {
  if (processors == 1) return;
  fmt::print("{}\n", bold(fmt::format("memory S each: the busiest of {} processors moves at least "
                                      "({})/{} words   {}",
                                      processors, best.expression.text(), processors,
                                      range_of(best.holds_for))));
  if (best.value)
    fmt::print("  at these sizes  {} words\n",
               grouped(std::ceil(*best.value / static_cast<double>(processors))));
}

// That processors may receive nothing, and why.
void print_separate_parts(const BoundReport& report) {
  if (report.separate_parts.empty()) return;
  fmt::print("{}\n",
             bold("any memory: processors can share the work so that none receives anything"));
  for (const SeparateParts& one : report.separate_parts) {
    fmt::print("  up to           {} processors{}   {}\n", one.parts.text(),
               one.value ? " (" + grouped(*one.value) + ")" : "", range_of(one.holds_for));
    fmt::print(
        "  because         no chain of reads connects instances of {0} with different {1}: each "
        "{1} goes to one processor{2}\n",
        one.statement, one.loop, one.alike ? ", and all are as much work" : "");
  }
}

// Of the processors that share the work, whatever their memory; the strongest bound says it.
void print_busiest(const BoundReport& report, std::int64_t processors) {
  const LowerBound* most = nullptr;
  double words = 0;
  for (const LowerBound& bound : report.bounds) {
    if (bound.busiest.empty() || !bound.proved()) continue;
    const double here =
        bound.busiest_value ? *bound.busiest_value : busiest_far_out(report, bound, processors);
    if (here <= words) continue;
    words = here;
    most = &bound;
  }
  if (most == nullptr || processors == 1) return;
  fmt::print("{}\n", bold("any memory: the busiest of p processors receives or sends " +
                          most->busiest.text() + " words   " + range_of(most->busiest_holds_for)));
  if (most->busiest_value)
    fmt::print("  for p = {:<8}  {} words\n", processors, grouped(*most->busiest_value));
  fmt::print("  {:<8}        {}\n", "if", most->busiest_provided);
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// Outputs and dead arrays, those for one reason on one line.
void print(const std::vector<FinalValues>& all) {
  std::map<std::pair<bool, std::string>, std::vector<std::string>> outputs, dead;
  for (const FinalValues& f : all) {
    auto& group = f.output ? outputs : dead;
    group[{f.why.starts_with("--"), f.why}].push_back(f.output ? f.elements : f.array);
  }
  if (outputs.empty()) fmt::print("  outputs         none\n");
  for (const auto& [reason, names] : outputs)
    fmt::print("  outputs         {}   ({})\n", list(names), reason.second);
  for (const auto& [reason, names] : dead)
    fmt::print("  dead            {}: final values need not be stored   ({})\n", list(names),
               reason.second);
}

std::string headline(const LowerBound& bound, const std::string& assumptions) {
  return "Q >= " + bound.expression.text() + "   " + range_of(bound.holds_for) + "   (" +
         title(bound) + ", " + assumptions + ")";
}

std::string machine(std::int64_t memories) {
  return memories == 1 ? "a fast memory of S words"
                       : std::to_string(memories) + " fast memories of S words together";
}

void print(const BoundReport& report, const SizeMap& sizes, std::int64_t memories) {
  fmt::print("{}\n",
             bold("Lower bound of " + report.program + ": loads + stores of " + machine(memories)));
  for (const StatementInfo& s : report.statements)
    fmt::print("  {:<3} {}   x {}{}\n", s.name, s.text, s.count.text(),
               s.count_holds_for.empty() ? "" : "   for " + s.count_holds_for);
  print(report.final_values);
  fmt::print("  computed        {}\n", what_is_computed);
  for (const std::string& what : report.taken) fmt::print("  taken           {}\n", what);
  for (const std::string& condition : report.assume)
    fmt::print("  of the sizes    {}\n", condition);
  const LowerBound& best = report.bounds[report.best];
  fmt::print("{}\n", bold(headline(best, "nothing assumed")));
  print_details(best, sizes);
  if (report.best_assumed != report.best) {
    const LowerBound& assumed = report.bounds[report.best_assumed];
    fmt::print("{}\n", bold(headline(assumed, "if what is assumed holds")));
    print_details(assumed, sizes);
  }
  for (std::size_t b = 0; b < report.bounds.size(); ++b) {
    if (b == report.best || b == report.best_assumed) continue;
    const LowerBound& other = report.bounds[b];
    const std::string value = other.value ? " = " + grouped(*other.value) : "";
    if (!value.empty() && *other.value == 0) continue;  // says nothing at these sizes
    fmt::print("  weaker          {}{}   ({}{})\n",
               other.leading.text() + (value.empty() ? " + .." : ""), value, title(other),
               other.proved() ? "" : ", with assumptions");
  }
  for (const GaveUp& g : report.gave_up)
    fmt::print("  gave up         {}{}: {}\n", g.method,
               g.statement.empty() ? "" : " on " + g.statement, g.reason);
}

Gap searched_gap(const BoundRequest& request, const BoundReport& report) {
  Progress progress("searching a tiled schedule");
  ScheduleRequest search;
  search.program = request;
  search.progress = progress.callback();
  TiledSchedule schedule = tiled_schedule(search);
  return gap_of(report, schedule);
}

struct Options {
  BoundRequest request;
  FinalValueOptions final_values;
  std::string set, small, units = "1", plot;
  bool json = false, gap = false, by_memory = false;
};

void check_plot(const Options& options) {
  const std::string asked = "--plot " + options.plot;
  if (!options.by_memory) throw Error(asked, "no --by-memory, which it draws", "give both");
  if (!options.plot.ends_with(".svg"))
    throw Error(asked, "a picture of another kind", "name a file that ends in .svg");
}

int bound(Options& options, const std::vector<std::string>& compiler_flags) {
  if (options.request.file.empty() == options.request.einsum.empty()) {
    throw Error("redblue bound", "neither or both of a file and --einsum", "give one of them");
  }
  options.request.flags = compiler_flags;
  options.request.sizes = sizes(options.set);
  options.request.small = names(options.small);
  options.final_values.put_into(options.request);
  options.request.units = whole_number("-p", options.units);
  if (!options.plot.empty()) check_plot(options);
  if (options.gap) check_schedule(options.request);
  const BoundedProgram program(options.request);
  const BoundReport report = program.at(options.request.sizes, options.request.units);
  note_missing(options.request.sizes, program.parameters(), options.by_memory);
  std::vector<std::string> hints;
  if (!options.request.einsum.empty()) hints = einsum_hints(options.request.einsum);
  std::vector<MemoryRange> pieces;
  if (options.by_memory) pieces = by_memory(program, options.request);
  std::optional<MemoryPicture> picture;
  if (!options.plot.empty()) {
    picture = memory_picture(program, options.request, report, pieces);
    write_file(options.plot, memory_plot(*picture));
  }
  std::optional<Gap> gap;
  if (options.gap) gap = searched_gap(options.request, report);
  if (options.json) {
    Json json = json::to_json(report);
    json["hints"] = hints;
    if (gap) json["gap"] = json::to_json(*gap);
    if (!pieces.empty()) json["by_memory"] = Json::array();
    for (const MemoryRange& piece : pieces) json["by_memory"].push_back(json::to_json(piece));
    if (picture) json["plot"] = cli::to_json(*picture);
    print_json(json);
  } else {
    print(report, options.request.sizes, options.request.units);
    for (const std::string& hint : hints) fmt::print("  hint            {}\n", hint);
    print_part(report.bounds[report.best], options.request.units);
    print_busiest(report, options.request.units);
    print_separate_parts(report);
    if (!pieces.empty()) cli::print(pieces);
    if (picture) cli::print(*picture);
    if (gap) cli::print(*gap);
  }
  return 0;
}

}  // namespace

void add_bound(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "bound",
      "Derive data-movement lower bounds from C, C++, Fortran or Python source or an einsum");
  command->add_option(
      "file", options->request.file,
      "C, C++, Fortran or Python file, or LLVM IR, with a #pragma scop region or one function");
  command->add_option("--einsum", options->request.einsum,
                      "Einstein summations and layers instead of a file: ij,jk->ik");
  command->add_option("--function", options->request.function, "The function to read");
  command->add_option("--set", options->set, "Sizes for values: NI=1000,NJ=1000,NK=1000,S=1024");
  command->add_option("--small", options->small,
                      "Parameters that stay small while the others grow: R,Q");
  command->add_option("--assume", options->request.assume,
                      "What is known of the parameters, as often as needed: 'M >= N'");
  options->final_values.add_to(*command);
  command->add_option("-p,--processors", options->units,
                      "Fast memories of S words that share the work; bounds count all together");
  command->add_flag("--gap", options->gap,
                    "Search a schedule, too, and print how far it is from the bound");
  command->add_flag("--by-memory", options->by_memory,
                    "The strongest bound piece by piece in S, at sizes for all but S");
  command->add_option("--plot", options->plot,
                      "With --by-memory: draw all bounds, and schedules, over S as SVG");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Compiler flags (-I, -D) go after --.\n\nExample:\n"
      "  redblue bound kernels/gemm.c --set NI=1000,NJ=1000,NK=1000,S=1024\n"
      "  redblue bound kernels/gramschmidt.c --set M=200,N=100 --by-memory\n"
      "  redblue bound kernels/gemm.c --set NI=15,NJ=15,NK=15 --by-memory --plot gemm.svg\n"
      "  redblue bound kernels/2mm.c --scratch E\n"
      "  redblue bound --einsum 'ijk,jr,kr->ir'\n"
      "  redblue bound --einsum 'Z = attention(Q:hlp, K:hmp, V:hmp); layernorm(Z:hlp, p)'");
  command->callback([options, &action, &compiler_flags] {
    action = [options, &compiler_flags] { return bound(*options, compiler_flags); };
  });
}

}  // namespace redblue::cli
