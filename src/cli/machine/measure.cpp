// SPDX-License-Identifier: BSD-3-Clause
#include "cli/machine/measure.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "cli/machine/measure_memory.hpp"
#include "comm/communicator.hpp"
#include "linalg/blas/blas.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

namespace {

// FLOPs of a large multiplication per second, of the clock and of the processor time the rank had.
struct Rate {
  double by_clock = 0, by_processor = 0;
};

Rate flop_rate(int times) {
  constexpr std::int64_t n = 1024;
  const double flops = 2.0 * n * n * n * times;
  const std::vector<double> a(n * n, 1.0);
  std::vector<double> c(n * n);
  const double start = comm::seconds();
  const double had = comm::processor_seconds();
  for (int i = 0; i < times; ++i) {
    blas::gemm<double>(n, n, n, 1.0, {a.data(), n}, {a.data(), n}, 0.0, c.data(), n);
  }
  return {flops / (comm::seconds() - start), flops / (comm::processor_seconds() - had)};
}

// How many ranks run on each machine, and how many processors they have to share while all of them
// compute: the most of several series, as other programs may take a processor for a while. Nothing
// where each has its own.
void measure_sharing(comm::Communicator& world, const std::string& host, Machine& machine) {
  const int mine = static_cast<int>(std::hash<std::string>{}(host)&0x7fffffff);
  const std::vector<int> hosts = world.gather(std::vector<int>{mine});
  const auto together = std::count(hosts.begin(), hosts.end(), mine);
  // the parts of a processor that all ranks had together, in each series
  std::vector<double> parts(4);
  for (double& part : parts) {
    world.barrier();
    const Rate rate = flop_rate(4);
    part = rate.by_clock / rate.by_processor;
  }
  world.sum(parts);
  const double most = *std::max_element(parts.begin(), parts.end());
  const double processors = most * static_cast<double>(together) / world.size();
  constexpr double own = 0.85;
  if (processors > own * static_cast<double>(together)) return;
  machine.ranks_together = static_cast<int>(together);
  machine.processors = processors;
}

// Columns of a block of this many rows, as the algorithms send them.
comm::Message block_message(Rank peer, std::int64_t words) {
  constexpr std::int64_t rows = 64;
  std::vector<comm::Run> columns;
  for (std::int64_t at = 0; at < words; at += rows) columns.push_back({2 * at, rows});
  return comm::Message::of<double>(peer, 0, columns);
}

// Seconds in which every rank sends such a message to the next and receives one, best of several
// series.
double ring_seconds(comm::Communicator& world, std::int64_t words) {
  constexpr int trips = 5;
  const std::vector<double> from(static_cast<std::size_t>(2 * words), 1.0);
  std::vector<double> to(from.size());
  const int me = world.rank().value;
  const comm::Message out = block_message(Rank{(me + 1) % world.size()}, words);
  const comm::Message in = block_message(Rank{(me + world.size() - 1) % world.size()}, words);
  std::vector<MPI_Request> pending;
  Traffic ignored;
  double best = 1e300;
  for (int series = 0; series < 5; ++series) {
    world.barrier();
    const double start = comm::seconds();
    for (int t = 0; t < trips; ++t) {
      world.receive(to.data(), in, pending, ignored);
      world.send(from.data(), out, pending, ignored);
      comm::Communicator::wait(pending);
    }
    best = std::min(best, world.maximum((comm::seconds() - start) / trips));
  }
  return best;
}

// A message back and forth between ranks 0 and 1, so many times.
void exchange(comm::Communicator& world, const comm::Message& message, int trips) {
  std::vector<double> buffer(static_cast<std::size_t>(2 * message.words().value), 1.0);
  const int me = world.rank().value;
  std::vector<MPI_Request> pending;
  Traffic ignored;
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
}

comm::Message to_other(const comm::Communicator& world, std::int64_t words) {
  return comm::Message::of<double>(Rank{1 - world.rank().value}, 0, {{0, words}});
}

// Seconds for one message, half a round trip, best of several series.
double message_seconds(comm::Communicator& world, const comm::Message& message, int trips) {
  double best = 1e300;
  for (int series = 0; series < 5; ++series) {
    const double start = comm::seconds();
    exchange(world, message, trips);
    best = std::min(best, (comm::seconds() - start) / (2.0 * trips));
  }
  return best;
}

double message_seconds(comm::Communicator& world, std::int64_t words, int trips) {
  if (world.rank().value > 1) return 0;
  return message_seconds(world, to_other(world, words), trips);
}

// What the bytes of a block take of processors, where ranks share them: all that a message takes
// for its bytes when two ranks exchange blocks, or, if that is less, what it takes of the
// processors when all ranks do.
void measure_copying(comm::Communicator& world, Machine& machine) {
  if (machine.ranks_together == 0) return;
  constexpr double word_bytes = 8;
  constexpr std::int64_t small = std::int64_t{1} << 14;
  constexpr std::int64_t large = std::int64_t{1} << 17;
  const auto alone = [&world](std::int64_t words) {
    if (world.rank().value > 1) return 0.0;
    return message_seconds(world, block_message(Rank{1 - world.rank().value}, words), 5);
  };
  const double more = word_bytes * (large - small);
  const double of_two = world.maximum(alone(large) - alone(small)) / more;
  const double of_all = (ring_seconds(world, large) - ring_seconds(world, small)) / more;
  const double shared = of_all * machine.processors / machine.ranks_together;
  const double both_ends = std::min(of_two, shared);
  if (both_ends > 0) machine.copy_bytes_per_second = 2 / both_ends;
}

// What a message takes longer while the other ranks of its machine compute: none of the two has a
// processor of its own then. Nothing where ranks do not share processors.
void measure_turn(comm::Communicator& world, Machine& machine) {
  if (machine.ranks_together <= 2) return;
  constexpr int trips = 200;
  constexpr std::int64_t n = 512;
  const int me = world.rank().value;
  double busy = 0;
  world.barrier();
  if (me < 2) {
    const double start = comm::seconds();
    exchange(world, to_other(world, 1), trips);
    busy = (comm::seconds() - start) / (2.0 * trips);
  } else {
    // as long as the others exchange messages, and not much longer
    const double enough = comm::seconds() + trips * 2e-3;
    const std::vector<double> a(n * n, 1.0);
    std::vector<double> c(n * n);
    while (comm::seconds() < enough) {
      blas::gemm<double>(n, n, n, 1.0, {a.data(), n}, {a.data(), n}, 0.0, c.data(), n);
    }
  }
  machine.turn_seconds = std::max(0.0, world.maximum(busy) - machine.latency_seconds);
}

// What exchanging a word with both neighbours takes while all ranks compute before and after it,
// and what a message to the next takes while all ranks only send and wait. Nothing where ranks do
// not share processors: messages take their latency then.
void measure_exchange(comm::Communicator& world, Machine& machine) {
  if (machine.ranks_together == 0) return;
  constexpr int rounds = 100;
  constexpr std::int64_t n = 96;  // about 0.1 ms of computing
  constexpr std::size_t series = 7;
  const int me = world.rank().value;
  const std::array<Rank, 2> neighbours = {Rank{(me + 1) % world.size()},
                                          Rank{(me + world.size() - 1) % world.size()}};
  const std::vector<double> a(n * n, 1.0);
  std::vector<double> c(n * n);
  std::vector<double> words(4, 1.0);
  std::vector<MPI_Request> pending;
  Traffic ignored;
  const auto seconds = [&](bool computes, bool exchanges) {
    world.barrier();
    const double start = comm::seconds();
    for (int i = 0; i < rounds; ++i) {
      if (computes) {
        blas::gemm<double>(n, n, n, 1.0, {a.data(), n}, {a.data(), n}, 0.0, c.data(), n);
      }
      for (int k = 0; exchanges && k < (computes ? 2 : 1); ++k) {
        // what goes to the next rank comes from the one before
        const auto of = [k](Rank peer, std::int64_t at) {
          return comm::Message::of<double>(peer, k, {{at, 1}});
        };
        const auto next = static_cast<std::size_t>(k);
        world.receive(words.data(), of(neighbours[1 - next], k), pending, ignored);
        world.send(words.data(), of(neighbours[next], 2 + k), pending, ignored);
      }
      comm::Communicator::wait(pending);
    }
    return world.maximum((comm::seconds() - start) / rounds);
  };
  std::array<double, series> more{};
  std::array<double, series> waits{};
  for (std::size_t s = 0; s < series; ++s) {
    more[s] = -seconds(true, false) + seconds(true, true);
    waits[s] = seconds(false, true);
  }
  std::sort(more.begin(), more.end());
  std::sort(waits.begin(), waits.end());
  machine.exchange_seconds = std::max(0.0, more[series / 2]);
  machine.waiting_seconds = waits[series / 2];
}

// Messages that wait for their receiver: from which size on, and what they take beside their bytes.
void measure_large_messages(comm::Communicator& world, Machine& machine) {
  constexpr double word_bytes = 8;
  constexpr int trips = 40;
  const auto beside_bytes = [&](std::int64_t words) {
    return world.maximum(message_seconds(world, words, trips)) -
           static_cast<double>(words) * word_bytes / machine.bytes_per_second;
  };
  constexpr std::int64_t large = std::int64_t{1} << 15;
  const double latency = beside_bytes(large);
  constexpr double clearly = 1.5;
  if (latency < clearly * machine.latency_seconds) return;
  std::int64_t eager = 1;  // words
  const double middle = (machine.latency_seconds + latency) / 2;
  while (2 * eager < large && beside_bytes(2 * eager) < middle) eager *= 2;
  machine.large_latency_seconds = latency;
  machine.eager_bytes = eager * static_cast<std::int64_t>(word_bytes);
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
  if (world.rank().value == 0) rate = flop_rate(6).by_processor;
  machine.flops_per_second = world.maximum(rate);
  measure_sharing(world, machine.name, machine);
  constexpr std::int64_t large = std::int64_t{1} << 20;
  machine.latency_seconds = world.maximum(message_seconds(world, 1, 400));
  machine.bytes_per_second = 8.0 * large / world.maximum(message_seconds(world, large, 8));
  measure_large_messages(world, machine);
  measure_turn(world, machine);
  measure_copying(world, machine);
  measure_exchange(world, machine);
  measure_memory(world, machine);
  return machine;
}

}  // namespace redblue::cli
