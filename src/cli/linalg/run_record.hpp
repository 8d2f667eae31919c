// SPDX-License-Identifier: BSD-3-Clause
// The executions of redblue run, timed, and with --record the fastest one written to a file.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "comm/communicator.hpp"
#include "comm/recorder.hpp"
#include "task_graph/execution.hpp"

namespace redblue::cli {

void add_record(CLI::App& command, std::string& path);

class RunRecord {
 public:
  // Records nothing where the path is empty. Collective; throws Error on all ranks where rank 0
  // cannot write the file.
  RunRecord(comm::Communicator& world, std::string path);

  // Seconds of the slowest rank, all starting together. Collective.
  template <class Call>
  double seconds_of(Call call) {
    world_.barrier();
    double seconds = 0;
    if (path_.empty()) {
      const double start = comm::seconds();
      call();
      seconds = comm::seconds() - start;
    } else {
      const comm::Recording recording(recorder_);
      recorder_.start();
      const double start = comm::seconds();
      call();
      seconds = comm::seconds() - start;
      recorder_.finish();
    }
    seconds = world_.maximum(seconds);
    keep(seconds);
    return seconds;
  }

  // Writes what was recorded. `what`: what ran. Collective.
  void write(const std::string& what);

 private:
  void keep(double seconds);

  comm::Communicator& world_;
  std::string path_;
  double flops_per_second_ = 0;
  double fastest_ = 0;  // 0: none yet
  comm::Recorder recorder_;
  task_graph::RankActions kept_;
};

}  // namespace redblue::cli
