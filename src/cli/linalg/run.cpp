// SPDX-License-Identifier: BSD-3-Clause
// redblue run: execute a plan on the ranks it was started on, count and check.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cli/commands.hpp"
#include "cli/element_type.hpp"
#include "cli/linalg/gemm_options.hpp"
#include "cli/linalg/measured_run.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/parallel.hpp"
#include "comm/communicator.hpp"
#include "linalg/blas/blas.hpp"
#include "linalg/plan/native.hpp"
#include "matgen/check.hpp"
#include "redblue/error.hpp"
#include "redblue/gemm.hpp"
#include "redblue/lower_bound.hpp"
#include "redblue/traffic.hpp"

namespace redblue::cli {

using namespace linalg;

namespace {

struct Options {
  GemmOptionTexts gemm;
  std::string type = "d", repeat = "1";
  RecordFiles record;
  bool overlap = false;
  bool one_sided = false;
  bool no_check = false;
  bool json = false;
};

struct Outcome {
  std::string decomposition;
  MeasuredRun run;
};

std::string title(const GemmPlanRequest& request, const std::string& decomposition) {
  const GemmShape& s = request.shape;
  return fmt::format("gemm {} x {} x {} on {} ranks: {}", s.m, s.n, s.k, request.ranks,
                     decomposition);
}

double products(const GemmShape& s) {
  return static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
}

template <class T>
Outcome multiply(const GemmPlanRequest& request, const Options& options, const RunTimes& times) {
  comm::Communicator world(MPI_COMM_WORLD);
  RunRecord record(world, options.record);
  GemmPlan<T> plan(MPI_COMM_WORLD, request.shape,
                   {request.memory, request.objective, request.machine, options.overlap,
                    options.one_sided ? Backend::one_sided : Backend::two_sided, request.exchange});
  const std::vector<T> a = matgen::random_part(plan, Operand::a, matgen::seed_a);
  const std::vector<T> b = matgen::random_part(plan, Operand::b, matgen::seed_b);
  std::vector<T> c(static_cast<std::size_t>(plan.owned(Operand::c).value));
  Outcome outcome{plan.decomposition().name(), {}};
  outcome.run =
      measured_run<T>(world, record, plan,
                      {title(request, outcome.decomposition), 2 * products(request.shape),
                       lower_bound(plan.decomposition(), request.memory), request.machine},
                      times, [&] { plan.execute(T(1), a.data(), b.data(), T(0), c.data()); });
  if (!options.no_check)
    outcome.run.residual =
        matgen::check_product(world, request.shape, patches_of(plan.parts(Operand::c)), c.data());
  return outcome;
}

double ratio(const MeasuredRun& o) {
  return o.received == 0 && o.bound == 0 ? 1 : static_cast<double>(o.received) / o.bound;
}

// Of the type's own multiplications and additions.
double gflops(const GemmShape& s, double seconds) {
  return 2e-9 * products(s) / seconds;
}

void report(const GemmPlanRequest& request, const Outcome& outcome, const Options& options) {
  const MeasuredRun& o = outcome.run;
  const double best = *std::min_element(o.seconds.begin(), o.seconds.end());
  if (options.json) {
    Json json = {{"ranks", request.ranks},
                 {"decomposition", outcome.decomposition},
                 {"max_words_received", o.received},
                 {"mean_words_received", o.mean_received},
                 {"max_words_sent", o.sent},
                 {"lower_bound", o.bound},
                 {"ratio", ratio(o)},
                 {"messages", o.messages},
                 {"memory_words", o.memory},
                 {"type", options.type},
                 {"seconds", best},
                 {"gflops", gflops(request.shape, best)},
                 {"residual", options.no_check ? Json(nullptr) : Json(o.residual.value)},
                 {"checked", !options.no_check},
                 {"ok", options.no_check || o.residual.ok},
                 {"executions", o.seconds}};
    add_efficiency(json, o.efficiency);
    print_json(json);
    return;
  }
  const GemmShape& s = request.shape;
  fmt::print("{}\n", bold(title(request, outcome.decomposition)));
  fmt::print("  {} words in {} messages (received, worst rank), bound {}, ratio {:.3f}\n",
             grouped(o.received), o.messages, grouped(o.bound), ratio(o));
  fmt::print("  {:.3g} s, {:.1f} GFLOP/s, {}\n", best, gflops(s, best),
             residual_text(!options.no_check, o.residual));
  print_efficiency(o.efficiency);
}

int run(const Options& options) {
  blas::use_one_thread();
  const auto [size, is_root] = world();
  const GemmPlanRequest request = options.gemm.request(size);
  const std::int64_t repeat = repeat_count(options.repeat);
  if (options.one_sided && options.record.any()) {
    throw Error((options.record.record.empty() ? "--report" : "--record") +
                    std::string(" with --one-sided"),
                "only messages that are sent can be recorded", "leave one of them out");
  }
  RunTimes times{repeat, {}};
  std::unique_ptr<Progress> progress;
  if (is_root) {
    progress = std::make_unique<Progress>("multiplying");
    times.progress = progress->callback();
  }
  const Outcome outcome = with_type(options.type, [&](auto element) {
    return multiply<decltype(element)>(request, options, times);
  });
  progress.reset();
  const GemmShape& s = request.shape;
  write_run_page(options.record.page,
                 facts_of(outcome.run, fmt::format("gemm {} x {} x {}", s.m, s.n, s.k),
                          outcome.decomposition, request.machine, !options.no_check),
                 outcome.run.recorded);
  if (is_root) report(request, outcome, options);
  return options.no_check || outcome.run.residual.ok ? 0 : 1;
}

}  // namespace

void add_run(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags) {
  CLI::App* command =
      app.add_subcommand("run", "Run a kernel on the MPI ranks redblue was started on");
  command->require_subcommand(1);
  command->footer("Example:\n  mpirun -n 4 redblue run gemm -m 1200 -n 1200 -k 1200");
  const auto options = std::make_shared<Options>();
  CLI::App* gemm =
      command->add_subcommand("gemm", "C (m x n) = A (m x k) B (k x n), random matrices");
  options->gemm.add_to(*gemm);
  options->gemm.add_exchange_to(*gemm);
  add_type(*gemm, options->type);
  gemm->add_flag("--overlap", options->overlap,
                 "With --memory: fetch the next round's parts while multiplying");
  gemm->add_flag("--one-sided", options->one_sided,
                 "Read parts from their owners' windows instead of being sent them");
  gemm->add_option("--repeat", options->repeat,
                   "Executions of the plan; the fastest one is reported")
      ->capture_default_str();
  gemm->add_flag("--no-check", options->no_check, "Skip the residual check and its communication");
  add_record(*gemm, options->record);
  gemm->add_flag("--json", options->json, "Print JSON");
  gemm->footer(
      "Exit status 1 when the result is wrong.\n\nExample:\n"
      "  mpirun -n 4 redblue run gemm -m 1200 -n 1200 -k 1200");
  gemm->callback([options, &action] { action = [options] { return run(*options); }; });
  add_run_factor(*command, action);
  add_run_einsum(*command, action);
  add_run_trsv(*command, action);
  add_run_stencil(*command, action, compiler_flags);
}

}  // namespace redblue::cli
