// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/traffic/streamed.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
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

// Forward: counts what is read.
class ReadCounter {
 public:
  ReadCounter(std::int64_t elements, std::vector<std::uint32_t>& reads,
              std::vector<ValueReads::Value>& next)
      : reads_(reads), next_(next), value_(static_cast<std::size_t>(elements)) {
    std::iota(value_.begin(), value_.end(), 0U);
    reads_.resize(value_.size(), 0);
    next_.resize(value_.size(), 0);
  }

  void step(const std::uint32_t* touched, std::size_t n) {
    for (std::size_t t = 0; t + 1 < n; ++t) ++reads_[value_[touched[t]]];
    ValueReads::Value& value = value_[touched[n - 1]];
    next_[value] = static_cast<ValueReads::Value>(reads_.size());
    value = next_[value];
    reads_.push_back(0);
    next_.push_back(0);
  }

 private:
  std::vector<std::uint32_t>& reads_;
  std::vector<ValueReads::Value>& next_;
  std::vector<ValueReads::Value> value_;  // by element
};

// Forward, in any order whose values are read as often.
class PlayerOfValues {
 public:
  PlayerOfValues(Lru& memory, const LoopProgram& program, const ValueReads& reads,
                 std::int64_t most)
      : memory_(memory),
        reads_(reads),
        now_(static_cast<std::size_t>(program.elements)),
        live_(program.most_touches),
        most_(most) {
    for (std::size_t e = 0; e < now_.size(); ++e) {
      const auto value = static_cast<ValueReads::Value>(e);
      now_[e] = {value, reads_.reads(value)};
    }
  }

  void step(const std::uint32_t* touched, std::size_t n) {
    for (std::size_t t = 0; t + 1 < n; ++t) live_[t] = --now_[touched[t]].left > 0 ? 1 : 0;
    Now& result = now_[touched[n - 1]];
    result.value = reads_.next(result.value);
    result.left = reads_.reads(result.value);
    live_[n - 1] = result.left > 0 ? 1 : 0;
    memory_.step(touched, n, [this](std::size_t t) { return live_[t] != 0; });
    accesses_ += static_cast<std::int64_t>(n);
  }
  bool enough() const { return memory_.loads(0) + memory_.stores(0) > most_; }
  std::int64_t accesses() const { return accesses_; }

 private:
  struct Now {
    ValueReads::Value value = 0;
    std::uint32_t left = 0;  // reads to come
  };
  Lru& memory_;
  const ValueReads& reads_;
  std::vector<Now> now_;  // by element
  std::vector<std::uint8_t> live_;
  std::int64_t most_, accesses_ = 0;
};

// Stores at the end.
std::int64_t unsaved(const LoopProgram& program, const Lru& memories, std::size_t m, bool leave) {
  std::int64_t result = 0;
  for (std::size_t e = 0; e < program.output.size(); ++e)
    result += (!leave || program.output[e]) && memories.unsaved(m, e) ? 1 : 0;
  return result;
}

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
    result.push_back(
        {memories.loads(m), memories.stores(m) + unsaved(program, memories, m, leave)});
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

ValueReads::ValueReads(const LoopProgram& any_order) {
  ReadCounter counter(any_order.elements, reads_, next_);
  Walk<Direction::forward, ReadCounter>(any_order, counter).all();
}

Streamed streamed_lru(const LoopProgram& program, const ValueReads& reads, std::int64_t s,
                      std::int64_t most) {
  check_room(program, s);
  Lru memory({s}, program.elements);
  PlayerOfValues player(memory, program, reads, most);
  Walk<Direction::forward, PlayerOfValues>(program, player).all();
  return {memory.loads(0) + memory.stores(0) + unsaved(program, memory, 0, true),
          player.accesses()};
}

}  // namespace redblue::schedule
