// SPDX-License-Identifier: BSD-3-Clause
// redblue trace: who sends how much to whom in any MPI program.
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>

#include "cli/commands.hpp"
#include "cli/new_file.hpp"
#include "cli/output.hpp"
#include "cli/trace/matrix_plot.hpp"
#include "redblue/error.hpp"
#include "trace/totals.hpp"

extern char** environ;

namespace redblue::cli {

namespace {

struct Options {
  std::string plot, library;
  bool json = false;
};

// Of all ranks: the count, seconds and mpi_seconds of the rank with most, the bytes of all.
using trace::Totals;
using trace::TotalsByName;

struct Trace {
  CommunicationMatrix matrix;
  double seconds = 0;           // of the slowest rank
  double mean_mpi_seconds = 0;  // in MPI calls
  TotalsByName calls, regions;
  std::vector<std::string> uncounted;
};

// The library that counts, beside the command as built or installed.
std::string preloaded_library(const std::string& given) {
  namespace fs = std::filesystem;
  if (!given.empty()) {
    if (!fs::exists(given)) throw Error(given, "no such library", "name libredblue_trace.so");
    return fs::absolute(given).string();
  }
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  std::vector<fs::path> places = {here / "../..", here / "../lib", here / "../lib64"};
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(here / "../lib", none)) {
    if (entry.is_directory()) places.push_back(entry.path());
  }
  for (const fs::path& place : places) {
    const fs::path library = place / "libredblue_trace.so";
    if (fs::exists(library)) return fs::canonical(library).string();
  }
  throw Error("trace", "libredblue_trace.so is not beside the command", "name it by --library");
}

// `mpirun .. -x LD_PRELOAD=other` names a library, too: both are preloaded.
void preload(std::vector<std::string>& command, const std::string& library) {
  const std::string variable = "LD_PRELOAD=";
  for (std::string& word : command) {
    if (word.rfind(variable, 0) == 0)
      word = variable + library + ":" + word.substr(variable.size());
  }
  const char* before = std::getenv("LD_PRELOAD");
  setenv("LD_PRELOAD", (library + (before == nullptr ? "" : std::string(":") + before)).c_str(), 1);
}

// Its exit status, as a shell would give it.
int run_to_end(std::vector<std::string> command) {
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failure =
      posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (failure != 0) throw Error(command[0], "it cannot be started", "name a program in PATH");
  int status = 0;
  waitpid(child, &status, 0);
  constexpr int of_signals = 128;
  return WIFSIGNALED(status) ? of_signals + WTERMSIG(status) : WEXITSTATUS(status);
}

void add(TotalsByName& all, const Json& entries) {
  for (const Json& entry : entries) {
    Totals& totals = all[entry["name"]];
    totals.count = std::max(totals.count, entry["count"].get<std::int64_t>());
    totals.seconds = std::max(totals.seconds, entry["seconds"].get<double>());
    totals.mpi_seconds = std::max(totals.mpi_seconds, entry.value("mpi_seconds", 0.0));
    totals.bytes += entry["bytes"].get<std::int64_t>();
  }
}

Trace trace_in(const Json& records) {
  Trace trace;
  for (const Json& record : records) {
    trace.matrix.sent.push_back(record["sent"]);
    trace.matrix.collectives.push_back(record["collectives"]);
    trace.seconds = std::max(trace.seconds, record["seconds"].get<double>());
    trace.mean_mpi_seconds +=
        record["mpi_seconds"].get<double>() / static_cast<double>(records.size());
    add(trace.calls, record["calls"]);
    add(trace.regions, record["regions"]);
    for (const std::string what : record["uncounted"]) {
      if (std::find(trace.uncounted.begin(), trace.uncounted.end(), what) ==
          trace.uncounted.end()) {
        trace.uncounted.push_back(what);
      }
    }
  }
  return trace;
}

Json json_of(const Trace& found) {
  Json received = Json::array();
  for (int r = 0; r < found.matrix.ranks(); ++r) received.push_back(found.matrix.received(r));
  return {{"ranks", found.matrix.ranks()},
          {"seconds", found.seconds},
          {"mean_mpi_seconds", found.mean_mpi_seconds},
          {"sent_bytes", found.matrix.sent},
          {"collective_bytes", found.matrix.collectives},
          {"received_bytes", received},
          {"calls", trace::json_of(found.calls, false)},
          {"regions", trace::json_of(found.regions, true)},
          {"uncounted", found.uncounted}};
}

void print_matrix(const CommunicationMatrix& matrix) {
  constexpr int widest = 16;
  if (matrix.ranks() > widest) {
    fmt::print("  the matrix of {0} x {0} ranks is in --json and --plot FILE.svg\n",
               matrix.ranks());
    return;
  }
  fmt::print("  bytes sent by messages and puts, from (down) to (across)\n  {:>6}", "");
  for (int to = 0; to < matrix.ranks(); ++to) fmt::print(" {:>13}", to);
  for (int from = 0; from < matrix.ranks(); ++from) {
    fmt::print("\n  {:>6}", from);
    for (const std::int64_t bytes : matrix.sent[static_cast<std::size_t>(from)]) {
      fmt::print(" {:>13}", grouped(bytes));
    }
  }
  fmt::print("\n  received in collectives and gets\n  {:>6}", "");
  for (const std::int64_t bytes : matrix.collectives) fmt::print(" {:>13}", grouped(bytes));
  fmt::print("\n");
}

void print_totals(const char* title, const TotalsByName& all) {
  if (all.empty()) return;
  std::vector<std::pair<std::string, Totals>> sorted(all.begin(), all.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.seconds > b.second.seconds;
  });
  fmt::print("  {:<24} {:>9} {:>12} {:>16}\n", title, "times", "seconds", "bytes moved");
  for (const auto& [name, t] : sorted) {
    fmt::print("  {:<24} {:>9} {:>12.6f} {:>16}\n", name, grouped(t.count), t.seconds,
               grouped(t.bytes));
  }
}

void print(const Trace& trace) {
  const CommunicationMatrix& matrix = trace.matrix;
  int busiest = 0;
  std::int64_t total = 0;
  for (int r = 0; r < matrix.ranks(); ++r) {
    total += matrix.received(r);
    if (matrix.received(r) > matrix.received(busiest)) busiest = r;
  }
  fmt::print("{}\n",
             bold(fmt::format("Trace of {} ranks, {:.3f} s between MPI_Init and MPI_Finalize, "
                              "of these {:.3f} s in MPI in the mean",
                              matrix.ranks(), trace.seconds, trace.mean_mpi_seconds)));
  fmt::print("  received        {} bytes by the busiest rank ({}), {} in the mean\n",
             grouped(matrix.received(busiest)), busiest,
             grouped(total / std::max(1, matrix.ranks())));
  print_matrix(matrix);
  print_totals("ScaLAPACK", trace.regions);
  print_totals("MPI", trace.calls);
  for (const std::string& what : trace.uncounted) fmt::print("  not counted     {}\n", what);
  fmt::print(
      "  times and seconds of the rank with most; a collective counts the fewest bytes it needs\n");
}

int run(const Options& o, std::vector<std::string> command) {
  if (command.empty()) {
    throw Error("trace", "no program after --", "redblue trace -- mpirun -n 4 ./program");
  }
  const std::string library = preloaded_library(o.library);
  std::optional<NewFile> plot;
  if (!o.plot.empty()) plot.emplace("--plot", o.plot);
  std::string file = (std::filesystem::temp_directory_path() / "redblue-trace-XXXXXX").string();
  const int handle = mkstemp(file.data());
  if (handle < 0) throw Error(file, "it cannot be written", "let TMPDIR name a folder with room");
  close(handle);
  setenv("REDBLUE_TRACE_FILE", file.c_str(), 1);
  preload(command, library);
  const int status = run_to_end(command);
  const Json records = Json::parse(std::ifstream(file), nullptr, false);
  std::filesystem::remove(file);
  if (!records.is_array()) {
    throw Error(command[0], fmt::format("it ended with status {} and recorded nothing", status),
                "the program must be dynamically linked, call MPI_Finalize, and see this folder "
                "from its first rank's machine");
  }
  const Trace trace = trace_in(records);
  if (plot) plot->write(matrix_picture("Bytes from rank to rank", trace.matrix));
  if (o.json) {
    print_json(json_of(trace));
  } else {
    print(trace);
  }
  return status;
}

}  // namespace

void add_trace(CLI::App& app, Action& action, const std::vector<std::string>& program) {
  const auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "trace", "Who sends how much to whom in any MPI program, and when it waits");
  command->add_option("--plot", o->plot, "Write the matrix as a picture: FILE.svg");
  command->add_option("--library", o->library,
                      "libredblue_trace.so, where it is not beside the command");
  command->add_flag("--json", o->json, "Print JSON");
  command->footer(
      "The program goes after --. It is not changed: a library is preloaded that counts what "
      "every\n"
      "MPI call moves and how long it takes, and names the calls of ScaLAPACK around them. The "
      "exit\n"
      "status is the program's.\n\nExample:\n"
      "  redblue trace -- mpirun -n 4 redblue run gemm -m 300 -n 300 -k 300");
  command->callback(
      [o, &action, &program] { action = [o, &program] { return run(*o, program); }; });
}

}  // namespace redblue::cli
