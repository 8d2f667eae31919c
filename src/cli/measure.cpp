#include "cli/measure.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "cli/measure_memory.hpp"
#include "comm/communicator.hpp"
#include "linalg/blas.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

namespace {

double flop_rate() {
  constexpr std::int64_t n = 1024;
  const std::vector<double> a(n * n, 1.0);
  std::vector<double> c(n * n);
  double best = 0;
  for (int i = 0; i < 6; ++i) {
    const double start = comm::seconds();
    blas::gemm<double>(n, n, n, 1.0, {a.data(), n}, {a.data(), n}, 0.0, c.data(), n);
    best = std::max(best, 2.0 * n * n * n / (comm::seconds() - start));
  }
  return best;
}

// Seconds for one message of `words` words, half a round trip, best of several series.
double message_seconds(comm::Communicator& world, std::int64_t words, int trips) {
  std::vector<double> buffer(static_cast<std::size_t>(words), 1.0);
  const int me = world.rank().value;
  if (me > 1) return 0;
  const auto message = comm::Message::of<double>(Rank{1 - me}, 0, {{0, words}});
  std::vector<MPI_Request> pending;
  Traffic ignored;
  double best = 1e300;
  for (int series = 0; series < 5; ++series) {
    const double start = comm::seconds();
    for (int t = 0; t < trips; ++t) {
      for (const bool sends : {me == 0, me != 0}) {
        if (sends) {
          world.send(buffer.data(), message, pending, ignored);
        } else {
          world.receive(buffer.data(), message, pending, ignored);
        }
        comm::Communicator::wait(pending);
      }
    }
    best = std::min(best, (comm::seconds() - start) / (2.0 * trips));
  }
  return best;
}

[[noreturn]] void start_again_under_mpirun(const std::vector<std::string>& arguments) {
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
  std::vector<std::string> words = {"mpirun", "-n", "2", "/proc/self/exe"};
  std::vector<char> path(4096, '\0');
  if (readlink("/proc/self/exe", path.data(), path.size() - 1) > 0) words.back() = path.data();
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  execvp("mpirun", argv.data());
  throw Error("redblue machine --measure", "mpirun cannot be started",
              "install an MPI or run without --measure");
}

}  // namespace

Machine measured_machine(const std::vector<std::string>& arguments) {
  int started = 0;
  MPI_Initialized(&started);
  if (started == 0) start_again_under_mpirun(arguments);
  comm::Communicator world(MPI_COMM_WORLD);
  if (world.size() < 2) {
    throw Error("redblue machine --measure", "one rank has no network",
                "run it on two ranks: mpirun -n 2");
  }
  blas::use_one_thread();
  Machine machine;
  std::vector<char> host(256, '\0');
  gethostname(host.data(), host.size() - 1);
  machine.name = host.data();
  double rate = 0;
  if (world.rank().value == 0) rate = flop_rate();
  machine.flops_per_second = world.maximum(rate);
  constexpr std::int64_t large = std::int64_t{1} << 20;
  machine.latency_seconds = world.maximum(message_seconds(world, 1, 400));
  machine.bytes_per_second = 8.0 * large / world.maximum(message_seconds(world, large, 8));
  machine.levels = measured_levels(world, machine.flops_per_second);
  return machine;
}

}  // namespace redblue::cli
