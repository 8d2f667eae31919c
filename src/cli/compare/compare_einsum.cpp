// SPDX-License-Identifier: BSD-3-Clause
// redblue compare einsum: beside every rank's even share done alone by transposition and BLAS.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cli/commands.hpp"
#include "cli/compare/transposed_einsum.hpp"
#include "cli/einsum/random_einsum.hpp"
#include "cli/element_type.hpp"
#include "cli/linalg/efficiency.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/parallel.hpp"
#include "comm/communicator.hpp"
#include "linalg/blas/blas.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

namespace {

struct Options {
  EinsumOptionTexts einsum;
  std::string type = "d", repeat = "5";
  bool json = false;
};

struct Outcome {
  EinsumChainReport plan;
  std::vector<double> ours, reference;  // seconds of the slowest rank
  matgen::Residual residual;
  bool reference_is_right = true;
};

double median(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

template <class T>
Outcome measured(const EinsumPlanRequest& request, const Options& options, std::int64_t repeat) {
  comm::Communicator world(MPI_COMM_WORLD);
  RandomEinsum<T> einsum(request, options.einsum.chosen_order());
  TransposedEinsum<T> alone(request.shape, world.rank().value, world.size());
  Outcome outcome;
  outcome.plan = einsum.plan.plan();
  for (std::int64_t r = 0; r <= repeat; ++r) {  // in turn; the first is not counted
    const double ours = timed_execution(world, [&] { einsum.execute(); }).seconds;
    const double reference = timed_execution(world, [&] { alone.run(); }).seconds;
    if (r == 0) continue;
    outcome.ours.push_back(ours);
    outcome.reference.push_back(reference);
  }
  outcome.residual = einsum.check(world);
  outcome.reference_is_right = world.all(alone.is_right());
  return outcome;
}

void report(const EinsumPlanRequest& request, const Outcome& o, const Options& options) {
  const double ours = median(o.ours);
  const double reference = median(o.reference);
  if (options.json) {
    Json json = {{"einsum", request.shape.text}};
    json["extents"] = letters_json(request.shape);
    json["ranks"] = request.ranks;
    json["type"] = options.type;
    json["decomposition"] = name_of(o.plan);
    json["words_per_rank"] = o.plan.cost.words.value;
    json["lower_bound"] = o.plan.lower_bound;
    json["seconds"] = ours;
    json["executions"] = o.ours;
    json["reference"] = {{"name", "transposition and BLAS, each rank alone"},
                         {"seconds", reference},
                         {"executions", o.reference}};
    json["speedup"] = reference / ours;
    json["ok"] = o.residual.ok && o.reference_is_right;
    print_json(json);
    return;
  }
  fmt::print("{}\n", bold(title(request, o.plan)));
  fmt::print("  redblue                                   {:.4g} s (median), result {}\n", ours,
             o.residual.ok ? "ok" : "WRONG");
  fmt::print(
      "  transposition and BLAS, each rank alone   {:.4g} s, {:.2f} times as long, result {}\n",
      reference, reference / ours, o.reference_is_right ? "ok" : "WRONG");
}

int compare(const Options& options) {
  blas::use_one_thread();
  const auto [size, is_root] = world();
  const EinsumPlanRequest request = options.einsum.request(size);
  if (!request.shape.statements.empty()) {
    throw Error("compare einsum '" + request.shape.text + "'", "several summations",
                "compare one that reads every operand once, or use run einsum");
  }
  const std::int64_t repeat = repeat_count(options.repeat);
  const Outcome outcome = with_type(options.type, [&](auto element) {
    return measured<decltype(element)>(request, options, repeat);
  });
  if (is_root) report(request, outcome, options);
  return outcome.residual.ok && outcome.reference_is_right ? 0 : 1;
}

}  // namespace

void add_compare_einsum(CLI::App& command, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* einsum = command.add_subcommand(
      "einsum", "A summation beside every rank's even share done alone by transposition and BLAS");
  options->einsum.add_to(*einsum);
  add_type(*einsum, options->type);
  einsum->add_option("--repeat", options->repeat, "Executions of both, in turn")
      ->capture_default_str();
  einsum->add_flag("--json", options->json, "Print JSON");
  einsum->footer(
      "The reference sends nothing and has its operands as arrays in C.\n\nExample:\n"
      "  mpirun -n 2 redblue compare einsum \"ijk,kr->ijr\" --set Ni=100,Nj=100,Nk=100,Nr=32");
  einsum->callback([options, &action] { action = [options] { return compare(*options); }; });
}

}  // namespace redblue::cli
