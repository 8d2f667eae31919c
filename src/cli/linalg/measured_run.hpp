// SPDX-License-Identifier: BSD-3-Clause
// A plan executed several times and counted, as run gemm and run einsum report it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/linalg/run_page.hpp"
#include "cli/linalg/run_record.hpp"
#include "cli/parallel.hpp"
#include "redblue/machine.hpp"
#include "redblue/progress.hpp"
#include "redblue/traffic.hpp"

namespace redblue::cli {

struct MeasuredRun {
  std::int64_t received = 0, sent = 0, messages = 0;  // of one execution, worst rank
  double mean_received = 0;                           // of all ranks
  std::int64_t memory = 0;                            // words, worst rank
  double bound = 0;
  std::vector<double> seconds;  // per execution, slowest rank
  Efficiency efficiency;        // of the fastest execution
  matgen::Residual residual;
  std::optional<task_graph::Execution> recorded;  // on rank 0, where a page is to be made
};

// What a page says of it.
inline RunFacts facts_of(const MeasuredRun& run, const std::string& title,
                         const std::string& decomposition, const Machine& machine, bool checked) {
  return {title,
          decomposition,
          run.received,
          run.mean_received,
          run.messages,
          0,
          run.memory,
          run.bound,
          run.seconds,
          run.efficiency,
          residual_text(checked, run.residual),
          machine};
}

// What is executed: how it is called, what it computes, what it must move, and on which machine.
struct RunOf {
  std::string title;
  double flops = 0, bound = 0;
  Machine machine;
};

struct RunTimes {
  std::int64_t repeat = 1;
  ProgressCallback progress;  // told after each execution
};

// Executes `plan` of elements of type T by `call`. The residual is left to the caller. Collective.
template <class T, class Plan, class Call>
MeasuredRun measured_run(comm::Communicator& world, RunRecord& record, const Plan& plan,
                         const RunOf& what, const RunTimes& times, Call call) {
  const double peak = peak_rate<T>(world);
  MeasuredRun run;
  for (std::int64_t r = 0; r < times.repeat; ++r) {
    run.seconds.push_back(record.seconds_of(call));
    if (times.progress)
      times.progress({static_cast<double>(r + 1), static_cast<double>(times.repeat), {}, {}});
  }
  run.recorded = record.write(what.title);
  const Traffic traffic = plan.traffic().total();
  run.received = world.maximum(traffic.words_received.value);
  run.mean_received = mean(world, traffic.words_received.value);
  run.sent = world.maximum(traffic.words_sent.value);
  run.messages = world.maximum(traffic.messages_received.value);
  run.memory = world.maximum(plan.memory().value);
  run.bound = what.bound;
  run.efficiency = {record.fastest(), world.size(), peak,      what.flops,
                    what.bound,       run.received, sizeof(T), what.machine.bytes_per_second};
  return run;
}

}  // namespace redblue::cli
