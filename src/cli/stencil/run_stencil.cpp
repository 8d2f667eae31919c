// SPDX-License-Identifier: BSD-3-Clause
// redblue run stencil: time steps of a star or box on the ranks it was started on, counted and
// compared with the sequential program bit for bit.
#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <memory>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/stencil/stencil_execution.hpp"
#include "cli/stencil/stencil_options.hpp"
#ifdef REDBLUE_HAS_ANALYSIS
#include "cli/stencil/stencil_source.hpp"
#include "cli/stencil/stencil_source_run.hpp"
#endif
#include "redblue/error.hpp"
#include "stencil/average.hpp"

namespace redblue::cli {

namespace {

struct Options {
#ifdef REDBLUE_HAS_ANALYSIS
  StencilSourceTexts source;
#endif
  StencilMeshTexts mesh;
  StencilWayTexts way;
  std::string steps = "1", type = "d", repeat = "1";
  RecordFiles record;
  bool no_overlap = false;
  bool no_check = false;
  bool json = false;
};

// A number in [-1, 1) for each point.
template <class T>
T first_value(int, std::int64_t point) {
  const std::uint64_t x = (static_cast<std::uint64_t>(point) + 1) * 0x9e3779b97f4a7c15u;
  return static_cast<T>(static_cast<double>((x ^ x >> 29) >> 40 & 0xffffffu) / 8388608. - 1);
}

StencilOptions plan_options(const Options& options, std::int64_t steps) {
  const StencilPlanRequest way = options.way.request();
  StencilOptions result;
  result.steps = steps;
  result.scheme = way.scheme;
  result.depth = way.depth;
  result.side = way.side;
  result.memory = way.memory;
  result.machine = way.machine;
  result.overlap = !options.no_overlap;
  return result;
}

// Of the sequential program.
double updates_of(const StencilProgram& program, std::int64_t steps) {
  double updates = 0;
  for (const StencilSweep& s : program.sweeps)
    updates += static_cast<double>(s.interior.points()) * static_cast<double>(steps);
  return updates;
}

std::string check_text(const StencilOutcome& o, bool checked) {
  return !checked       ? "result not checked"
         : o.wrong == 0 ? "the sequential program's values, bit for bit"
                        : fmt::format("WRONG: {} values differ", grouped(o.wrong));
}

template <class T>
StencilOutcome run_built_in(const Options& options, const StencilProgram& program,
                            std::int64_t repeat, const ProgressCallback& progress) {
  StencilExecution<T> e;
  e.title = options.mesh.title();
  e.program = program;
  e.record = options.record;
  e.updates = {stencil::average<T>(program)};
  e.options = plan_options(options, whole_number("--steps", options.steps));
  e.repeat = repeat;
  e.check = !options.no_check;
  e.progress = progress;
  e.first_value = first_value<T>;
  return execute(e);
}

#ifdef REDBLUE_HAS_ANALYSIS
int run_file(const Options& options, const std::vector<std::string>& compiler_flags,
             std::int64_t repeat) {
  const auto [ranks, is_root] = world();
  comm::Communicator all(MPI_COMM_WORLD);
  const CompiledStencil stencil = shared_by_root(all, [&] {
    const Progress reading("compiling " + options.source.file);
    const StencilSource source = options.source.read(compiler_flags);
    return CompiledStencil{source, compiled(source, compiler_flags)};
  });
  std::unique_ptr<Progress> progress;
  SourceRunOptions how{
      plan_options(options, stencil.source.steps), repeat, !options.no_check, options.record, {}};
  if (is_root) {
    progress = std::make_unique<Progress>("computing");
    how.progress = progress->callback();
  }
  const StencilOutcome o = run_source(stencil, how);
  progress.reset();
  write_stencil_page(
      options.record, title_of(stencil.source), o, how.plan.machine,
      flops_per_update(stencil.source) * updates_of(stencil.source.program, stencil.source.steps),
      stencil.source.element == "float" ? 4 : 8, !options.no_check);
  if (is_root) {
    report_stencil(title_of(stencil.source), stencil.source.program, o, stencil.source.steps, ranks,
                   flops_per_update(stencil.source), stencil.source.element == "float" ? "s" : "d",
                   !options.no_check, options.json);
  }
  return o.wrong == 0 ? 0 : 1;
}
#endif

int run(const Options& options, [[maybe_unused]] const std::vector<std::string>& compiler_flags) {
  const std::int64_t repeat = repeat_count(options.repeat);
#ifdef REDBLUE_HAS_ANALYSIS
  if (!options.source.file.empty()) return run_file(options, compiler_flags, repeat);
#endif
  if (!options.mesh.given()) throw Error("run stencil", "no program", "give a C file, or -n 512");
  const auto [ranks, is_root] = world();
  const StencilProgram program = options.mesh.program();
  std::unique_ptr<Progress> progress;
  ProgressCallback told;
  if (is_root) {
    progress = std::make_unique<Progress>("computing");
    told = progress->callback();
  }
  const StencilOutcome o = options.type == "s"
                               ? run_built_in<float>(options, program, repeat, told)
                               : run_built_in<double>(options, program, repeat, told);
  progress.reset();
  const std::int64_t steps = whole_number("--steps", options.steps);
  write_stencil_page(options.record, options.mesh.title(), o, plan_options(options, steps).machine,
                     static_cast<double>(flops_per_update(program)) * updates_of(program, steps),
                     options.type == "s" ? 4 : 8, !options.no_check);
  if (is_root) {
    report_stencil(options.mesh.title(), program, o, steps, ranks,
                   static_cast<double>(flops_per_update(program)), options.type, !options.no_check,
                   options.json);
  }
  return o.wrong == 0 ? 0 : 1;
}

}  // namespace

void refuse_unchecked(const StencilProgram& program, std::int64_t word_bytes, int ranks) {
  double bytes = static_cast<double>(word_bytes) * ranks * 3 * program.fields;  // and two buffers
  for (const std::int64_t n : program.extents) bytes *= static_cast<double>(n);
  const double memory =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes <= memory) return;
  throw Error("run stencil on " + extents_text(program),
              "the sequential program that every rank runs to compare takes too much memory",
              "give --no-check");
}

void write_stencil_page(const RecordFiles& files, const std::string& title, const StencilOutcome& o,
                        const Machine& machine, double flops, std::int64_t word_bytes,
                        bool checked) {
  const Efficiency efficiency{o.fastest,
                              world().ranks,
                              o.peak,
                              flops,
                              o.lower_bound,
                              o.received,
                              static_cast<double>(word_bytes),
                              machine.bytes_per_second};
  write_run_page(files.page,
                 {title, o.decomposition.name(), o.received, o.mean_received, o.messages, 0,
                  o.memory, o.lower_bound, o.seconds, efficiency, check_text(o, checked), machine},
                 o.recorded);
}

void report_stencil(const std::string& title, const StencilProgram& program,
                    const StencilOutcome& o, std::int64_t steps, int ranks, double flops,
                    const std::string& type, bool checked, bool json) {
  const double best = *std::min_element(o.seconds.begin(), o.seconds.end());
  const double useful = updates_of(program, steps);
  const double gflops = 1e-9 * flops * useful / best;
  if (json) {
    Json j = {{"ranks", ranks}, {"steps", steps}};
    add_decomposition(j, program, o.decomposition);
    j.update({{"max_words_received", o.received},
              {"mean_words_received", o.mean_received},
              {"max_words_sent", o.sent},
              {"predicted_words", o.predicted.words.value},
              {"lower_bound", o.lower_bound},
              {"ratio", ratio_to_bound(o.received, o.lower_bound)},
              {"messages", o.messages},
              {"synchronisations", o.synchronisations},
              {"stages", o.predicted.stages},
              {"updates", o.updates},
              {"predicted_updates", o.predicted.updates},
              {"flops", std::llround(flops * static_cast<double>(o.updates))},
              {"memory_words", o.memory},
              {"type", type},
              {"seconds", best},
              {"predicted_seconds", o.predicted.seconds},
              {"gflops", gflops},
              {"wrong_values", checked ? Json(o.wrong) : Json(nullptr)},
              {"checked", checked},
              {"ok", o.wrong == 0},
              {"executions", o.seconds}});
    print_json(j);
    return;
  }
  fmt::print("{}\n", bold(fmt::format("{}, {} steps on {} ranks: {}", title, steps, ranks,
                                      o.decomposition.name())));
  fmt::print(
      "  {} words in {} messages (received, worst rank), predicted {}; {} synchronisations\n",
      grouped(o.received), o.messages, grouped(o.predicted.words.value), o.synchronisations);
  if (o.lower_bound > 0) {
    fmt::print("  bound {} words, ratio {:.3f}\n", grouped(o.lower_bound),
               static_cast<double>(o.received) / o.lower_bound);
  }
  fmt::print("  {} points updated by the busiest rank, {:.3f} of an even share\n",
             grouped(o.updates), useful > 0 ? static_cast<double>(o.updates) * ranks / useful : 1.);
  fmt::print("  {:.3g} s (predicted {:.3g}), {:.2f} GFLOP/s, {}\n", best, o.predicted.seconds,
             gflops, check_text(o, checked));
}

void add_run_stencil(CLI::App& command, Action& action,
                     const std::vector<std::string>& compiler_flags) {
  const auto options = std::make_shared<Options>();
  CLI::App* stencil = command.add_subcommand(
      "stencil", "A C file's time steps, or those of the average over a star or box");
  options->mesh.add_to(*stencil);
  stencil->add_option("--steps", options->steps, "Time steps")->capture_default_str();
  options->way.add_to(*stencil);
  stencil->add_option("--type", options->type, "Elements: s or d, as in BLAS")
      ->check(CLI::IsMember({"s", "d"}))
      ->capture_default_str();
  stencil->add_flag("--no-overlap", options->no_overlap, "Compute nothing while halos travel");
  stencil
      ->add_option("--repeat", options->repeat,
                   "Executions of the plan; the fastest one is reported")
      ->capture_default_str();
  stencil->add_flag("--no-check", options->no_check,
                    "Skip the sequential program and the comparison with it");
  add_record(*stencil, options->record);
  stencil->add_flag("--json", options->json, "Print JSON");
#ifdef REDBLUE_HAS_ANALYSIS
  options->source.add_to(*stencil);
#endif
  stencil->footer(
      "Exit status 1 when the result is wrong.\n\nExample:\n"
      "  mpirun -n 4 redblue run stencil -d 2 -n 512 --box --steps 64\n"
      "  mpirun -n 4 redblue run stencil kernels/jacobi-2d.c --set T=100,N=512");
  stencil->callback([options, &action, &compiler_flags] {
    action = [options, &compiler_flags] { return run(*options, compiler_flags); };
  });
}

}  // namespace redblue::cli
