// SPDX-License-Identifier: BSD-3-Clause
// What all `redblue compare` commands share: options, alternating measurement, the table.
#pragma once

#include <CLI/CLI.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/element_type.hpp"
#include "cli/linalg/efficiency.hpp"
#include "cli/output.hpp"
#include "comm/communicator.hpp"
#include "matgen/check.hpp"
#include "redblue/cost.hpp"
#include "redblue/machine.hpp"
#include "redblue/progress.hpp"

namespace redblue::cli {

struct CompareOptions {
  std::string type = "d", block = "64", grid, repeat = "5", library, plot;
  bool json = false;

  void add_to(CLI::App& command);
};

// The matrices' block-cyclic layout and how often to call.
struct CompareSetting {
  int ranks = 1;
  int grid_rows = 1;
  int grid_columns = 1;
  std::int64_t block = 64;
  std::int64_t repeat = 5;
  Objective objective = Objective::words;  // of redblue's plan, where it has one
  ProgressCallback progress;               // told after each call
};

// Throws Error for what does not fit the ranks.
CompareSetting setting_of(const CompareOptions& options, int ranks);

// A size ScaLAPACK can count; throws Error naming `what` otherwise.
std::int64_t countable(const std::string& what, std::int64_t size);

// What one library did, the busiest rank each.
struct Side {
  std::string name;
  std::vector<double> seconds;         // first call first, planning included
  ExecutionTime fastest;               // of the later calls, the first where it is the only one
  std::int64_t words = 0;              // received
  double mean_words = 0;               // of all ranks
  std::vector<std::string> uncounted;  // trace::MessageCounts
  std::int64_t memory_bytes = 0;
  matgen::Residual residual;
};

// How one library is run: `reset` brings the data back before each call, `check` looks at the first
// result, `name` is known after the last call.
struct Contender {
  std::function<void()> reset, call;
  std::function<matgen::Residual()> check;
  std::function<std::string()> name;
};

// Calls both in turn; only the first contender's phases are known. Words are counted in elements of
// `word_bytes`. Collective.
std::array<Side, 2> measure(comm::Communicator& world, const CompareSetting& setting,
                            std::size_t word_bytes, const std::array<Contender, 2>& contenders);

// What to print of a comparison: `title` names the problem, `shape` is its part of the JSON.
struct Comparison {
  std::string title;
  Json shape;
  std::array<Side, 2> sides;
  double bound = 0;  // words received by the busiest rank, at least, where work is even
  double flops = 0;  // of type T
  double peak = 0;   // peak_rate() of T
  double word_bytes = 8;
  Machine machine;  // whose network words could have used
};

// Runs compare(T()) -> the sides for the element type of that letter, and measures its peak.
template <class Compare>
void run_sides(Comparison& c, const std::string& type, Compare compare) {
  with_type(type, [&](auto element) {
    using T = decltype(element);
    comm::Communicator world(MPI_COMM_WORLD);
    c.peak = peak_rate<T>(world);
    c.word_bytes = sizeof(T);
    c.sides = compare(element);
  });
}

// Prints on the root; returns the exit status.
int report(const Comparison& comparison, const CompareOptions& options,
           const CompareSetting& setting, bool is_root);

}  // namespace redblue::cli
