// SPDX-License-Identifier: BSD-3-Clause
#include "cli/linalg/run_record.hpp"

#include <fmt/core.h>

#include <fstream>
#include <utility>
#include <vector>

#include "redblue/error.hpp"
#include "task_graph/recording_file.hpp"

namespace redblue::cli {

void add_record(CLI::App& command, std::string& path) {
  command.add_option("--record", path,
                     "Write the fastest execution's messages, waits and computations to this file, "
                     "for redblue critical");
}

std::string residual_text(bool checked, const matgen::Residual& residual) {
  if (!checked) return "result not checked";
  return fmt::format("residual {:.2g} ({})", residual.value,
                     residual.ok ? "ok, below 1" : "WRONG, above 1");
}

RunRecord::RunRecord(comm::Communicator& world, std::string path)
    : world_(world), path_(std::move(path)) {
  if (path_.empty()) return;
  const bool writes = world.rank().value == 0;
  if (!world.all(!writes || std::ofstream(path_, std::ios::app).good())) {
    throw Error("--record " + path_, "it cannot be written", "give a path that can");
  }
  flops_per_second_ = world.maximum(writes ? multiplication_rate<double>() : 0.0);
}

void RunRecord::keep(const ExecutionTime& time) {
  if (fastest_.seconds > 0 && time.seconds >= fastest_.seconds) return;
  fastest_ = time;
  if (!path_.empty()) kept_ = recorder_.actions();
}

void RunRecord::write(const std::string& what) {
  if (path_.empty()) return;
  const int me = world_.rank().value;
  std::string text;
  if (me == 0) {
    text =
        task_graph::recording_head({what, fastest_.seconds, flops_per_second_, {}}, world_.size());
  }
  text += task_graph::recording_of_rank(me, kept_);
  text = world_.gather(text);
  bool written = true;
  if (me == 0) {
    std::ofstream out(path_);
    out << text;
    written = static_cast<bool>(out.flush());
  }
  if (!world_.all(written)) {
    throw Error("--record " + path_, "it cannot be written", "give a path with room");
  }
}

}  // namespace redblue::cli
