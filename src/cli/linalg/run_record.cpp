// SPDX-License-Identifier: BSD-3-Clause
#include "cli/linalg/run_record.hpp"

#include <fmt/core.h>

#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "cli/new_file.hpp"
#include "redblue/error.hpp"
#include "task_graph/recording_file.hpp"

namespace redblue::cli {

void add_record(CLI::App& command, RecordFiles& files) {
  command.add_option("--record", files.record,
                     "Write the fastest execution's messages, waits and computations to this file, "
                     "for redblue critical");
  command.add_option("--report", files.page,
                     "Write a page of the fastest execution (HTML): who sent whom, phases, "
                     "timeline, bound, MUE");
}

std::string residual_text(bool checked, const matgen::Residual& residual) {
  if (!checked) return "result not checked";
  return fmt::format("residual {:.2g} ({})", residual.value,
                     residual.ok ? "ok, below 1" : "WRONG, above 1");
}

RunRecord::RunRecord(comm::Communicator& world, RecordFiles files)
    : world_(world), files_(std::move(files)) {
  if (!files_.any()) return;
  const bool writes = world.rank().value == 0;
  const std::string& record = files_.record;
  if (!world.all(!writes || record.empty() || std::ofstream(record, std::ios::app).good())) {
    throw Error("--record " + record, "it cannot be written", "give a path that can");
  }
  bool page = true;
  if (writes && !files_.page.empty()) {
    try {
      const NewFile trial("--report", files_.page);
    } catch (const Error&) {
      page = false;
    }
  }
  if (!world.all(page))
    throw Error("--report " + files_.page, "it cannot be written", "give a path that can");
  flops_per_second_ = world.maximum(writes ? multiplication_rate<double>() : 0.0);
}

void RunRecord::keep(const ExecutionTime& time) {
  if (fastest_.seconds > 0 && time.seconds >= fastest_.seconds) return;
  fastest_ = time;
  if (files_.any()) kept_ = recorder_.actions();
}

std::optional<task_graph::Execution> RunRecord::write(const std::string& what) {
  if (!files_.any()) return std::nullopt;
  const int me = world_.rank().value;
  std::string text;
  if (me == 0) {
    text =
        task_graph::recording_head({what, fastest_.seconds, flops_per_second_, {}}, world_.size());
  }
  text += task_graph::recording_of_rank(me, kept_);
  text = world_.gather(text);
  bool written = true;
  if (me == 0 && !files_.record.empty()) {
    std::ofstream out(files_.record);
    out << text;
    written = static_cast<bool>(out.flush());
  }
  if (!world_.all(written)) {
    throw Error("--record " + files_.record, "it cannot be written", "give a path with room");
  }
  if (me != 0 || files_.page.empty()) return std::nullopt;
  std::istringstream in(text);
  return task_graph::read_recording(in, "the recording");
}

}  // namespace redblue::cli
