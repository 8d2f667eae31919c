// SPDX-License-Identifier: BSD-3-Clause
// Run under mpirun: the chosen stencil scheme against pa0, executed in turn, and against what main
// memory allows pa0, measured in the same run.
//   stencil_speed D N STEPS [ROUNDS [RADIUS]]
// One line: seconds of pa0 and of the choice (medians), their ratio, the bandwidth pa0 reached and
// that of a plain copy loop.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "comm/communicator.hpp"
#include "redblue/stencil.hpp"
#include "stencil/average.hpp"
#include "timing.hpp"

namespace redblue::stencil {

namespace {

using redblue::bench::median;

// Of all ranks together: bytes that b = a + 1 reads, reads to replace and writes.
double copy_bandwidth(comm::Communicator& world) {
  const std::size_t words = std::size_t{1} << 24;
  std::vector<double> a(words, 1.);
  std::vector<double> b(words, 0.);
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    world.barrier();
    const double start = comm::seconds();
    for (std::size_t x = 0; x < words; ++x) b[x] = a[x] + 1;
    a[static_cast<std::size_t>(i)] = b[words - 1];
    best = std::min(best, world.maximum(comm::seconds() - start));
  }
  return 24. * static_cast<double>(words) * world.size() / best;
}

struct Run {
  StencilPlan<double> plan;
  std::vector<double> values;
  std::vector<double> seconds;

  Run(const StencilProgram& p, const StencilOptions& options)
      : plan(MPI_COMM_WORLD, p, {average<double>(p)}, options),
        values(static_cast<std::size_t>(plan.owned().value), 1.) {}

  void execute(comm::Communicator& world, std::int64_t steps) {
    double* const fields[] = {values.data()};
    world.barrier();
    const double start = comm::seconds();
    plan.execute(fields, steps);
    seconds.push_back(world.maximum(comm::seconds() - start));
  }
};

int run(int argc, char** argv) {
  comm::Communicator world(MPI_COMM_WORLD);
  if (argc < 4) {
    if (world.rank().value == 0)
      std::fprintf(stderr, "stencil_speed D N STEPS [ROUNDS [RADIUS]]\n");
    return 2;
  }
  const int dimensions = std::atoi(argv[1]);
  const std::int64_t n = std::atoll(argv[2]);
  const std::int64_t steps = std::atoll(argv[3]);
  const int rounds = argc > 4 ? std::atoi(argv[4]) : 5;
  const std::int64_t radius = argc > 5 ? std::atoll(argv[5]) : 1;
  const StencilProgram p = stencil_program(dimensions, n, radius, true, StencilBoundary::fixed);
  StencilOptions options;
  options.steps = steps;
  Run chosen(p, options);
  options.scheme = StencilScheme::pa0;
  Run pa0(p, options);
  for (int i = 0; i < rounds; ++i) {
    for (Run* r : {&pa0, &chosen}) r->execute(world, steps);
  }
  const double bandwidth = copy_bandwidth(world);
  if (world.rank().value != 0) return 0;
  const double points = static_cast<double>(p.sweeps[0].interior.points());
  const double reached = 24. * points * static_cast<double>(steps) / median(pa0.seconds);
  std::printf(
      "d %d, n %lld, %lld steps, %d ranks: pa0 %.4f s, %s %.4f s: %.2f times as fast; pa0 moves "
      "%.1f GB/s of the %.1f GB/s of a copy\n",
      dimensions, static_cast<long long>(n), static_cast<long long>(steps), world.size(),
      median(pa0.seconds), chosen.plan.decomposition().name().c_str(), median(chosen.seconds),
      median(pa0.seconds) / median(chosen.seconds), reached * 1e-9, bandwidth * 1e-9);
  return 0;
}

}  // namespace

}  // namespace redblue::stencil

int main(int argc, char** argv) {
  const redblue::comm::Session session;
  return redblue::stencil::run(argc, argv);
}
