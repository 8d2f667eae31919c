// SPDX-License-Identifier: BSD-3-Clause
// redblue run trsv: execute, count along the critical path, check.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/element_type.hpp"
#include "cli/linalg/efficiency.hpp"
#include "cli/linalg/model_options.hpp"
#include "cli/linalg/run_page.hpp"
#include "cli/linalg/run_record.hpp"
#include "cli/linalg/trsv_leading.hpp"
#include "cli/linalg/trsv_options.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/parallel.hpp"
#include "linalg/blas/blas.hpp"
#include "redblue/error.hpp"
#include "redblue/lower_bound.hpp"
#include "redblue/solve.hpp"

namespace redblue::cli {

using namespace linalg;

namespace {

struct Options {
  std::string n, block, scheme = "wavefront", machine, type = "d", repeat = "1";
  TrsvFormTexts form;
  RecordFiles record;
  bool no_check = false;
  bool json = false;
};

struct Outcome {
  TrsvDecomposition decomposition;
  TrsvCost predicted;
  TrsvPath path;  // counted
  std::int64_t received = 0, messages = 0, redistributed = 0, memory = 0;
  double mean_received = 0;
  double bound = 0;
  std::vector<double> seconds;
  Efficiency efficiency;  // of the fastest execution
  matgen::Residual residual;
  Machine machine;
  std::optional<task_graph::Execution> recorded;  // on rank 0, where a page is to be made
};

std::string heading(const Outcome& o, const Options& options) {
  return fmt::format("trsv {} ({}) on {} ranks: {}", o.decomposition.n, options.form.equation(),
                     o.decomposition.ranks, o.decomposition.name());
}

// T and x in the layouts of the scheme: column panels of op(T) dealt out cyclically, or blocks of
// 64 on the squarest grid.
TrsvLayouts layouts_of(const comm::Communicator& world, const TrsvFormTexts& form, std::int64_t n,
                       TrsvScheme scheme, std::int64_t panel) {
  const int ranks = world.size();
  const Rank me = world.rank();
  TrsvLayouts layouts{form.half(), form.operation(), form.unit, {}, {}};
  if (scheme == TrsvScheme::wavefront) {
    const bool as_stored = layouts.op == Op::none;
    layouts.t = block_cyclic(n, n, panel, as_stored ? 1 : ranks, as_stored ? ranks : 1, me);
    layouts.x = block_cyclic(1, n, panel, 1, ranks, me);
    return layouts;
  }
  constexpr std::int64_t block = 64;
  const int down = squarest_grid_rows(ranks);
  layouts.t = block_cyclic(n, n, block, down, ranks / down, me);
  layouts.x = block_cyclic(n, 1, block, down, ranks / down, me);
  return layouts;
}

// What the last execution moved. Collective.
template <class T>
void count(comm::Communicator& world, const TrsvPlan<T>& plan, Outcome& o) {
  o.received = world.maximum(plan.traffic().solve.words_received.value);
  o.messages = world.maximum(plan.traffic().solve.messages_received.value);
  o.mean_received = mean(world, plan.traffic().solve.words_received.value);
  o.redistributed = world.maximum(plan.traffic().redistribute.words_received.value);
  o.memory = world.maximum(plan.memory().value);
  const Traffic all = plan.traffic().solve + plan.traffic().redistribute;
  o.efficiency.words = world.maximum(all.words_received.value);
}

template <class T>
Outcome execute(const Options& options, std::int64_t n, std::int64_t repeat,
                const ProgressCallback& progress) {
  comm::Communicator world(MPI_COMM_WORLD);
  TrsvOptions how;
  how.scheme = options.scheme == "wavefront" ? TrsvScheme::wavefront : TrsvScheme::in_place;
  if (!options.block.empty()) how.step = whole_number("--block", options.block);
  if (!options.machine.empty()) how.machine = read_machine(options.machine);
  if (how.scheme == TrsvScheme::wavefront) {
    TrsvRequest request{how.scheme, n, 1, world.size(), 1, 0, 0, {}};
    request.options.block = how.step;
    request.options.machine = how.machine;
    how.step = choose_trsv(request).block;
  }
  const TrsvLayouts layouts = layouts_of(world, options.form, n, how.scheme, how.step.value_or(1));
  const std::vector<layout::Patch> at_t = local_patches(layouts.t, world);
  const std::vector<T> t =
      matgen::array_of<T>(at_t, array_words(layouts.t, world.rank()),
                          [&](auto i, auto j) { return options.form.number<T>(i, j, n); });
  const layout::Arrangement arranged = arrangement_of(
      layouts.x, how.scheme == TrsvScheme::wavefront ? Op::transpose : Op::none, world.size());
  const std::vector<layout::Patch>& at_x =
      arranged.of_rank[static_cast<std::size_t>(world.rank().value)];
  const std::vector<T> b =
      matgen::random_array<T>(at_x, array_words(layouts.x, world.rank()), matgen::seed_b);
  std::vector<T> x;
  TrsvPlan<T> plan(MPI_COMM_WORLD, layouts, how);
  RunRecord record(world, options.record);
  Outcome o;
  o.machine = how.machine;
  o.efficiency.peak = peak_rate<T>(world);
  for (std::int64_t r = 0; r < repeat; ++r) {
    x = b;
    o.seconds.push_back(record.seconds_of([&] { plan.execute(t.data(), x.data()); }));
    if (progress) progress({static_cast<double>(r + 1), static_cast<double>(repeat), {}, {}});
  }
  o.efficiency.time = record.fastest();
  o.decomposition = plan.decomposition();
  o.recorded = record.write(heading(o, options));
  o.predicted = cost_of(o.decomposition, how.machine);
  o.bound = lower_bound(o.decomposition);
  o.path = plan.path();
  count(world, plan, o);
  o.efficiency.ranks = world.size();
  o.efficiency.flops = static_cast<double>(n) * static_cast<double>(n);
  o.efficiency.bound = o.bound;
  o.efficiency.word_bytes = sizeof(T);
  o.efficiency.bytes_per_second = how.machine.bytes_per_second;
  if (!options.no_check) {
    o.residual = matgen::check_trsv<T>(
        world, n, {options.form.lower(), layouts.op, options.form.unit, at_t, t.data()}, at_x,
        b.data(), x.data());
  }
  return o;
}

Json to_json(const Outcome& o, const Options& options, double best, double gflops) {
  Json json = {{"ranks", o.decomposition.ranks},
               {"scheme", options.scheme},
               {"decomposition", o.decomposition.name()},
               {"block", o.decomposition.step},
               {"max_words_received", o.received},
               {"mean_words_received", o.mean_received},
               {"predicted_words", o.predicted.words.value},
               {"redistributed_words", o.redistributed},
               {"lower_bound", o.bound},
               {"ratio", ratio_json(static_cast<double>(o.received), o.bound)},
               {"messages", o.messages},
               {"predicted_messages", o.predicted.messages.value},
               {"synchronisations", o.path.synchronisations},
               {"predicted_synchronisations", o.predicted.path.synchronisations},
               {"flops", o.path.operations},
               {"predicted_flops", o.predicted.path.operations},
               {"path_words", o.path.words.value},
               {"predicted_path_words", o.predicted.path.words.value},
               {"leading", leading_json(o.decomposition)},
               {"memory_words", o.memory},
               {"type", options.type},
               {"predicted_seconds", o.predicted.seconds},
               {"seconds", best},
               {"gflops", gflops},
               {"residual", options.no_check ? Json(nullptr) : Json(o.residual.value)},
               {"checked", !options.no_check},
               {"ok", options.no_check || o.residual.ok},
               {"executions", o.seconds}};
  add_efficiency(json, o.efficiency);
  return json;
}

void report(const Outcome& o, const Options& options) {
  const double best = *std::min_element(o.seconds.begin(), o.seconds.end());
  const auto n = static_cast<double>(o.decomposition.n);
  const double gflops = 1e-9 * n * n / best;
  if (options.json) {
    print_json(to_json(o, options, best, gflops));
    return;
  }
  fmt::print("{}\n", bold(heading(o, options)));
  fmt::print(
      "  {} words in {} messages (received, busiest rank; {} in the mean), predicted {} in {}, "
      "bound {}, ratio {}, {} more from the caller's layout and back\n",
      grouped(o.received), o.messages, grouped(o.mean_received), grouped(o.predicted.words.value),
      o.predicted.messages.value, grouped(o.bound),
      ratio_text(static_cast<double>(o.received), o.bound), grouped(o.redistributed));
  fmt::print(
      "  along the critical path: S = {} synchronisations, F = {} operations, W = {} words; "
      "predicted {}, {}, {}\n",
      o.path.synchronisations, grouped(o.path.operations), grouped(o.path.words.value),
      o.predicted.path.synchronisations, grouped(o.predicted.path.operations),
      grouped(o.predicted.path.words.value));
  if (o.decomposition.scheme == TrsvScheme::wavefront) {
    fmt::print("  F S = {:.3f} n^2 (leading terms, where every panel has a rank: 4 n^2)\n",
               o.path.operations * static_cast<double>(o.path.synchronisations) / (n * n));
  }
  fmt::print("  {:.3g} s, {:.1f} GFLOP/s, {}\n", best, gflops,
             residual_text(!options.no_check, o.residual));
  print_efficiency(o.efficiency);
}

int run(const Options& options) {
  blas::use_one_thread();
  const bool is_root = world().is_root;
  const std::int64_t n = whole_number("-n", options.n);
  if (n < 0) throw Error("-n " + options.n, "a negative size", "give a size of at least 0");
  const std::int64_t repeat = repeat_count(options.repeat);
  std::unique_ptr<Progress> progress;
  if (is_root) progress = std::make_unique<Progress>("computing");
  const Outcome outcome = with_type(options.type, [&](auto element) {
    return execute<decltype(element)>(options, n, repeat,
                                      progress ? progress->callback() : ProgressCallback());
  });
  progress.reset();
  const Outcome& o = outcome;
  write_run_page(
      options.record.page,
      {"trsv " + std::to_string(n) + " (" + options.form.equation() + ")", o.decomposition.name(),
       o.received, o.mean_received, o.messages, o.redistributed, o.memory, o.bound, o.seconds,
       o.efficiency, residual_text(!options.no_check, o.residual), o.machine},
      o.recorded);
  if (is_root) report(outcome, options);
  return options.no_check || outcome.residual.ok ? 0 : 1;
}

}  // namespace

void add_run_trsv(CLI::App& command, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* sub = command.add_subcommand(
      "trsv", "op(T) x = b for a random triangular T of order n, in column panels or blocks");
  sub->add_option("-n", options->n, "Order")->required();
  sub->add_option("--block", options->block,
                  "Columns of a panel, or rows solved for at a time (default: by the machine)");
  sub->add_option("--scheme", options->scheme,
                  "wavefront: over column panels; in-place: in blocks of 64 on the squarest grid")
      ->check(CLI::IsMember({"wavefront", "in-place"}))
      ->capture_default_str();
  sub->add_option("--machine", options->machine, "Machine file (see redblue machine)");
  options->form.add_to(*sub);
  add_type(*sub, options->type);
  add_record(*sub, options->record);
  sub->add_option("--repeat", options->repeat, "Executions of the plan; the fastest is reported")
      ->capture_default_str();
  sub->add_flag("--no-check", options->no_check, "Skip the residual check and its communication");
  sub->add_flag("--json", options->json, "Print JSON");
  sub->footer(
      "Exit status 1 when the result is wrong.\n\nExample:\n  mpirun -n 4 redblue run trsv -n "
      "2048 --block 64");
  sub->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace redblue::cli
