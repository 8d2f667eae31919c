// SPDX-License-Identifier: BSD-3-Clause
// redblue tradeoff: products of operations, words and synchronisations that no schedule undercuts.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/analysis/tradeoff_plot.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "redblue/error.hpp"
#include "redblue/tradeoff.hpp"

namespace redblue::cli {

namespace {

struct Options {
  TradeoffRequest request;
  std::string set, plot, balance = "2";
  bool json = false;
};

// A graph file, or a generator: "trsv:16".
bool is_graph(const std::string& text) {
  const std::string extension = std::filesystem::path(text).extension();
  if (extension == ".dot" || extension == ".gv" || extension == ".edges" || extension == ".hdag")
    return true;
  return text.find(':') != std::string::npos && !std::filesystem::exists(text);
}

double number(const std::string& what, const std::string& text) {
  try {
    std::size_t end = 0;
    const double value = std::stod(text, &end);
    if (end == text.size()) return value;
  } catch (const std::exception&) {  // said below
  }
  throw Error(what + " " + text, "it is no number", "give one like 2 or 16");
}

TradeoffReport report_for(Options& options, const std::vector<std::string>& compiler_flags) {
  BoundRequest& program = options.request.program;
  if (program.file.empty() == program.einsum.empty()) {
    throw Error("redblue tradeoff", "neither or both of a file and --einsum", "give one of them");
  }
  if (is_graph(program.file)) {
    if (!options.set.empty())
      throw Error("--set with a graph", "its sizes are part of its name", "leave --set out");
    TradeoffReport report = cdag::tradeoffs(cdag::make_graph(program.file));
    report.program = program.file;
    return report;
  }
  program.flags = compiler_flags;
  program.sizes = sizes(options.set);
  options.request.balance = number("--balance", options.balance);
  return tradeoffs(options.request);
}

std::string interval_of(const TradeoffReport& report) {
  using Interval = TradeoffReport::Interval;
  const std::string text = report.interval.text();
  return report.interval_is == Interval::leading   ? text + " + lower terms"
         : report.interval_is == Interval::longest ? text + " for b = " + report.length.text()
                                                   : text;
}

Json to_json(const TradeoffProduct& product) {
  Json json = {{"name", product.name},
               {"formula", product.formula},
               {"constant", product.constant ? Json(*product.constant) : Json(nullptr)},
               {"value", product.value ? Json(*product.value) : Json(nullptr)}};
  json["ledger"] = Json::array();
  for (const Condition& c : product.ledger) {
    json["ledger"].push_back(
        {{"condition", c.condition},
         {"status", c.status == Condition::Status::proved ? "proved" : "assumed"}});
  }
  json["curve"] = Json::array();
  for (const auto& [s, least] : product.curve)
    json["curve"].push_back({{"S", s}, {"least", least}});
  return json;
}

Json to_json(const TradeoffReport& report) {
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
  };
  Json json = {{"program", report.program},
               {"parameters", report.parameters},
               {"chain", text_or_null(report.chain)},
               {"length", text_or_null(report.length.text())},
               {"interval", text_or_null(interval_of(report))},
               {"why_none", text_or_null(report.why_none)},
               {"products", Json::array()}};
  for (const TradeoffProduct& product : report.products)
    json["products"].push_back(to_json(product));
  return json;
}

void print(const TradeoffReport& report) {
  fmt::print("{}\n", bold("Trade-offs of " + report.program +
                          ": computed (F), sent and received (W), synchronisations (S) on one "
                          "path"));
  if (!report.chain.empty()) {
    fmt::print("  chain           {}, {} vertices\n", report.chain, report.length.text());
    fmt::print("  interval        {} vertices between two of the chain b - 1 steps apart\n",
               interval_of(report));
  }
  if (!report.why_none.empty()) fmt::print("  no products     {}\n", report.why_none);
  for (const TradeoffProduct& product : report.products) {
    fmt::print("{}\n", bold(product.formula));
    if (product.constant) {
      fmt::print("  constant        {:.6g}\n", *product.constant);
    } else if (!product.value) {
      fmt::print("  constant        none is proved\n");
    }
    if (product.value) {
      const std::string left = product.formula.substr(0, product.formula.find(" >= "));
      fmt::print("  at these sizes  {} >= {}\n", left, grouped(*product.value));
    }
    for (const Condition& c : product.ledger)
      fmt::print("  {:<8}        {}\n",
                 c.status == Condition::Status::proved ? "proved" : "assumed", c.condition);
  }
}

void plot(const TradeoffReport& report, const std::string& path) {
  std::vector<TradeoffProduct> drawn = report.products;
  std::erase_if(drawn, [](const TradeoffProduct& p) { return p.curve.size() < 2; });
  if (drawn.empty()) {
    throw Error("--plot " + path, "no product has a curve",
                report.why_none.empty() ? "give all sizes with --set" : "");
  }
  write_file(path, tradeoff_plot("Trade-offs of " + report.program, drawn));
}

}  // namespace

void add_tradeoff(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "tradeoff",
      "Derive products of operations, words and synchronisations no schedule undercuts");
  command->add_option("file", options->request.program.file,
                      "C or Python source, or a graph as `redblue pebble` takes it: trsv:16");
  command->add_option("--einsum", options->request.program.einsum,
                      "Einstein summations and layers instead of a file: ij,jk->ik");
  command->add_option("--function", options->request.program.function, "The function to read");
  command->add_option("--set", options->set, "Sizes for values: N=1000");
  command->add_option("--balance", options->balance,
                      "Words: no processor computes more than one part in so many (2)");
  command->add_option("--plot", options->plot, "Draw least F and W against S into this SVG file");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Compiler flags (-I, -D) go after --.\n\nExample:\n"
      "  redblue tradeoff kernels/trisolv.c --set N=64\n"
      "  redblue tradeoff kernels/cholesky.c --set N=4096 --balance 64 --plot cholesky.svg\n"
      "  redblue tradeoff trsv:16");
  command->callback([options, &action, &compiler_flags] {
    action = [options, &compiler_flags] {
      const TradeoffReport report = report_for(*options, compiler_flags);
      note_missing(options->request.program.sizes, report.parameters, true);
      if (!options->plot.empty()) plot(report, options->plot);
      if (options->json) {
        print_json(to_json(report));
      } else {
        print(report);
      }
      return 0;
    };
  });
}

}  // namespace redblue::cli
