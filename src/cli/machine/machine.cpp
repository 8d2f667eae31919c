// SPDX-License-Identifier: BSD-3-Clause
// redblue machine: write a machine file.
#include <fmt/core.h>

#include <fstream>
#include <memory>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "redblue/error.hpp"
#include "redblue/machine.hpp"
#ifdef REDBLUE_HAS_LINALG
#include "cli/machine/measure.hpp"
#include "comm/communicator.hpp"
#endif

namespace redblue::cli {

namespace {

struct Options {
  bool measure = false;
  bool json = false;
  std::string file;  // read this machine instead of the default
  std::string output;
  bool is_root = true;
};

#ifdef REDBLUE_HAS_LINALG
std::vector<std::string> arguments_of(const Options& options) {
  std::vector<std::string> result = {"machine", "--measure"};
  if (options.json) result.push_back("--json");
  if (!options.output.empty()) result.insert(result.end(), {"-o", options.output});
  return result;
}
#endif

Machine chosen_machine(Options& options) {
  if (!options.file.empty()) return read_machine(options.file);
  if (!options.measure) return {};
#ifdef REDBLUE_HAS_LINALG
  const Progress progress("measuring flop rate, latency and bandwidth");
  const Machine machine = measured_machine(arguments_of(options));
  options.is_root = comm::Communicator(MPI_COMM_WORLD).rank().value == 0;
  return machine;
#else
  throw Error("redblue machine --measure", "this build has no MPI", "build with REDBLUE_LINALG=ON");
#endif
}

std::string text_of(const Machine& machine, bool json) {
  if (!json) return to_toml(machine);
  Json object = {{"name", machine.name},
                 {"flops_per_second", machine.flops_per_second},
                 {"latency_seconds", machine.latency_seconds},
                 {"bytes_per_second", machine.bytes_per_second}};
  object["memory_words"] = machine.memory ? Json(machine.memory->value) : Json(nullptr);
  object["memory_bytes_per_second"] = machine.memory_bytes_per_second;
  object["copy_bytes_per_second"] = machine.copy_bytes_per_second;
  object["cache_bytes_per_second"] = machine.cache_bytes_per_second;
  object["cached_bytes"] = machine.cached_bytes;
  object["exchange_seconds"] = machine.exchange_seconds;
  object["waiting_seconds"] = machine.waiting_seconds;
  object["processors"] = machine.processors;
  object["ranks_together"] = machine.ranks_together;
  object["turn_seconds"] = machine.turn_seconds;
  object["large_latency_seconds"] = machine.large_latency_seconds;
  object["eager_bytes"] = machine.eager_bytes;
  object["network_words_per_flop"] = machine.network_words_per_flop;
  object["levels"] = Json::array();
  for (const MemoryLevel& l : machine.levels) {
    object["levels"].push_back({{"name", l.name},
                                {"units", l.units},
                                {"words", l.words},
                                {"words_per_flop", l.words_per_flop}});
  }
  return object.dump(2) + "\n";
}

int write_machine(Options options) {
  const Machine machine = chosen_machine(options);
  if (!options.is_root) return 0;
  const std::string text = text_of(machine, options.json);
  if (options.output.empty()) {
    fmt::print("{}", text);
    return 0;
  }
  std::ofstream out(options.output);
  out << text;
  if (!out.flush()) throw Error(options.output, "cannot be written", "give a path that can");
  return 0;
}

}  // namespace

void add_machine(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "machine", "Write a machine file: flop rate, latency, bandwidth, memory levels");
  command->add_option("file", options->file, "Check and print this machine file instead");
  command->add_flag("--measure", options->measure,
                    "Measure this machine with the ranks it is started on (alone, it starts two)");
  command->add_option("-o", options->output, "Write to this file instead of standard output");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Example:\n  redblue machine --measure -o machine.toml\n"
      "  redblue plan gemm -m 1200 -n 1200 -k 1200 -p 8 --machine machine.toml");
  command->callback([options, &action] { action = [options] { return write_machine(*options); }; });
}

}  // namespace redblue::cli
