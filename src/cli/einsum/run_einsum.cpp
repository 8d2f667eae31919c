// SPDX-License-Identifier: BSD-3-Clause
// redblue run einsum: a summation of random tensors on the ranks it was started on, counted and
// checked.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cli/commands.hpp"
#include "cli/einsum/random_einsum.hpp"
#include "cli/element_type.hpp"
#include "cli/linalg/measured_run.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "comm/communicator.hpp"
#include "linalg/blas/blas.hpp"

namespace redblue::cli {

namespace {

struct Options {
  EinsumOptionTexts einsum;
  std::string type = "d", repeat = "1";
  RecordFiles record;
  bool no_check = false;
  bool json = false;
};

struct Outcome {
  EinsumChainReport plan;
  MeasuredRun run;
  bool as_planned() const { return run.received == plan.cost.words.value; }
};

// One multiplication and addition per product of operands: of all of them where it is done at once,
// as where two are multiplied, else of every step.
double flops(const EinsumChainReport& plan) {
  double all = 0;
  for (const EinsumStep& s : plan.steps)
    all += (s.shape.operands() > 1 ? 2 : 1) * s.shape.products();
  return all;
}

template <class T>
Outcome sum(const EinsumPlanRequest& request, const Options& options, const RunTimes& times) {
  comm::Communicator world(MPI_COMM_WORLD);
  RunRecord record(world, options.record);
  RandomEinsum<T> einsum(request, options.einsum.chosen_order());
  const EinsumChainReport& plan = einsum.plan.plan();
  Outcome outcome{plan, {}};
  outcome.run =
      measured_run<T>(world, record, einsum.plan,
                      {title(request, plan), flops(plan), plan.lower_bound, request.machine}, times,
                      [&] { einsum.execute(); });
  if (!options.no_check) outcome.run.residual = einsum.check(world);
  return outcome;
}

Json to_json(const EinsumPlanRequest& request, const Outcome& o, const Options& options) {
  const MeasuredRun& run = o.run;
  const double best = *std::min_element(run.seconds.begin(), run.seconds.end());
  Json json = {{"einsum", request.shape.text}};
  json["extents"] = letters_json(request.shape);
  if (!request.layouts.empty()) json["layouts"] = layouts_json(request);
  json["ranks"] = request.ranks;
  const EinsumStep& first = o.plan.steps.front();
  json["decomposition"] = o.plan.steps.size() > 1 || o.plan.symmetric
                              ? Json({{"name", name_of(o.plan)}})
                              : decomposition_json(first.shape, first.report.decomposition);
  json["max_words_received"] = run.received;
  json["words_per_rank"] = run.received;  // the same
  json["planned_words"] = o.plan.cost.words.value;
  json["mean_words_received"] = run.mean_received;
  json["max_words_sent"] = run.sent;
  json["lower_bound"] = run.bound;
  json["ratio"] = ratio_json(static_cast<double>(run.received), run.bound);
  json["messages"] = run.messages;
  json["memory_words"] = run.memory;
  json["steps"] = steps_json(request.shape, o.plan);
  json["type"] = options.type;
  json["seconds"] = best;
  json["gflops"] = 1e-9 * flops(o.plan) / best;
  json["residual"] = options.no_check ? Json(nullptr) : Json(run.residual.value);
  json["checked"] = !options.no_check;
  json["ok"] = options.no_check || run.residual.ok;
  json["executions"] = run.seconds;
  add_efficiency(json, run.efficiency);
  return json;
}

void print(const EinsumPlanRequest& request, const Outcome& o, const Options& options) {
  const MeasuredRun& run = o.run;
  const double best = *std::min_element(run.seconds.begin(), run.seconds.end());
  fmt::print("{}\n", bold(title(request, o.plan)));
  fmt::print("  {} words in {} messages (received, worst rank), planned {}, bound {}, ratio {}\n",
             grouped(run.received), run.messages, grouped(o.plan.cost.words.value),
             grouped(run.bound), ratio_text(static_cast<double>(run.received), run.bound));
  fmt::print("  {:.3g} s, {:.1f} GFLOP/s, {}\n", best, 1e-9 * flops(o.plan) / best,
             residual_text(!options.no_check, run.residual));
  print_efficiency(run.efficiency);
}

int run(const Options& options) {
  blas::use_one_thread();
  const auto [size, is_root] = world();
  const EinsumPlanRequest request = options.einsum.request(size);
  const std::int64_t repeat = repeat_count(options.repeat);
  RunTimes times{repeat, {}};
  std::unique_ptr<Progress> progress;
  if (is_root) {
    progress = std::make_unique<Progress>("summing");
    times.progress = progress->callback();
  }
  const Outcome outcome = with_type(
      options.type, [&](auto element) { return sum<decltype(element)>(request, options, times); });
  progress.reset();
  write_run_page(options.record.page,
                 facts_of(outcome.run, request.shape.text, name_of(outcome.plan), request.machine,
                          !options.no_check),
                 outcome.run.recorded);
  if (is_root && options.json) print_json(to_json(request, outcome, options));
  if (is_root && !options.json) print(request, outcome, options);
  return outcome.as_planned() && (options.no_check || outcome.run.residual.ok) ? 0 : 1;
}

}  // namespace

void add_run_einsum(CLI::App& command, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* einsum =
      command.add_subcommand("einsum", "An Einstein summation of random dense tensors");
  options->einsum.add_to(*einsum);
  add_type(*einsum, options->type);
  einsum
      ->add_option("--repeat", options->repeat,
                   "Executions of the plan; the fastest one is reported")
      ->capture_default_str();
  einsum->add_flag("--no-check", options->no_check, "Skip the check of the result");
  add_record(*einsum, options->record);
  einsum->add_flag("--json", options->json, "Print JSON");
  einsum->footer(
      "Exit status 1 when the result is wrong or other words moved than were planned.\n\nExample:\n"
      "  mpirun -n 4 redblue run einsum \"ijk,jr,kr->ir\" --set Ni=200,Nj=200,Nk=200,Nr=32");
  einsum->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace redblue::cli
