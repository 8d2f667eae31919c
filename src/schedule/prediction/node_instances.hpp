// SPDX-License-Identifier: BSD-3-Clause
// How many instances run in a part of a loop program, without running them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/traffic/loop_program.hpp"

namespace redblue::schedule {

// By node: whether it is a loop whose counter is in a bound or a condition inside of it.
std::vector<bool> loops_that_bound(const LoopProgram& program);

class NodeInstances {
 public:
  explicit NodeInstances(const LoopProgram& program);

  // Of a node at these counters of the loops around it; those of loops inside are overwritten.
  // Steps only through loops that bound others: O(1) for a tile whose sides do not depend on each
  // other. Where a counter is in comparisons alone (if (j > i)), through what lies between them.
  std::int64_t of(std::size_t node, std::vector<std::int64_t>& counters);

  // Nodes looked at so far, by all calls.
  std::int64_t looked_at() const { return looked_at_; }

 private:
  std::int64_t of_loop(std::size_t node, std::int64_t first, std::int64_t last,
                       std::vector<std::int64_t>& counters);

  const LoopProgram& program_;
  // By loop: what comparisons with its counter compare with zero; nothing where the counter is in
  // something else, too.
  std::vector<std::optional<std::vector<Formula>>> compared_;
  std::int64_t looked_at_ = 0;
};

}  // namespace redblue::schedule
