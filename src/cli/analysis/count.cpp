// SPDX-License-Identifier: BSD-3-Clause
// redblue count: how often everything in a program runs.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "cli/analysis/count_plot.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "json/counts.hpp"
#include "redblue/counting.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

namespace {

struct Options {
  CountRequest request;
  std::string set, plot;
  std::vector<std::string> check;
  bool json = false;
};

std::string value(const Count& count) {
  if (!count.lower_value && !count.upper_value) return "";
  const std::string low = count.lower_value.value_or("?"), high = count.upper_value.value_or("?");
  return "   = " + (low == high ? low : low + " .. " + high);
}

std::string formula(const Count& count) {
  return count.exact ? count.lower.text() : count.lower.text() + " .. " + count.upper.text();
}

std::string place_of(const CountedPlace& place) {
  return place.function + " " + place.file + ":" + std::to_string(place.line);
}

void print(const std::string& what, const std::map<std::string, Count>& by_type) {
  for (const auto& [type, count] : by_type) {
    fmt::print("  {:<28} {}{}\n", what + " of " + type, formula(count), value(count));
  }
}

void print(const CountReport& report) {
  fmt::print("{}\n", bold("How often the loops of " + report.program + " run"));
  for (const CountedPlace& loop : report.loops) {
    fmt::print("  {:<28} {:<8} {}{}\n", place_of(loop), loop.name, formula(loop.count),
               value(loop.count));
  }
  if (report.loops.empty()) fmt::print("  there are none\n");
  for (const Unknown& u : report.unknowns) {
    fmt::print("  {:<28} {:<8} {}{}\n", u.function + " " + u.file + ":" + std::to_string(u.line),
               u.name, u.meaning, u.at_most.empty() ? "" : ", at most " + u.at_most.text());
  }
  fmt::print("{}\n", bold(report.parallel ? "The busiest process and all of them" : "Together"));
  fmt::print("  {:<28} {}{}\n", "iterations", report.formula, value(report.total));
  fmt::print("  {:<28} {}{}\n", "work", formula(report.work), value(report.work));
  if (report.parallel) {
    fmt::print("  {:<28} {}\n", "depth", json::text_of(report.depth, report.infinite_depth));
    const std::string at_p =
        report.efficiency_value ? fmt::format("   = {:.3f}", *report.efficiency_value) : "";
    fmt::print("  {:<28} {}{}\n", "efficiency", json::text_of(report.efficiency), at_p);
    const std::string most =
        report.parallelism_value ? "   = " + std::to_string(*report.parallelism_value) : "";
    fmt::print("  {:<28} {}{}\n", "largest useful p", json::text_of(report.parallelism), most);
  }
  print("operations", report.operations.flops);
  print("loads", report.operations.loads);
  print("stores", report.operations.stores);
  for (const Condition& c : report.ledger) {
    fmt::print("  {:<8}  {}\n", c.status == Condition::Status::proved ? "proved" : "assumed",
               c.condition);
  }
}

using Sizes = std::vector<std::pair<std::string, std::int64_t>>;

// "n=10,m=5" in its order, which is that of a program's arguments.
Sizes ordered_sizes(const std::string& text) {
  const std::map<std::string, std::int64_t> values = sizes(text);
  Sizes ordered;
  for (const std::string& item : names(text)) {
    const std::string name = item.substr(0, item.find('='));
    ordered.emplace_back(name, values.at(name));
  }
  return ordered;
}

std::string verdict_name(const CheckedLoop& loop) {
  switch (loop.verdict) {
    case CheckedLoop::Verdict::equal:
      return "equal";
    case CheckedLoop::Verdict::within:
      return "within";
    case CheckedLoop::Verdict::equal_measured:
      return "equal, u measured";
    case CheckedLoop::Verdict::within_measured:
      return "within, u measured";
    case CheckedLoop::Verdict::wrong:
      return "WRONG";
    default:
      return "not compared";
  }
}

Json to_json(const std::string& at, const CountCheck& check) {
  Json json = {{"sizes", at}, {"passed", check.passed()}, {"loops", Json::array()}};
  for (const CheckedLoop& loop : check.loops) {
    Json one = json::to_json(loop.place);
    one["ran"] = loop.ran;
    one["verdict"] = verdict_name(loop);
    json["loops"].push_back(one);
  }
  return json;
}

void print(const std::string& at, const CountCheck& check) {
  fmt::print("{}\n", bold("Counted and run at " + (at.empty() ? "no sizes" : at)));
  for (const CheckedLoop& loop : check.loops) {
    fmt::print("  {:<28} {:<8} {:<14} {}{}   ran {}\n", place_of(loop.place), loop.place.name,
               verdict_name(loop), formula(loop.place.count), value(loop.place.count), loop.ran);
  }
}

int check(const Options& options) {
  bool passed = true;
  Json all = Json::array();
  for (const std::string& at : options.check) {
    const CountCheck result = check_counts(options.request, ordered_sizes(at));
    passed = passed && result.passed();
    if (options.json) {
      all.push_back(to_json(at, result));
    } else {
      print(at, result);
    }
  }
  if (options.json) print_json(all);
  return passed ? 0 : 1;
}

// A picture for the sizes given: efficiency from its formula, speedup from that.
void write_plot(const Options& options, const CountReport& report) {
  if (report.efficiency.empty()) {
    throw Error("--plot",
                "how " + report.program + " shares its work is " +
                    (report.parallel ? "not known" : "not said: it runs alone"),
                "plot programs with OpenMP loops or ranks of MPI whose busiest one is known");
  }
  if (!options.plot.ends_with(".svg"))
    throw Error(options.plot, "pictures are SVG", "give a name that ends in .svg");
  std::map<std::string, double> values;
  for (const auto& [name, size] : options.request.sizes) values[name] = static_cast<double>(size);
  for (const std::string& name : report.efficiency.names()) {
    if (name != "p" && !values.contains(name))
      throw Error("--plot", "no size of " + name, "give it: --set " + name + "=100");
  }
  constexpr std::int64_t least = 16, most = 1 << 20;
  const std::int64_t useful = report.parallelism_value.value_or(0);
  std::vector<EfficiencyPoint> points;
  for (const std::int64_t p :
       plotted_processes(std::clamp(4 * std::min(useful, most), least, most))) {
    values["p"] = static_cast<double>(p);
    points.push_back({p, report.efficiency.at(values)});
  }
  write_file(options.plot,
             efficiency_plot("Speedup and efficiency of " + report.program, points, useful));
}

}  // namespace

void add_count(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "count", "Count how often loops run: work, depth, operations of C, C++ and Fortran");
  command->add_option("file", options->request.file, "A source file, or LLVM IR (.ll, .bc)")
      ->required();
  command->add_option("--function", options->request.function,
                      "The function to count; else main, or the only one that no other calls");
  command->add_option("--set", options->set, "Sizes for values: n=1000,p=4,u1=10");
  command->add_option("--assume", options->request.assumptions,
                      "What you know, once for each: 'u1 <= 100', 'n % p = 0'");
  command->add_option("--size", options->request.size_name,
                      "What a program with pthread_create calls the number of its threads: p");
  command->add_option("--rank", options->request.rank_name,
                      "What its threads call their own number, 0 .. p - 1 (id; a_id for a->id)");
  command->add_option("--check", options->check,
                      "Run it at these sizes, too, and compare; once for each: n=100,m=7");
  command->add_option("--plot", options->plot,
                      "Draw speedup and efficiency against p at the sizes of --set (.svg)");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Compiler flags (-I, -D, -fopenmp) go after --.\n\nExample:\n"
      "  redblue count kernels/gemm.c --set NI=100,NJ=100,NK=100\n"
      "  redblue count kernels/lu.c --check N=20 --check N=33\n"
      "  redblue count tests/counting/sources/threads.c --function shared --set n=100,m=50 --plot "
      "e.svg -- -fopenmp");
  command->callback([options, &action, &compiler_flags] {
    action = [options, &compiler_flags] {
      options->request.flags = compiler_flags;
      options->request.sizes = sizes(options->set);
      if (!options->check.empty()) return check(*options);
      const CountReport report = count(options->request);
      if (!options->plot.empty()) write_plot(*options, report);
      if (options->json) {
        print_json(json::to_json(report));
      } else {
        print(report);
      }
      return 0;
    };
  });
}

}  // namespace redblue::cli
