// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/traffic/streamed.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "redblue/error.hpp"
#include "schedule/traffic/lru.hpp"
#include "schedule/traffic/walk.hpp"

namespace redblue::schedule {

namespace {

constexpr std::int64_t between_reports = 1 << 22;

// Tells after every few million steps how many are done of those of all walks.
class Meter {
 public:
  Meter(const ProgressCallback& progress, double steps) : progress_(progress), steps_(steps) {}
  void step() {
    if (++done_ % between_reports != 0 || !progress_) return;
    progress_({static_cast<double>(done_), steps_});
  }

 private:
  const ProgressCallback& progress_;
  double steps_;
  std::int64_t done_ = 0;
};

// Backward: whether what an instance touches is read again before it is overwritten.
class Liveness {
 public:
  Liveness(const LoopProgram& program, Meter& meter)
      : meter_(meter), read_next_(static_cast<std::size_t>(program.elements), 0) {}

  void step(const std::uint32_t* touched, std::size_t n) {
    for (std::size_t t = n; t-- > 0;) {
      if (touches_ % 64 == 0) bits_.push_back(0);
      bits_.back() |= std::uint64_t{read_next_[touched[t]]} << (touches_ % 64);
      ++touches_;
      read_next_[touched[t]] = t + 1 < n ? 1 : 0;
    }
    meter_.step();
  }

  std::size_t touches() const { return touches_; }
  // Of the touch that `later` others follow.
  bool live(std::size_t later) const { return ((bits_[later / 64] >> (later % 64)) & 1U) != 0; }

 private:
  Meter& meter_;
  std::vector<std::uint8_t> read_next_;  // by element
  std::vector<std::uint64_t> bits_;      // of every touch, last first
  std::size_t touches_ = 0;
};

class Player {
 public:
  // Until the smallest memory has moved more than `most`. Without liveness dead values stay.
  Player(Lru& memories, const Liveness* liveness, Meter& meter, std::int64_t most)
      : memories_(memories),
        liveness_(liveness),
        left_(liveness != nullptr ? liveness->touches() : 0),
        meter_(meter),
        most_(most) {}

  void step(const std::uint32_t* touched, std::size_t n) {
    if (liveness_ == nullptr) {
      memories_.access(touched, n);
    } else {
      memories_.step(touched, n, [&](std::size_t t) { return liveness_->live(left_ - 1 - t); });
      left_ -= n;
    }
    meter_.step();
  }
  bool enough() const { return memories_.loads(0) + memories_.stores(0) > most_; }

 private:
  Lru& memories_;
  const Liveness* liveness_;
  std::size_t left_;
  Meter& meter_;
  std::int64_t most_;
};

// On memories from the smallest to the largest, until the smallest has moved more than `most`.
std::vector<MemoryTraffic> streamed(const LoopProgram& program,
                                    const std::vector<std::int64_t>& sorted, DeadValues dead,
                                    Meter& meter, std::int64_t most) {
  const bool leave = dead == DeadValues::leave;
  std::optional<Liveness> liveness;
  if (leave) Walk<Direction::backward, Liveness>(program, liveness.emplace(program, meter)).all();
  for (const std::int64_t words : sorted) check_room(program, words);
  Lru memories(sorted, program.elements);
  Player player(memories, leave ? &*liveness : nullptr, meter, most);
  Walk<Direction::forward, Player>(program, player).all();
  std::vector<MemoryTraffic> result;
  for (std::size_t m = 0; m < sorted.size(); ++m) {
    MemoryTraffic moved{memories.loads(m), memories.stores(m)};
    for (std::size_t e = 0; e < program.output.size(); ++e) {
      if ((!leave || program.output[e]) && memories.unsaved(m, e)) ++moved.stores;
    }
    result.push_back(moved);
  }
  return result;
}

constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();

}  // namespace

void check_room(const LoopProgram& program, std::int64_t s) {
  const auto needed = static_cast<std::int64_t>(program.most_touches);
  if (s >= needed) return;
  throw Error("S = " + std::to_string(s),
              program.busiest + " and its operands need " + std::to_string(needed) + " words",
              "give at least " + std::to_string(needed), needed);
}

std::vector<MemoryTraffic> streamed_lru(const LoopProgram& program,
                                        const std::vector<std::int64_t>& s, DeadValues dead,
                                        const ProgressCallback& progress, double instances) {
  Meter meter(progress, dead == DeadValues::leave ? 2 * instances : instances);
  std::vector<std::int64_t> sorted = s;
  std::sort(sorted.begin(), sorted.end());
  const std::vector<MemoryTraffic> moved = streamed(program, sorted, dead, meter, all);
  std::vector<MemoryTraffic> result;
  for (const std::int64_t words : s) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), words);
    result.push_back(moved[static_cast<std::size_t>(at - sorted.begin())]);
  }
  return result;
}

std::int64_t moved_lru(const LoopProgram& program, std::int64_t s, std::int64_t most) {
  const ProgressCallback silent;
  Meter meter(silent, 0);
  return streamed(program, {s}, DeadValues::leave, meter, most).front().moved();
}

}  // namespace redblue::schedule
