// SPDX-License-Identifier: BSD-3-Clause
// redblue run qr.
#include <fmt/core.h>

#include <complex>

#include "cli/linalg/factor_run.hpp"
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

}  // namespace redblue::cli
