// SPDX-License-Identifier: BSD-3-Clause
// redblue run qr; and what all of `run` say of an execution.
#include <fmt/core.h>

#include <algorithm>
#include <complex>

#include "cli/linalg/factor_run.hpp"
#include "cli/output.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "matgen/check.hpp"
#include "redblue/qr.hpp"

namespace redblue::cli {

using namespace linalg;

template <class T>
FactorOutcome run_qr(const FactorRunOptions& options, std::int64_t repeat) {
  comm::Communicator world(MPI_COMM_WORLD);
  const std::int64_t m = options.kernel.rows();
  const std::int64_t n = options.kernel.columns();
  const FactorOptions how = options.kernel.factor();
  const BlockCyclic layout = caller_layout(world, m, n);
  QrPlan<T> plan(MPI_COMM_WORLD, layout, how);
  const std::vector<layout::Patch> held = local_patches(layout, world);
  const std::vector<T> original =
      matgen::random_array<T>(held, array_words(layout, world.rank()), matgen::seed_a);
  std::vector<T> a;
  FactorOutcome o;
  o.efficiency.bytes_per_second = how.machine.bytes_per_second;
  o.title = fmt::format("qr {} x {}", m, n);
  o.decomposition = plan.decomposition().name();
  o.predicted = cost_of(plan.decomposition(), how.machine);
  o.bound = lower_bound(plan.decomposition());
  o.multiplications = qr_products(m, n);
  timed<T>(
      world, options, repeat, o, [&] { a = original; }, [&] { plan.execute(a.data()); });
  count(world, o, plan.traffic().factor, plan.traffic().redistribute, plan.memory());
  if (!options.no_check) o.residual = matgen::check_qr(world, m, n, plan.tau(), held, a.data());
  return o;
}

template FactorOutcome run_qr<float>(const FactorRunOptions&, std::int64_t);
template FactorOutcome run_qr<double>(const FactorRunOptions&, std::int64_t);
template FactorOutcome run_qr<std::complex<float>>(const FactorRunOptions&, std::int64_t);
template FactorOutcome run_qr<std::complex<double>>(const FactorRunOptions&, std::int64_t);

void report(const FactorOutcome& o, const FactorRunOptions& options, int ranks) {
  const double best = *std::min_element(o.seconds.begin(), o.seconds.end());
  const double gflops = 2e-9 * o.multiplications / best;
  const auto received = static_cast<double>(o.received);
  if (options.json) {
    Json json = {{"ranks", ranks},
                 {"decomposition", o.decomposition},
                 {"max_words_received", o.received},
                 {"mean_words_received", o.mean_received},
                 {"predicted_words", o.predicted.words.value},
                 {"redistributed_words", o.redistributed},
                 {"lower_bound", o.bound},
                 {"ratio", ratio_json(received, o.bound)},
                 {"messages", o.messages},
                 {"memory_words", o.memory},
                 {"type", options.type},
                 {"seconds", best},
                 {"gflops", gflops},
                 {"residual", options.no_check ? Json(nullptr) : Json(o.residual.value)},
                 {"checked", !options.no_check},
                 {"ok", options.no_check || o.residual.ok},
                 {"executions", o.seconds}};
    add_efficiency(json, o.efficiency);
    print_json(json);
    return;
  }
  fmt::print("{}\n", bold(heading(o, ranks)));
  fmt::print(
      "  {} words in {} messages (received, busiest rank; {} in the mean), predicted {}, bound {}, "
      "ratio {}\n",
      grouped(o.received), o.messages, grouped(o.mean_received), grouped(o.predicted.words.value),
      grouped(o.bound), ratio_text(received, o.bound));
  if (o.redistributed > 0)
    fmt::print("  {} words more from the caller's layout and back\n", grouped(o.redistributed));
  fmt::print("  {:.3g} s, {:.1f} GFLOP/s, {}\n", best, gflops,
             residual_text(!options.no_check, o.residual));
  print_efficiency(o.efficiency);
}

}  // namespace redblue::cli
