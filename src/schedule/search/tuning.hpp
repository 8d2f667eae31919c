// SPDX-License-Identifier: BSD-3-Clause
// Tiles of a plan that gets cheaper.
#pragma once

#include <vector>

#include "schedule/search/judge.hpp"

namespace redblue::schedule {

using LoopSet = unsigned;  // of a band: a bit each
inline bool contains(LoopSet loops, int loop) {
  return ((loops >> static_cast<unsigned>(loop)) & 1U) != 0;
}

// What may pass by inside of tiles of other loops, in steps of 1: each loop by itself, or the last
// ones that stay in order together.
std::vector<LoopSet> streams(int loops, int in_order);

// Loops of the set `tiled` in these sizes (by loop), inside of the others, with those of `stream`
// inside of all.
Tiles passed_by(const std::vector<std::int64_t>& sizes, LoopSet tiled, LoopSet stream);

// Ways to tile a band for a fast memory of s words: some loops get equal tiles that fill `share` of
// it together, inside them one passes by in steps of 1, or those that stay in order, and the others
// step by 1 around them. Few loops also with one of them in smaller tiles: loops inside the band
// may hold many words a step.
std::vector<Tiles> tilings(const Band& band, std::int64_t s, double share);

// Equal sides for all loops: for tiles that what is independent passes by first.
std::vector<Tiles> cubes(int loops, std::int64_t s);

// A plan that gets cheaper, until the judge has spent so much.
class Tuning {
 public:
  Tuning(const Judge& judge, Plan plan)
      : judge_(&judge), plan_(std::move(plan)), cost_(judge.cost(plan_)) {}

  std::int64_t cost() const { return cost_; }
  const Plan& plan() const { return plan_; }

  // Every way to tile the bands: all in one way, then one band after the other, those with most
  // loops first.
  void choose_tilings(std::int64_t s, double share, double end);

  // Other tile sizes while that helps: one, all, or one against another; times these factors.
  void choose_sizes(double end, const std::vector<double>& factors = {1.12, 0.9, 1.04, 1.4, 0.7});

 private:
  void choose_for_all(std::int64_t s, double share, double end);
  bool resized(std::size_t band, const std::vector<double>& factors);
  bool improves(std::size_t band, const Tiles& next);

  const Judge* judge_;
  Plan plan_;
  std::int64_t cost_;
};

bool cheaper(const Tuning& a, const Tuning& b);

// Tile sizes for a fast memory `ratio` times as large; `inside`: loops inside the tiles that grow
// with it.
Plan stretched(Plan plan, double ratio, int inside = 0);

// The plan with every band's tiles of equal sides, `share` of the fast memory together.
Plan squared(Plan plan, std::int64_t s, double share);

// The plan with every band's tiles of equal sides, as large as they are.
Plan with_equal_sides(Plan plan);

}  // namespace redblue::schedule
