// SPDX-License-Identifier: BSD-3-Clause
// redblue tile and redblue replay: upper bounds, from schedules.
#include <fmt/core.h>

#include <cmath>
#include <memory>

#include "cli/analysis/schedule.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "json/schedules.hpp"
#include "redblue/error.hpp"
#include "redblue/measure.hpp"

namespace redblue::cli {

namespace {

void print(const std::string& title, const Replays& r) {
  fmt::print("{}\n", bold(title));
  if (r.belady) fmt::print("  Belady          {}\n", row(*r.belady));
  if (r.lru) fmt::print("  LRU{:13}{}\n", r.belady ? "" : ", streamed", row(*r.lru));
  if (r.tiles)
    fmt::print("  tile by tile    {}, {} words at most\n", row(*r.tiles), grouped(r.tile_words));
}

struct Options {
  ScheduleRequest request;
  FinalValueOptions final_values;
  std::string set, output, replacement = "belady", effort;
  bool json = false, fortran = false;

  void add_to(CLI::App& command) {
    command.add_option("file", request.program.file, "C or Python file");
    command.add_option("--einsum", request.program.einsum,
                       "Einstein summations and layers instead of a file");
    command.add_option("--function", request.program.function, "The function to read");
    command.add_option("--set", set, "Sizes: NI=200,NJ=200,NK=200,S=1024");
    command.add_flag("--json", json, "Print JSON");
  }

  ScheduleRequest read(const std::vector<std::string>& compiler_flags) const {
    if (request.program.file.empty() == request.program.einsum.empty()) {
      throw Error("redblue", "neither or both of a file and --einsum", "give one of them");
    }
    ScheduleRequest result = request;
    result.program.sizes = sizes(set);
    result.program.flags = compiler_flags;
    final_values.put_into(result.program);
    if (!effort.empty()) result.effort = static_cast<double>(whole_number("--effort", effort));
    if (replacement != "belady" && replacement != "lru") {
      throw Error("--for " + replacement, "no such memory", "belady or lru");
    }
    result.replacement = replacement == "lru" ? cdag::Replacement::lru : cdag::Replacement::belady;
    return result;
  }
};

std::string list(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& one : all) text += (text.empty() ? "" : ", ") + one;
  return text;
}

void print_calls(const TiledSchedule& t) {
  for (const std::string& call : t.calls) fmt::print("  calls of BLAS   {}\n", call);
  fmt::print("  {}\n", t.calls.empty()
                           ? "calls of BLAS   none: no tile is an operation of BLAS"
                           : "                what a call moves inside is not counted below");
}

void print(const TiledSchedule& t, const Gap& gap, bool blas) {
  fmt::print("{}\n", bold("Schedule of " + t.program + ": " + grouped(t.vertices) + " vertices"));
  fmt::print("  computed        {}\n", what_is_computed);
  for (const TiledBand& band : t.bands) {
    fmt::print("  tiled           {}\n", list(band.statements));
    for (const auto& loop : band.loops) {
      fmt::print("    {:>6} of      {}\n", grouped(loop.size), loop.steps);
    }
  }
  if (t.triangles) {
    fmt::print("  triangle blocks {}\n", list(t.triangles->pairs));
    fmt::print("    {:>6} blocks, each of {} of {} pieces of the rows\n", t.triangles->pieces,
               t.triangles->touched, t.triangles->pieces);
  } else if (t.late) {
    fmt::print(
        "  tiles that wait of {}, side {}: they run steps {} when others need their values\n",
        t.late->array, grouped(t.late->side), t.late->step);
    for (const std::string& copy : t.late->copies) fmt::print("    copies        {}\n", copy);
  } else if (t.bands.empty()) {
    fmt::print(
        "  no tiles; the order is the source's, or isl's without tiles where that moves less\n");
  }
  if (!t.storage.empty()) fmt::print("  new storage     {}\n", list(t.storage));
  if (!t.reordered.empty())
    fmt::print("  in any order    {}: the same bits; the bound is of the source's order\n",
               list(t.reordered));
  if (blas) print_calls(t);
  if (t.own.lru) print("As written", t.own);
  print("As scheduled", t.tiled);
  if (!t.tiled.lru && t.predicted) {
    fmt::print("  LRU, predicted  {}, {}, uncertain by {:.1f} %\n", row(t.predicted->traffic),
               way(*t.predicted), std::ceil(1000 * t.predicted->residual) / 10);
  } else if (!t.tiled.lru) {
    fmt::print(
        "  LRU             not known: walks at smaller sizes and through parts of the order leave "
        "it uncertain; up to 2,000 million accesses are counted\n");
  }
  cli::print(gap);
}

int tile(const Options& options, const std::vector<std::string>& compiler_flags) {
  ScheduleRequest request = options.read(compiler_flags);
  const auto [schedule, gap] = [&] {
    Progress progress("searching a tiled schedule");
    request.progress = progress.callback();
    return bounded_schedule(request);
  }();
  if (!options.output.empty()) {
    if (schedule.code.empty())
      throw Error("-o " + options.output + ": C for " + schedule.program, schedule.no_code,
                  "leave -o out, or give one region with elements as A[i][j] and choices as ?:");
    write_file(options.output,
               schedule.code + (options.fortran ? fortran_entry(request.program) : ""));
  }
  if (options.json) {
    print_json(json::to_json(schedule, gap));
  } else {
    print(schedule, gap, request.blas);
  }
  return 0;
}

int replay(const Options& options, const std::vector<std::string>& compiler_flags) {
  const ScheduleRequest request = options.read(compiler_flags);
  const Replays replays = [&] {
    Progress progress("replaying " + request.program.file + request.program.einsum);
    return replay_program(request.program, progress.callback());
  }();
  if (options.json) {
    print_json(json::to_json(replays));
  } else {
    print("As written", replays);
    fmt::print("  computed        {}\n", what_is_computed);
  }
  return 0;
}

}  // namespace

std::string row(const MemoryTraffic& t) {
  return grouped(t.moved()) + " = " + grouped(t.loads) + " loads + " + grouped(t.stores) +
         " stores";
}

std::string way(const PredictedTraffic& t) {
  switch (t.from) {
    case PredictedTraffic::From::count:
      return "all accesses counted";
    case PredictedTraffic::From::smaller_sizes:
      return "extrapolated from walks at smaller sizes";
    default:
      return "from walks through parts of the order";
  }
}

void print(const Gap& gap) {
  if (!gap.upper) {
    fmt::print("  gap             not known; {} needed\n", grouped(gap.lower));
    return;
  }
  const std::string how = gap.how == "belady" ? "moved"
                          : gap.how == "lru"  ? "moved (LRU)"
                                              : "predicted (LRU)";
  fmt::print("  gap             {} {} / {} needed = {:.3f}\n", grouped(*gap.upper), how,
             grouped(gap.lower), gap.ratio());
}

void add_tile(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("tile", "Find a legal tiled schedule, replay it, write it as C");
  options->add_to(*command);
  options->final_values.add_to(*command, "--output-array");
  command->add_option("-o,--output", options->output, "Where to write the C file");
  command->add_flag("--fortran", options->fortran, "With -o: also a function for Fortran to call");
  command->add_option("--for", options->replacement,
                      "Tile sizes for: belady (explicit), lru (a cache)");
  command->add_flag("--blas", options->request.blas,
                    "Tiles that are operations of BLAS call it: other roundings");
  command->add_option(
      "--effort", options->effort,
      "Millions of vertices the search may replay, some 5 a second (100; with --for "
      "lru, and beyond 50 million instances, 15)");
  command->footer(
      "Beyond 50 million instances (with --for lru 4 million) tile sizes are for a cache (LRU). "
      "What moves through it is "
      "then\n"
      "predicted from walks at smaller sizes or through parts of the order, and both orders are\n"
      "streamed: up to 100 million accesses, or where there is no prediction up to 2,000 million,\n"
      "some 60 million a second.\n\n"
      "Compiler flags (-I, -D) go after --.\n\nExample:\n"
      "  redblue tile kernels/gemm.c --set NI=150,NJ=150,NK=150,S=1024 -o gemm-tiled.c");
  command->callback([options, &action, &compiler_flags] {
    action = [options, &compiler_flags] { return tile(*options, compiler_flags); };
  });
}

void add_replay(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("replay", "What a program as written moves through S words");
  options->add_to(*command);
  options->final_values.add_to(*command);
  command->footer(
      "Beyond 50 million instances only LRU is replayed, streamed, some 60 million accesses a\n"
      "second; more than 5,000 million are refused.\n\n"
      "Compiler flags (-I, -D) go after --.\n\nExample:\n"
      "  redblue replay kernels/gemm.c --set NI=100,NJ=100,NK=100,S=1024");
  command->callback([options, &action, &compiler_flags] {
    action = [options, &compiler_flags] { return replay(*options, compiler_flags); };
  });
}

}  // namespace redblue::cli
