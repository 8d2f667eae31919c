// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/prediction/last_touches.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "schedule/traffic/walk.hpp"

namespace redblue::schedule {

// Backward.
class TouchCounter {
 public:
  TouchCounter(LastTouches& of, const LoopProgram& program)
      : of_(of), program_(program), next_(static_cast<std::size_t>(program.elements)) {
    computed_.resize(program.arrays.size(), false);
    for (const LoopNode& n : program.nodes) {
      if (n.kind == LoopNode::Kind::statement)
        computed_[array_of(program.arrays, n.touches.back().box.first)] = true;
    }
  }

  void runs(std::size_t statement, std::uint32_t last) {
    statement_ = statement;
    const std::size_t kinds = of_.all_.size() / (2 * of_.arrays_);
    instances_ = of_.instances_.emplace(std::pair(statement, last), kinds).first->second;
    if (instances_ < kinds) return;
    of_.all_.resize(of_.all_.size() + 2 * of_.arrays_);
    of_.results_.push_back(false);
  }
  void step(const std::uint32_t* touched, std::size_t n) {
    for (std::size_t t = n; t-- > 0;) touch(touched[t], t + 1 == n);
  }

 private:
  struct Next {
    std::int64_t at = 0;  // touches from the end, from 1; 0: none
    bool read = false;
    bool overwritten = false;
  };

  void touch(std::uint32_t element, bool written) {
    Next& next = next_[element];
    ++touches_;
    const std::size_t array = array_of(program_.arrays, element);
    LastTouches::Seen seen{std::numeric_limits<std::int64_t>::max(), Fate::dead};
    if (next.at > 0) {
      seen = {touches_ - next.at, next.read ? Fate::read : Fate::dead};
    } else if (program_.output[element] && computed_[array]) {
      seen.fate = Fate::final;
    }
    const bool is_result = program_.output[element] && !next.overwritten;
    for (const std::size_t instances : {statement_, instances_}) {
      std::vector<LastTouches::Seen>& all = of_.all_[of_.index({instances, array, written})];
      if (written) of_.results_[instances] = is_result && (all.empty() || of_.results_[instances]);
      all.push_back(seen);
    }
    next = {touches_, !written, next.overwritten || written};
  }

  LastTouches& of_;
  const LoopProgram& program_;
  std::vector<Next> next_;  // by element
  std::vector<bool> computed_;
  std::size_t statement_ = 0, instances_ = 0;
  std::int64_t touches_ = 0;
};

LastTouches::LastTouches(const LoopProgram& smaller, std::size_t statements, double part,
                         double tiles)
    : arrays_(smaller.arrays.size()),
      part_(part),
      tiles_(tiles),
      all_(2 * statements * smaller.arrays.size()),
      results_(statements, false) {
  TouchCounter counter(*this, smaller);
  Walk<Direction::backward, TouchCounter>(smaller, counter).all();
  for (std::vector<Seen>& kind : all_) {
    std::sort(kind.begin(), kind.end(),
              [](const Seen& a, const Seen& b) { return a.touches > b.touches; });
  }
}

std::size_t LastTouches::instances(std::size_t statement, std::uint32_t last) const {
  const auto found = instances_.find({statement, last});
  return found == instances_.end() ? statement : found->second;
}

Fate LastTouches::fate(const TouchKind& kind, double longest, std::size_t untouched,
                       std::uint32_t element) const {
  const std::vector<Seen>& all = all_[index(kind)];
  if (all.empty()) return Fate::read;
  const double by_part = std::min(1.0, longest / tiles_) * static_cast<double>(all.size());
  // Times between touches shrink at most as all of the program does.
  const auto least = static_cast<std::int64_t>(part_ * static_cast<double>(untouched));
  const auto by_time = std::partition_point(all.begin(), all.end(),
                                            [least](const Seen& s) { return s.touches > least; }) -
                       all.begin();
  const std::int64_t n =
      std::clamp<std::int64_t>(std::llround(by_part), 1, std::max<std::int64_t>(1, by_time));
  constexpr std::uint32_t golden = 2654435769;  // multiplicative hashing
  const double drawn = static_cast<double>(element * golden) / 4294967296.0;
  return all[static_cast<std::size_t>(drawn * static_cast<double>(n))].fate;
}

std::size_t array_of(const std::vector<Box>& arrays, std::int64_t element) {
  const auto after = std::upper_bound(arrays.begin(), arrays.end(), element,
                                      [](std::int64_t e, const Box& box) { return e < box.first; });
  return static_cast<std::size_t>(after - arrays.begin()) - 1;
}

}  // namespace redblue::schedule
