// SPDX-License-Identifier: BSD-3-Clause
// What redblue run of a factorization, a symmetric update or a solve counted, and how it is told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/linalg/efficiency.hpp"
#include "cli/linalg/run_page.hpp"
#include "matgen/check.hpp"
#include "redblue/cost.hpp"
#include "task_graph/execution.hpp"

namespace redblue::cli {

struct FactorOutcome {
  std::string title, decomposition;
  Cost predicted;
  std::int64_t received = 0, messages = 0;  // of the kernel proper, one execution, busiest rank
  double mean_received = 0;                 // of all ranks
  std::int64_t redistributed = 0;           // words, from the caller's layout and back
  std::int64_t memory = 0;
  double bound = 0;
  double multiplications = 0;
  std::vector<double> seconds;
  Efficiency efficiency;  // of the fastest execution
  matgen::Residual residual;
  std::optional<task_graph::Execution> recorded;  // on rank 0, where a page is to be made
};

// What of the options shows.
struct FactorTold {
  std::string type;
  bool checked = true, json = false;
};

std::string heading(const FactorOutcome& outcome, int ranks);
void report(const FactorOutcome& outcome, const FactorTold& told, int ranks);
RunFacts facts_of(const FactorOutcome& outcome, const FactorTold& told, const Machine& machine);

}  // namespace redblue::cli
