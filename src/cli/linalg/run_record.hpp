// SPDX-License-Identifier: BSD-3-Clause
// The executions of redblue run, timed, and with --record the fastest one written to a file.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "cli/linalg/efficiency.hpp"
#include "comm/communicator.hpp"
#include "comm/recorder.hpp"
#include "matgen/check.hpp"
#include "task_graph/execution.hpp"

namespace redblue::cli {

void add_record(CLI::App& command, std::string& path);

// "residual 0.12 (ok, below 1)", or that the result is not checked.
std::string residual_text(bool checked, const matgen::Residual& residual);

class RunRecord {
 public:
  // Records nothing where the path is empty. Collective; throws Error on all ranks where rank 0
  // cannot write the file.
  RunRecord(comm::Communicator& world, std::string path);

  // Seconds of the slowest rank, all starting together. Collective.
  template <class Call>
  double seconds_of(Call call) {
    ExecutionTime time;
    if (path_.empty()) {
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

  // Writes what was recorded. `what`: what ran. Collective.
  void write(const std::string& what);

 private:
  void keep(const ExecutionTime& time);

  comm::Communicator& world_;
  std::string path_;
  double flops_per_second_ = 0;
  ExecutionTime fastest_;  // 0 seconds: none yet
  comm::Recorder recorder_;
  task_graph::RankActions kept_;
};

}  // namespace redblue::cli
