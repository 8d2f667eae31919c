// SPDX-License-Identifier: BSD-3-Clause
#include "cli/linalg/run_record.hpp"

#include <algorithm>
#include <fstream>
#include <utility>
#include <vector>

#include "linalg/blas/blas.hpp"
#include "redblue/error.hpp"
#include "task_graph/recording_file.hpp"

namespace redblue::cli {

namespace {

// FLOPs per second of processor time, of one matrix multiplication at its best.
double multiplication_rate() {
  constexpr std::int64_t n = 1024;
  const std::vector<double> a(n * n, 1.0);
  std::vector<double> c(n * n);
  double best = 0;
  for (int i = 0; i < 4; ++i) {
    const double start = comm::processor_seconds();
    blas::gemm<double>(n, n, n, 1.0, {a.data(), n}, {a.data(), n}, 0.0, c.data(), n);
    best = std::max(best, 2.0 * n * n * n / (comm::processor_seconds() - start));
  }
  return best;
}

}  // namespace

void add_record(CLI::App& command, std::string& path) {
  command.add_option("--record", path,
                     "Write the fastest execution's messages, waits and computations to this file, "
                     "for redblue critical");
}

RunRecord::RunRecord(comm::Communicator& world, std::string path)
    : world_(world), path_(std::move(path)) {
  if (path_.empty()) return;
  const bool writes = world.rank().value == 0;
  if (!world.all(!writes || std::ofstream(path_, std::ios::app).good())) {
    throw Error("--record " + path_, "it cannot be written", "give a path that can");
  }
  flops_per_second_ = world.maximum(writes ? multiplication_rate() : 0.0);
}

void RunRecord::keep(double seconds) {
  if (path_.empty() || (fastest_ > 0 && seconds >= fastest_)) return;
  fastest_ = seconds;
  kept_ = recorder_.actions();
}

void RunRecord::write(const std::string& what) {
  if (path_.empty()) return;
  const int me = world_.rank().value;
  std::string text;
  if (me == 0) {
    text = task_graph::recording_head({what, fastest_, flops_per_second_, {}}, world_.size());
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
