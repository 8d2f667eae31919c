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

  void runs(std::size_t statement) { statement_ = statement; }
  void step(const std::uint32_t* touched, std::size_t n) {
    for (std::size_t t = n; t-- > 0;) touch(touched[t], t + 1 == n);
  }

 private:
  struct Next {
    std::int64_t at = 0;  // touches from the end, from 1; 0: none
    bool read = false;
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
    of_.all_[of_.index({statement_, array, written})].push_back(seen);
    next = {touches_, !written};
  }

  LastTouches& of_;
  const LoopProgram& program_;
  std::vector<Next> next_;  // by element
  std::vector<bool> computed_;
  std::size_t statement_ = 0;
  std::int64_t touches_ = 0;
};

LastTouches::LastTouches(const LoopProgram& smaller, std::size_t statements, double tiles)
    : arrays_(smaller.arrays.size()), tiles_(tiles), all_(2 * statements * smaller.arrays.size()) {
  TouchCounter counter(*this, smaller);
  Walk<Direction::backward, TouchCounter>(smaller, counter).all();
  for (std::vector<Seen>& kind : all_) {
    std::sort(kind.begin(), kind.end(),
              [](const Seen& a, const Seen& b) { return a.touches > b.touches; });
  }
}

Fate LastTouches::fate(const TouchKind& kind, double longest, std::uint32_t element) const {
  const std::vector<Seen>& all = all_[index(kind)];
  if (all.empty()) return Fate::read;
  const auto n = std::clamp<std::size_t>(
      static_cast<std::size_t>(
          std::llround(std::min(1.0, longest / tiles_) * static_cast<double>(all.size()))),
      1, all.size());
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
