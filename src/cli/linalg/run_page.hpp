// SPDX-License-Identifier: BSD-3-Clause
// The page of an execution on ranks: redblue run --report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/linalg/efficiency.hpp"
#include "redblue/machine.hpp"
#include "task_graph/execution.hpp"

namespace redblue::cli {

// What was run and counted, all of one execution.
struct RunFacts {
  std::string title;          // "gemm 300 x 300 x 300"
  std::string decomposition;  // the plan's
  std::int64_t received = 0;  // words, busiest rank, without redistribution
  double mean_received = 0;
  std::int64_t messages = 0;
  std::int64_t redistributed = 0;  // words, busiest rank: from the caller's layout and back
  std::int64_t memory = 0;         // words, of the rank that needs most
  double bound = 0;                // words that the busiest rank must receive
  std::vector<double> seconds;     // of each execution
  Efficiency efficiency;           // of the fastest
  std::string residual;
  Machine machine;
};

// Rank 0 writes it: `recorded` is its own. Collective; throws Error on all ranks where it cannot
// be written. Nothing where the path is empty.
void write_run_page(const std::string& path, const RunFacts& facts,
                    const std::optional<task_graph::Execution>& recorded);

// The page itself.
std::string run_page(const RunFacts& facts, const task_graph::Execution& execution);

}  // namespace redblue::cli
