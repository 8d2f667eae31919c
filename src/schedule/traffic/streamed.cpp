// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/traffic/streamed.hpp"

#include <algorithm>

#include "redblue/error.hpp"
#include "schedule/traffic/lru.hpp"
#include "schedule/traffic/walk.hpp"

namespace redblue::schedule {

namespace {

constexpr std::int64_t between_reports = 1 << 22;

// Tells after every few million instances how many of twice `instances` are done.
class Meter {
 public:
  Meter(const ProgressCallback& progress, double instances)
      : progress_(progress), instances_(instances) {}
  void step() {
    if (++done_ % between_reports != 0 || !progress_) return;
    progress_({static_cast<double>(done_), 2 * instances_});
  }

 private:
  const ProgressCallback& progress_;
  double instances_;
  std::int64_t done_ = 0;
};

// Backward: whether what an instance touches is read again before it is overwritten.
class Liveness {
 public:
  Liveness(const LoopProgram& program, Meter& meter)
      : meter_(meter), read_next_(static_cast<std::size_t>(program.elements), false) {}

  void step(const std::uint32_t* touched, std::size_t n) {
    for (std::size_t t = n; t-- > 0;) {
      live.push_back(read_next_[touched[t]]);
      read_next_[touched[t]] = t + 1 < n;
    }
    meter_.step();
  }

  std::vector<bool> live;  // of every touch, last first

 private:
  Meter& meter_;
  std::vector<bool> read_next_;  // by element
};

class Player {
 public:
  Player(Lru& memories, const std::vector<bool>& live, Meter& meter)
      : memories_(memories), live_(live), left_(live.size()), meter_(meter) {}

  void step(const std::uint32_t* touched, std::size_t n) {
    const auto live = [&](std::size_t t) -> bool { return live_[left_ - 1 - t]; };
    memories_.step(touched, n, live);
    left_ -= n;
    meter_.step();
  }

 private:
  Lru& memories_;
  const std::vector<bool>& live_;
  std::size_t left_;
  Meter& meter_;
};

}  // namespace

void check_room(const LoopProgram& program, std::int64_t s) {
  const auto needed = static_cast<std::int64_t>(program.most_touches);
  if (s >= needed) return;
  throw Error("S = " + std::to_string(s),
              program.busiest + " and its operands need " + std::to_string(needed) + " words",
              "give at least " + std::to_string(needed), needed);
}

std::vector<MemoryTraffic> streamed_lru(const LoopProgram& program,
                                        const std::vector<std::int64_t>& s,
                                        const ProgressCallback& progress, double instances) {
  Meter meter(progress, instances);
  Liveness liveness(program, meter);
  Walk<Direction::backward, Liveness>(program, liveness).all();
  for (const std::int64_t words : s) check_room(program, words);
  std::vector<std::int64_t> sorted = s;
  std::sort(sorted.begin(), sorted.end());
  Lru memories(sorted, program.elements);
  Player player(memories, liveness.live, meter);
  Walk<Direction::forward, Player>(program, player).all();
  std::vector<MemoryTraffic> result;
  for (const std::int64_t words : s) {
    const auto m = static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), words) -
                                            sorted.begin());
    MemoryTraffic moved{memories.loads(m), memories.stores(m)};
    for (std::size_t e = 0; e < program.output.size(); ++e) {
      if (program.output[e] && memories.unsaved(m, e)) ++moved.stores;
    }
    result.push_back(moved);
  }
  return result;
}

}  // namespace redblue::schedule
