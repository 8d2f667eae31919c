// SPDX-License-Identifier: BSD-3-Clause
// redblue measure: a fast order of a loop nest, compiled and timed beside the source.
#include "redblue/measure.hpp"

#include <fmt/core.h>

#include <memory>

#include "cli/analysis/cache_levels.hpp"
#include "cli/analysis/measure_levels.hpp"
#include "cli/analysis/roofline.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

namespace {

struct Options {
  MeasureRequest request;
  std::string set, output, repeat = "5", cache, vector, threads = "1", machine, walk = "2e9",
                           picture, search, orders = "4";
  bool json = false, fresh = false, fortran = false;

  MeasureRequest read(const std::vector<std::string>& compiler_flags) const {
    MeasureRequest result = request;
    result.code.program.sizes = sizes(set);
    result.code.program.flags = compiler_flags;
    result.repetitions = static_cast<int>(whole_number("--repeat", repeat));
    if (result.repetitions < 1 || result.repetitions > 10'000)
      throw Error("--repeat " + repeat, "it is not from 1 to 10000", "give --repeat 5");
    result.orders_compared = static_cast<int>(whole_number("--orders", orders));
    if (result.orders_compared < 1 || result.orders_compared > 100)
      throw Error("--orders " + orders, "it is not from 1 to 100", "give --orders 4");
    if (!search.empty()) {
      constexpr std::int64_t most_seconds = 1'000'000;
      const std::int64_t seconds = whole_number("--search", search);
      if (seconds < 1 || seconds > most_seconds)
        throw Error("--search " + search, "it is not from 1 to 1000000 seconds",
                    "give --search 60");
      result.search_seconds = static_cast<double>(seconds);
    }
    if (!fresh) result.search_folder = search_folder();
    result.most_accesses = static_cast<double>(whole_number("--walk", walk));
    Processor& processor = result.code.processor;
    if (!cache.empty()) processor.cache_bytes = whole_number("--cache", cache);
    if (!vector.empty())
      processor.vector_bytes = static_cast<int>(whole_number("--vector", vector));
    processor.threads = static_cast<int>(whole_number("--threads", threads));
    if (processor.threads < 1 || processor.threads > 1024)
      throw Error("--threads " + threads, "it is not from 1 to 1024", "give --threads 2");
    const int bytes = processor.vector_bytes;
    if (bytes != 16 && bytes != 32 && bytes != 64)
      throw Error("--vector " + vector, "no processor has such registers",
                  "give 16, 32 or 64 bytes");
    return result;
  }
};

std::string list(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& one : all) text += (text.empty() ? "" : ", ") + one;
  return text;
}

void print(const char* name, const OrderSearch& search) {
  fmt::print("  {}{:.0f} s, {} orders tried: {:.6f} s, the model's {:.6f} s ({:.2f})\n", name,
             search.seconds, search.tried, search.best_seconds, search.model_seconds,
             search.model_seconds / search.best_seconds);
  fmt::print("  found           {}\n", search.choice);
}

void print(const Measurement& m, bool blas) {
  fmt::print("{}\n", bold("Schedule of " + m.schedule.program));
  if (m.tried_seconds)
    fmt::print("  no gain         {:.6f} s, of {}: not taken\n", *m.tried_seconds,
               m.schedule.changed ? "several threads" : "another order");
  if (!m.schedule.changed)
    fmt::print("  order           the source's own{}\n",
               m.tried_seconds ? "" : ": none is expected to be faster");
  if (!m.schedule.blocks.empty()) fmt::print("  register blocks {}\n", list(m.schedule.blocks));
  for (const std::string& call : m.schedule.calls) fmt::print("  calls of BLAS   {}\n", call);
  if (blas && m.schedule.calls.empty())
    fmt::print("  calls of BLAS   none: no tile is an operation of BLAS\n");
  if (!m.schedule.storage.empty()) fmt::print("  new storage     {}\n", list(m.schedule.storage));
  if (!m.schedule.reordered.empty())
    fmt::print("  in any order    {}: {}; bounds are of the source's order\n",
               list(m.schedule.reordered), m.tolerance ? "other roundings" : "the same bits");
  if (!m.rounding_difference.empty())
    fmt::print("  sums            in the source's order: other roundings change {}\n",
               m.rounding_difference);
  if (m.remembered)
    fmt::print("  {} from an earlier search\n", m.search ? "begun at       " : "chosen         ");
  if (m.compared) print("compared        ", *m.compared);
  if (m.search) print("search          ", *m.search);
  fmt::print("  compiler        {}\n", m.compiler);
  fmt::print("  as written      {:.6f} s   (median of {}, taking turns)\n", m.original_seconds,
             m.repetitions);
  fmt::print("  as scheduled    {:.6f} s   {:.2f} times as fast\n", m.schedule_seconds,
             m.speedup());
  if (m.one_thread_seconds)
    fmt::print("  on one thread   {:.6f} s   {:.2f} times as fast on {} threads\n",
               *m.one_thread_seconds, *m.one_thread_seconds / m.schedule_seconds, m.threads);
  fmt::print("  results         {}\n", results(m));
  print_levels(m.levels);
}

int measure_file(const Options& options, const std::vector<std::string>& compiler_flags) {
  MeasureRequest request = options.read(compiler_flags);
  const std::string entry = options.fortran ? fortran_entry(request.code.program) : "";
  Roof roof;
#ifdef REDBLUE_HAS_MODEL
  const Caches caches = caches_of(options.machine);
  request.levels = caches.levels;
  roof = caches.roof;
#endif
  const Measurement m = [&] {
    Progress progress("scheduling and timing " + request.code.program.file);
    request.progress = progress.callback();
    return measure(request);
  }();
  if (!m.not_remembered.empty()) fmt::print(stderr, "redblue: {}\n", m.not_remembered);
  if (!options.output.empty()) write_file(options.output, m.schedule.code + entry);
  if (!options.picture.empty()) {
    write_file(options.picture,
               roofline(m.schedule.program, roofline_levels(m, roof), roof.operations_per_second));
  }
  if (options.json) {
    print_json(to_json(m));
  } else {
    print(m, request.code.processor.blas);
  }
  const std::string fault = fault_of(m);
  if (!fault.empty()) {
    fmt::print(stderr, "redblue: {}\n", fault);
    return 1;
  }
  return m.same_results ? 0 : 1;
}

}  // namespace

void add_measure(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "measure", "Order a loop nest for speed, compile it, check and time it beside the source");
  BoundRequest& program = options->request.code.program;
  command->add_option("file", program.file, "C file")->required();
  command->add_option("--function", program.function, "The function to read");
  command->add_option("--set", options->set, "Sizes: NI=1000,NJ=1100,NK=1200");
  command->add_option("-o,--output", options->output, "Where to write the C file");
  command->add_flag("--fortran", options->fortran, "With -o: also a function for Fortran to call");
  command->add_option("--repeat", options->repeat, "Runs of each, taking turns (5)");
  command->add_option("--threads", options->threads,
                      "Threads that share the schedule's loops, with OpenMP (1)");
  command->add_flag("--blas", options->request.code.processor.blas,
                    "Tiles that are operations of BLAS call it: other roundings");
  command->add_flag("--reassociate", options->request.code.processor.reassociate,
                    "Sums and products may run in any order: other roundings");
  command->add_option("--cache", options->cache,
                      "Bytes of the cache that tiles are for (this processor's second level)");
  command->add_option("--vector", options->vector,
                      "Bytes of a vector register: 16, 32 or 64 (this processor's)");
#ifdef REDBLUE_HAS_MODEL
  command->add_option("--machine", options->machine,
                      "Machine file whose caches traffic is counted for (this host's)");
#endif
  command->add_option("--orders", options->orders,
                      "Orders that the model takes for the fastest, compiled and timed (4)");
  command->add_option("--search", options->search,
                      "Seconds for which neighbours of the model's choice are compiled and timed");
  command->add_flag("--fresh", options->fresh,
                    "Neither use what an earlier search found nor keep what this one does");
  command->add_option("--walk", options->walk,
                      "Accesses of an order up to which its traffic is counted (2e9)");
  command->add_option("--picture", options->picture,
                      "Where to write a roofline that ends at the bound (SVG)");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "The environment's CC (cc) compiles both with -O3 -march=native; its flags go after --.\n"
      "Exits with 1 where results differ. What --search finds is kept in ~/.cache/redblue\n"
      "($XDG_CACHE_HOME/redblue, $REDBLUE_CACHE_DIR) and is where the next call begins.\n\n"
      "Examples:\n"
      "  redblue measure kernels/syrk.c --set N=500,M=500 -o syrk-fast.c\n"
      "  redblue measure kernels/doitgen.c --set NQ=140,NR=150,NP=160 --search 60\n"
      "  redblue measure kernels/cholesky.c --set N=1000 --blas\n"
      "  redblue measure kernels/atax.c --set M=1900,N=2100 --reassociate");
  command->callback([options, &action, &compiler_flags] {
    action = [options, &compiler_flags] { return measure_file(*options, compiler_flags); };
  });
}

}  // namespace redblue::cli
