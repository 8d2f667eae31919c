// SPDX-License-Identifier: BSD-3-Clause
// The executions of redblue run, timed, and with --record or --report the fastest one recorded.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

#include "cli/linalg/efficiency.hpp"
#include "comm/communicator.hpp"
#include "comm/recorder.hpp"
#include "matgen/check.hpp"
#include "task_graph/execution.hpp"

namespace redblue::cli {

// Where what was recorded goes.
struct RecordFiles {
  std::string record, page;  // --record, --report; empty: nowhere
  bool any() const { return !record.empty() || !page.empty(); }
};

void add_record(CLI::App& command, RecordFiles& files);

// "residual 0.12 (ok, below 1)", or that the result is not checked.
std::string residual_text(bool checked, const matgen::Residual& residual);

class RunRecord {
 public:
  // Records nothing where there are no files. Collective; throws Error on all ranks where rank 0
  // cannot write them.
  RunRecord(comm::Communicator& world, RecordFiles files);

  // Seconds of the slowest rank, all starting together. Collective.
  template <class Call>
  double seconds_of(Call call) {
    ExecutionTime time;
    if (!files_.any()) {
      time = timed_execution(world_, call);
    } else {
      time = timed_execution(world_, [&] {
        const comm::Recording recording(recorder_);
        recorder_.start();
        call();
        recorder_.finish();
      });
    }
    keep(time);
    return time.seconds;
  }

  const ExecutionTime& fastest() const { return fastest_; }

  // Writes what was recorded. `what`: what ran. Collective. Returns it on rank 0 where a page is to
  // be made of it.
  std::optional<task_graph::Execution> write(const std::string& what);

 private:
  void keep(const ExecutionTime& time);

  comm::Communicator& world_;
  RecordFiles files_;
  double flops_per_second_ = 0;
  ExecutionTime fastest_;  // 0 seconds: none yet
  comm::Recorder recorder_;
  task_graph::RankActions kept_;
};

}  // namespace redblue::cli
