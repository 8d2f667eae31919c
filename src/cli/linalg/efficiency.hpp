// SPDX-License-Identifier: BSD-3-Clause
// Where the time of an execution went, and what part of the machine it used.
#pragma once

#include <cstdint>
#include <string>

#include "cli/output.hpp"
#include "comm/communicator.hpp"
#include "comm/phases.hpp"

namespace redblue::cli {

// One execution, of the rank that took longest.
struct ExecutionTime {
  double seconds = 0;
  comm::PhaseSeconds phases{};
};

// From each rank's own time the slowest one's. Collective.
ExecutionTime of_slowest(comm::Communicator& world, const ExecutionTime& mine);

// Times call() on every rank, all starting together. Collective.
template <class Call>
ExecutionTime timed_execution(comm::Communicator& world, Call call) {
  world.barrier();
  comm::PhaseClock clock;
  const double start = comm::seconds();
  {
    const comm::Timing timing(clock);
    call();
  }
  return of_slowest(world, {comm::seconds() - start, clock.seconds()});
}

// FLOPs of type T per second of processor time, of one matrix multiplication at its best.
template <class T>
double multiplication_rate();

// The same of all ranks' processors together: what rank 0 measures now, times the processors that
// the ranks have. Collective.
template <class T>
double peak_rate(comm::Communicator& world);

// Of one execution.
struct Efficiency {
  ExecutionTime time;
  int ranks = 1;
  double peak = 0;         // peak_rate()
  double flops = 0;        // of the kernel, all ranks together
  double bound = 0;        // Q: words that the busiest rank must receive
  std::int64_t words = 0;  // D: words that it received, from the caller's layout and back too
  double word_bytes = 8;
  double bytes_per_second = 0;  // of the machine file, a rank's network

  double percent_of_peak() const { return 100 * flops / time.seconds / peak; }
  // Q/D, and (B/B^): bytes received per second of the whole execution over what the network carries
  // ([kwasniewski2021, equation 1.1]: MUE is the product). Where nothing moved there is none.
  double transfer_efficiency() const { return bound / static_cast<double>(words); }
  double bandwidth_efficiency() const {
    return static_cast<double>(words) * word_bytes / time.seconds / bytes_per_second;
  }
  Json mue() const;
  // The roofline's two numbers, FLOPs per word: what a rank does, and where the network would keep
  // pace with the processor.
  double flops_per_word() const { return flops / ranks / static_cast<double>(words); }
  double balanced_flops_per_word() const { return peak / ranks * word_bytes / bytes_per_second; }
};

Json phases_json(const comm::PhaseSeconds& phases);

// Adds phases, percent_of_peak, peak_gflops, mue and roofline.
void add_efficiency(Json& json, const Efficiency& e);

// The same as text: a table of phases and two lines.
void print_efficiency(const Efficiency& e);

}  // namespace redblue::cli
