// SPDX-License-Identifier: BSD-3-Clause
// What a program moves in a given order, without its graph.
#pragma once

#include <cstdint>
#include <vector>

#include "redblue/progress.hpp"
#include "redblue/schedule.hpp"
#include "schedule/traffic/loop_program.hpp"

namespace redblue::schedule {

// What becomes of values that nobody reads again: they `leave` at once, and are stored only where
// they are outputs, as in the pebble game; or they `stay` until their turn comes, as in a
// processor's cache, which does not know, and every value computed is stored.
enum class DeadValues { leave, stay };

// Throws Error where S is too small for a statement.
void check_room(const LoopProgram& program, std::int64_t s);

// Loads and stores of the order of `program` on fast memories of these sizes, 8 at most, whose
// value used longest ago leaves: where dead values leave what cdag::replay counts for
// Replacement::lru. Walks the program from its begin to play, and before, where dead values leave,
// from its end to know what is read again: one bit per touch. Memory: some 5 bytes per element and
// 16 per word of the largest S.
std::vector<MemoryTraffic> streamed_lru(const LoopProgram& program,
                                        const std::vector<std::int64_t>& s,
                                        DeadValues dead = DeadValues::leave,
                                        const ProgressCallback& progress = {},
                                        double instances = 0);

// How often the values of every element are read: the same in every legal order of a program.
class ValueReads {
 public:
  explicit ValueReads(const LoopProgram& any_order);

  using Value = std::uint32_t;  // the number of an element's first one is the element's
  std::uint32_t reads(Value v) const { return reads_[v]; }
  // What its element holds after it.
  Value next(Value v) const { return next_[v]; }

 private:
  std::vector<std::uint32_t> reads_;
  std::vector<Value> next_;
};

// Loads and stores of one memory, or more than `most` where they are more, sooner.
std::int64_t moved_lru(const LoopProgram& program, std::int64_t s, std::int64_t most);

// The same where `reads` of another order are known: there is no walk from the end.
struct Streamed {
  std::int64_t moved = 0;
  std::int64_t accesses = 0;  // walked through
};
Streamed streamed_lru(const LoopProgram& program, const ValueReads& reads, std::int64_t s,
                      std::int64_t most);

}  // namespace redblue::schedule
