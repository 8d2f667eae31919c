// SPDX-License-Identifier: BSD-3-Clause
// redblue explain: the derivation of a bound.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "json/bounds.hpp"
#include "redblue/analysis.hpp"
#include "redblue/cdag.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

namespace {

struct Options {
  BoundRequest request;
  FinalValueOptions final_values;
  std::string set, small, statement, output, graph;
  bool assumed = false, markdown = false, json = false;
};

int explain(const Options& options, const std::vector<std::string>& compiler_flags) {
  BoundRequest request = options.request;
  if (request.file.empty() == request.einsum.empty()) {
    throw Error("redblue explain", "neither or both of a file and --einsum", "give one of them");
  }
  request.flags = compiler_flags;
  request.sizes = sizes(options.set);
  request.small = names(options.small);
  options.final_values.put_into(request);
  if (!options.graph.empty() && !options.graph.ends_with(".svg"))
    throw Error("--graph " + options.graph, "a picture of another kind",
                "name a file that ends in .svg");
  const BoundedProgram program(request);
  const BoundReport report = program.at(request.sizes, request.units);
  const std::string text = explanation(
      report, strongest_of(report, options.statement, options.assumed), options.markdown);
  if (!options.graph.empty())
    write_file(options.graph, cdag::drawn(to_dot(statement_graph(program, report), report)));
  if (!options.output.empty()) {
    write_file(options.output, text);
  } else if (options.json) {
    print_json({{"program", report.program},
                {"markdown", options.markdown},
                {"text", text},
                {"graph", json::to_json(statement_graph(program, report), report)}});
  } else {
    fmt::print("{}", text);
  }
  return 0;
}

}  // namespace

void add_explain(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("explain", "Write out how a lower bound is derived");
  command->add_option("file", options->request.file, "C or Python file");
  command->add_option("--einsum", options->request.einsum,
                      "Einstein summations and layers instead of a file");
  command->add_option("--function", options->request.function, "The function to read");
  command->add_option("--set", options->set, "Sizes for values: NI=1000,NJ=1000,NK=1000,S=1024");
  command->add_option("--small", options->small,
                      "Parameters that stay small while the others grow");
  command->add_option("--assume", options->request.assume,
                      "What is known of the parameters, as often as needed: 'M >= N'");
  options->final_values.add_to(*command, "--output-array");
  command->add_option("--statement", options->statement,
                      "The strongest bound of this statement: S1");
  command->add_flag("--assumed", options->assumed, "Also bounds that rest on assumptions");
  command->add_flag("--markdown", options->markdown, "Markdown with formulas");
  command->add_option("-o,--output", options->output, "Where to write it");
  command->add_option("--graph", options->graph,
                      "Draw which statements read what from which, and what bounds count, as SVG");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Compiler flags (-I, -D) go after --.\n\nExample:\n"
      "  redblue explain kernels/gemm.c\n"
      "  redblue explain kernels/cholesky.c --markdown -o cholesky.md\n"
      "  redblue explain kernels/lu.c --graph lu.svg");
  command->callback([options, &action, &compiler_flags] {
    action = [options, &compiler_flags] { return explain(*options, compiler_flags); };
  });
}

}  // namespace redblue::cli
