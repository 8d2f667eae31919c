// SPDX-License-Identifier: BSD-3-Clause
// redblue report: all of an analysis on one page.
#include <fmt/core.h>

#include <memory>
#include <optional>

#include "cli/analysis/measure_levels.hpp"
#include "cli/commands.hpp"
#include "cli/new_file.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/report/kernel_report.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

using namespace page;

namespace {

struct Options {
  KernelReportRequest request;
  FinalValueOptions final_values;
  std::string set, small, output, effort;
  bool json = false;
};

// A word as a shell reads it.
std::string quoted(const std::string& word) {
  const std::string plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=,./:";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// What makes the page again.
std::string command_of(const Options& o, const std::vector<std::string>& compiler_flags) {
  const BoundRequest& program = o.request.program;
  std::string text = "redblue report";
  const auto add = [&text](const std::string& option, const std::string& value) {
    if (!value.empty()) text += (option.empty() ? " " : " " + option + " ") + quoted(value);
  };
  add("", program.file);
  add("--einsum", program.einsum);
  add("--function", program.function);
  add("--set", o.set);
  add("--small", o.small);
  for (const std::string& condition : program.assume) add("--assume", condition);
  for (const std::string& name : o.final_values.scratch) add("--scratch", name);
  for (const std::string& name : o.final_values.outputs) add("--output-array", name);
  add("--machine", o.request.machine);
  add("--effort", o.effort);
  if (o.request.measure) text += " --measure";
  add("-o", o.output);
  if (!compiler_flags.empty()) text += " --";
  for (const std::string& flag : compiler_flags) add("", flag);
  return text;
}

int report(Options& o, const std::vector<std::string>& compiler_flags) {
  BoundRequest& program = o.request.program;
  if (program.file.empty() == program.einsum.empty())
    throw Error("redblue report", "neither or both of a file and --einsum", "give one of them");
  if (o.output.empty() && !o.json)
    throw Error("redblue report", "nowhere to write the page", "give -o report.html, or --json");
  program.flags = compiler_flags;
  program.sizes = sizes(o.set);
  program.small = names(o.small);
  o.final_values.put_into(program);
  if (!o.effort.empty()) o.request.effort = static_cast<double>(whole_number("--effort", o.effort));
  std::optional<NewFile> file;
  if (!o.output.empty()) {
    for (const std::string& read : {program.file, o.request.machine})
      if (!read.empty()) check_not_the_same("-o", o.output, read);
    file.emplace("-o", o.output);
  }
  const KernelReport made = kernel_report(o.request);
  if (file) {
    Page page = kernel_page(made);
    page.footer("<p>Made by redblue " REDBLUE_VERSION ": " +
                html_element("code", command_of(o, compiler_flags)) + "</p>\n");
    file->write(page.html());
  }
  if (o.json) print_json(to_json(made));
  if (!made.measured) return 0;
  const std::string fault = made.measured->same_results
                                ? fault_of(*made.measured)
                                : "results of the order for speed " + results(*made.measured);
  if (fault.empty()) return 0;
  fmt::print(stderr, "redblue: {}\n", fault);
  return 1;
}

}  // namespace

void add_report(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags) {
  const auto options = std::make_shared<Options>();
  BoundRequest& program = options->request.program;
  CLI::App* command = app.add_subcommand(
      "report", "Write a page: bounds, schedules, their pictures and the derivation");
  command->add_option("file", program.file, "C, C++ or Python file");
  command->add_option("--einsum", program.einsum,
                      "Einstein summations and layers instead of a file: ij,jk->ik");
  command->add_option("--function", program.function, "The function to read");
  command->add_option("--set", options->set, "Sizes of all parameters and S: N=200,S=1024");
  command->add_option("-o,--output", options->output, "Where to write the page (HTML)");
#ifdef REDBLUE_HAS_MODEL
  command->add_option("--machine", options->request.machine,
                      "Machine file for rooflines (redblue machine --measure writes one)");
#endif
  command->add_option("--small", options->small,
                      "Parameters that stay small while the others grow: R,Q");
  command->add_option("--assume", program.assume,
                      "What is known of the parameters, as often as needed: 'M >= N'");
  options->final_values.add_to(*command, "--output-array");
  command->add_option("--effort", options->effort,
                      "Millions of vertices the search for the schedule at S may replay");
  command->add_flag("--measure", options->request.measure,
                    "Compile and time the source and its order for speed, as redblue measure does");
  command->add_flag("--json", options->json, "Print what the page shows as JSON");
  command->footer(
      "The page needs no network and no script. Compiler flags (-I, -D) go after --.\n\nExample:\n"
      "  redblue report kernels/gemm.c --set NI=60,NJ=60,NK=60,S=256 -o gemm.html\n"
      "  redblue report kernels/lu.c --set N=100,S=512 --machine machines/vm-2-cores.toml "
      "--measure -o lu.html");
  command->callback([options, &action, &compiler_flags] {
    action = [options, &compiler_flags] { return report(*options, compiler_flags); };
  });
}

}  // namespace redblue::cli
