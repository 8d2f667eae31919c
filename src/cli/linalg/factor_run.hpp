// SPDX-License-Identifier: BSD-3-Clause
// Executions of updates, factorizations and solves, counted and timed, as redblue run reports them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/linalg/factor_options.hpp"
#include "cli/linalg/factor_outcome.hpp"
#include "cli/linalg/run_record.hpp"
#include "cli/parallel.hpp"
#include "comm/communicator.hpp"
#include "redblue/layout.hpp"
#include "redblue/progress.hpp"
#include "redblue/traffic.hpp"

namespace redblue::cli {

struct FactorRunOptions {
  FactorOptionTexts kernel;
  std::string type = "d", repeat = "1";
  RecordFiles record;
  bool no_check = false;
  bool json = false;
  ProgressCallback progress;  // told after each execution
};

inline void count(comm::Communicator& world, FactorOutcome& o, const Traffic& kernel,
                  const Traffic& redistribute, Words memory) {
  o.received = world.maximum(kernel.words_received.value);
  o.mean_received = mean(world, kernel.words_received.value);
  o.messages = world.maximum(kernel.messages_received.value);
  o.redistributed = world.maximum(redistribute.words_received.value);
  o.efficiency.words = world.maximum((kernel + redistribute).words_received.value);
  o.memory = world.maximum(memory.value);
}

// All that a rank holds, its part of the caller's arrays included. Collective.
inline std::optional<Words> all_memory(comm::Communicator& world, const FactorOptions& how,
                                       Words arrays) {
  const Words most(world.maximum(arrays.value));
  return how.memory ? std::optional(*how.memory + most) : std::nullopt;
}

// Executes `repeat` times: prepare() untimed, call() timed.
template <class T, class Prepare, class Call>
void timed(comm::Communicator& world, const FactorRunOptions& options, std::int64_t repeat,
           FactorOutcome& o, Prepare prepare, Call call) {
  RunRecord record(world, options.record);
  o.efficiency.peak = peak_rate<T>(world);
  for (std::int64_t r = 0; r < repeat; ++r) {
    prepare();
    o.seconds.push_back(record.seconds_of(call));
    if (options.progress) {
      options.progress({static_cast<double>(r + 1), static_cast<double>(repeat), {}, {}});
    }
  }
  o.efficiency.time = record.fastest();
  o.efficiency.ranks = world.size();
  o.efficiency.flops = 2 * o.multiplications;
  o.efficiency.bound = o.bound;
  o.efficiency.word_bytes = sizeof(T);
  o.recorded = record.write(heading(o, world.size()));
}

// The caller's layout of the factorizations: blocks of 64 on the squarest grid.
inline BlockCyclic caller_layout(const comm::Communicator& world, std::int64_t rows,
                                 std::int64_t columns) {
  constexpr std::int64_t block = 64;
  const int down = squarest_grid_rows(world.size());
  return block_cyclic(rows, columns, block, down, world.size() / down, world.rank());
}

}  // namespace redblue::cli
