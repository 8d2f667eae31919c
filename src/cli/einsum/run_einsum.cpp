// SPDX-License-Identifier: BSD-3-Clause
// redblue run einsum: a summation of random tensors on the ranks it was started on, counted and
// checked.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cli/commands.hpp"
#include "cli/einsum/einsum_options.hpp"
#include "cli/element_type.hpp"
#include "cli/linalg/run_record.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/parallel.hpp"
#include "comm/communicator.hpp"
#include "linalg/blas/blas.hpp"
#include "matgen/einsum_check.hpp"
#include "redblue/einsum_plan.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

namespace {

struct Options {
  EinsumOptionTexts einsum;
  std::string type = "d", repeat = "1", record;
  bool no_check = false;
  bool json = false;
  ProgressCallback progress;  // told after each execution
};

struct Outcome {
  EinsumChainReport plan;
  std::int64_t received = 0, sent = 0, messages = 0;  // of one execution, worst rank
  std::int64_t planned = 0;                           // words that the plan receives, worst rank
  double mean_received = 0;                           // of all ranks
  std::int64_t memory = 0;                            // words, worst rank
  double bound = 0;
  std::vector<double> seconds;  // per execution, slowest rank
  Efficiency efficiency;        // of the fastest execution
  matgen::Residual residual;
};

std::string title(const EinsumPlanRequest& request, const Outcome& o) {
  return fmt::format("einsum {} ({}) on {} ranks: {}", request.shape.text,
                     letters_text(request.shape), request.ranks, name_of(o.plan));
}

// One multiplication and addition per product of operands: of all of them where it is done at once,
// as where two are multiplied, else of every step.
double flops(const EinsumChainReport& plan) {
  double all = 0;
  for (const EinsumStep& s : plan.steps)
    all += (s.shape.operands() > 1 ? 2 : 1) * s.shape.products();
  return all;
}

template <class T>
Outcome sum(const EinsumPlanRequest& request, const Options& options, std::int64_t repeat) {
  comm::Communicator world(MPI_COMM_WORLD);
  RunRecord record(world, options.record);
  const EinsumShape& shape = request.shape;
  EinsumPlan<T> plan(
      MPI_COMM_WORLD, shape,
      {options.einsum.chosen_order(), request.memory, request.objective, request.machine});
  std::vector<std::vector<T>> arrays;
  std::vector<const T*> operands;
  for (std::size_t o = 0; o < shape.operands(); ++o) arrays.push_back(matgen::random_part(plan, o));
  for (const auto& array : arrays) operands.push_back(array.data());
  std::vector<T> result(static_cast<std::size_t>(plan.owned(shape.operands()).value));
  const double peak = peak_rate<T>(world);
  Outcome outcome;
  outcome.plan = plan.plan();
  for (std::int64_t r = 0; r < repeat; ++r) {
    outcome.seconds.push_back(
        record.seconds_of([&] { plan.execute(T(1), operands, T(0), result.data()); }));
    if (options.progress)
      options.progress({static_cast<double>(r + 1), static_cast<double>(repeat), {}, {}});
  }
  outcome.efficiency = {record.fastest(), world.size(), peak, flops(outcome.plan)};
  record.write(title(request, outcome));
  const Traffic traffic = plan.traffic().total();
  outcome.received = world.maximum(traffic.words_received.value);
  outcome.planned = outcome.plan.cost.words.value;
  outcome.mean_received = mean(world, traffic.words_received.value);
  outcome.sent = world.maximum(traffic.words_sent.value);
  outcome.messages = world.maximum(traffic.messages_received.value);
  outcome.memory = world.maximum(plan.memory().value);
  outcome.bound = outcome.plan.lower_bound;
  outcome.efficiency.words = outcome.received;
  outcome.efficiency.bound = outcome.bound;
  outcome.efficiency.word_bytes = sizeof(T);
  outcome.efficiency.bytes_per_second = request.machine.bytes_per_second;
  if (!options.no_check) outcome.residual = matgen::check_einsum(world, plan, result.data());
  return outcome;
}

Json to_json(const EinsumPlanRequest& request, const Outcome& o, const Options& options) {
  const double best = *std::min_element(o.seconds.begin(), o.seconds.end());
  Json json = {{"einsum", request.shape.text}};
  json["extents"] = letters_json(request.shape);
  json["ranks"] = request.ranks;
  const EinsumStep& first = o.plan.steps.front();
  json["decomposition"] = o.plan.steps.size() > 1
                              ? Json({{"name", name_of(o.plan)}})
                              : decomposition_json(first.shape, first.report.decomposition);
  json["max_words_received"] = o.received;
  json["words_per_rank"] = o.received;  // the same
  json["planned_words"] = o.planned;
  json["mean_words_received"] = o.mean_received;
  json["max_words_sent"] = o.sent;
  json["lower_bound"] = o.bound;
  json["ratio"] = ratio_json(static_cast<double>(o.received), o.bound);
  json["messages"] = o.messages;
  json["memory_words"] = o.memory;
  json["steps"] = steps_json(request.shape, o.plan);
  json["type"] = options.type;
  json["seconds"] = best;
  json["gflops"] = 1e-9 * flops(o.plan) / best;
  json["residual"] = options.no_check ? Json(nullptr) : Json(o.residual.value);
  json["checked"] = !options.no_check;
  json["ok"] = options.no_check || o.residual.ok;
  json["executions"] = o.seconds;
  add_efficiency(json, o.efficiency);
  return json;
}

void print(const EinsumPlanRequest& request, const Outcome& o, const Options& options) {
  const double best = *std::min_element(o.seconds.begin(), o.seconds.end());
  fmt::print("{}\n", bold(title(request, o)));
  fmt::print("  {} words in {} messages (received, worst rank), planned {}, bound {}, ratio {}\n",
             grouped(o.received), o.messages, grouped(o.planned), grouped(o.bound),
             ratio_text(static_cast<double>(o.received), o.bound));
  fmt::print("  {:.3g} s, {:.1f} GFLOP/s, {}\n", best, 1e-9 * flops(o.plan) / best,
             options.no_check ? "result not checked"
                              : fmt::format("residual {:.2g} ({})", o.residual.value,
                                            o.residual.ok ? "ok, below 1" : "WRONG, above 1"));
  print_efficiency(o.efficiency);
}

int run(const Options& options) {
  blas::use_one_thread();
  const auto [size, is_root] = world();
  const EinsumPlanRequest request = options.einsum.request(size);
  const std::int64_t repeat = whole_number("--repeat", options.repeat);
  if (repeat < 1) throw Error("--repeat " + options.repeat, "nothing to run", "give 1 or more");
  std::unique_ptr<Progress> progress;
  Options told = options;
  if (is_root) {
    progress = std::make_unique<Progress>("summing");
    told.progress = progress->callback();
  }
  const Outcome outcome = with_type(
      options.type, [&](auto element) { return sum<decltype(element)>(request, told, repeat); });
  progress.reset();
  if (is_root && options.json) print_json(to_json(request, outcome, options));
  if (is_root && !options.json) print(request, outcome, options);
  const bool as_planned = outcome.received == outcome.planned;
  return as_planned && (options.no_check || outcome.residual.ok) ? 0 : 1;
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
