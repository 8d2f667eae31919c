// SPDX-License-Identifier: BSD-3-Clause
// Bisections: boxes cut in two, again and again, until each rank has one. The best by branch and
// bound over the cuts.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace redblue {

// What a search makes small of the words that ranks need for their boxes: the most of one, or those
// of all (which is what counts where ownership can even out the rest).
enum class Measure { largest, total };

// `Space` says what boxes and cuts are (int axis, -1: none; int first: ranks on the lower part):
//   Box, Cut, Key
//   bool is_whole(int ranks, const Box&)             nothing is left to cut
//   double words(const Box&)                         of such a one; INFINITY: it is no solution
//   double least(int ranks, const Box&, Measure)     no way to cut the box has less
//   Key key(int ranks, const Box&)                   the same for boxes that are cut alike
//   std::vector<Cut> cuts(int ranks, const Box&)     those to try, promising ones first
//   std::pair<Box, Box> parts(int ranks, const Box&, const Cut&)
template <class Space>
class CutSearch {
 public:
  using Box = typename Space::Box;
  using Cut = typename Space::Cut;

  struct Result {
    double words;
    Cut cut;
  };

  CutSearch(Space space, Measure measure) : space_(std::move(space)), measure_(measure) {}

  // The best below `limit`, or a value >= limit when there is none.
  Result best(int ranks, const Box& box, double limit) {
    if (space_.is_whole(ranks, box)) return {space_.words(box), {}};
    const double floor = space_.least(ranks, box, measure_);
    if (floor >= limit) return {floor, {}};
    const auto key = space_.key(ranks, box);
    const auto known = table_.find(key);
    if (known != table_.end() && (known->second.exact || known->second.result.words >= limit))
      return known->second.result;
    Result found{limit, {}};  // nothing found yet: no cut
    bool complete = true;
    for (const Cut& cut : space_.cuts(ranks, box)) {
      if (steps_ > budget && found.cut.axis >= 0) {
        complete = false;
        break;
      }
      ++steps_;
      const auto [low, high] = space_.parts(ranks, box, cut);
      const double first = best(cut.first, low, found.words).words;
      if (first >= found.words) continue;
      const bool adds = measure_ == Measure::total;
      const double room = adds ? found.words - first : found.words;
      const double second = best(ranks - cut.first, high, room).words;
      const double both = adds ? first + second : std::max(first, second);
      if (both < found.words) found = {both, cut};
      if (found.words <= floor * (1 + 1e-12)) break;
    }
    table_[key] = {found, complete && found.cut.axis >= 0};
    return found;
  }

 private:
  static constexpr int budget = 20000;
  struct Entry {
    Result result;
    bool exact;  // else: nothing below result.words was found
  };

  Space space_;
  Measure measure_;
  int steps_ = 0;
  std::map<typename Space::Key, Entry> table_;
};

// The fewest ranks that a cut leaves on its lower part: any of few, about half of many.
inline int fewest_on_a_part(int ranks) {
  constexpr int few = 32, away_from_half = 4;
  return ranks <= few ? 1 : std::max(1, ranks / 2 - away_from_half);
}

}  // namespace redblue
