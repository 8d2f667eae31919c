// SPDX-License-Identifier: BSD-3-Clause
// The words that some rank receives at least, against every way to share small programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "redblue/error.hpp"
#include "redblue/stencil_bound.hpp"

namespace redblue {

namespace {

// Periodic in nothing, all points updated, one sweep per step that reads what is given.
StencilProgram program(int dimensions, MeshIndex extents, MeshIndex radius, bool star) {
  StencilProgram p;
  p.dimensions = dimensions;
  p.fields = 1;
  // The mesh has an outer frame that keeps its values.
  StencilSweep sweep{0, {}, {{0, radius, radius, star}}};
  for (std::size_t k = 0; k < 3; ++k) {
    p.extents[k] = extents[k] + 2 * radius[k];
    sweep.interior.begin[k] = radius[k];
    sweep.interior.end[k] = radius[k] + extents[k];
  }
  p.sweeps = {sweep};
  return p;
}

// Which interior points each interior point reads, as bits.
std::vector<unsigned> neighbours(const MeshIndex& n, const MeshIndex& radius, bool star) {
  std::vector<MeshIndex> points;
  MeshIndex i;
  for (i[0] = 0; i[0] < n[0]; ++i[0])
    for (i[1] = 0; i[1] < n[1]; ++i[1])
      for (i[2] = 0; i[2] < n[2]; ++i[2]) points.push_back(i);
  std::vector<unsigned> result;
  for (const MeshIndex& x : points) {
    unsigned bits = 0;
    for (std::size_t y = 0; y < points.size(); ++y) {
      int moved = 0;
      bool inside = true;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::int64_t distance = std::abs(points[y][k] - x[k]);
        inside = inside && distance <= radius[k];
        if (distance != 0) ++moved;
      }
      if (inside && (!star || moved <= 1)) bits |= 1U << y;
    }
    result.push_back(bits);
  }
  return result;
}

// The least, over all ways to share the vertices of all levels and the initial values, of the most
// words a rank receives. Two ranks.
class Search {
 public:
  Search(std::vector<unsigned> reads, int steps, int owned, bool recomputation)
      : reads_(std::move(reads)), steps_(steps), owned_(owned), recomputation_(recomputation) {
    all_ = (1U << reads_.size()) - 1;
  }

  int best() {
    best_ = 1 << 20;
    for (unsigned mine = 0; mine <= all_; ++mine) {
      const unsigned others = all_ & ~mine;
      if (count(mine) <= owned_ && count(others) <= owned_) level(0, mine, others, 0, 0);
    }
    return best_;
  }

 private:
  static int count(unsigned bits) { return __builtin_popcount(bits); }

  unsigned needed(unsigned computed) const {
    unsigned bits = 0;
    for (std::size_t x = 0; x < reads_.size(); ++x) {
      if ((computed >> x & 1U) != 0) bits |= reads_[x];
    }
    return bits;
  }

  void level(int done, unsigned had0, unsigned had1, int received0, int received1) {
    if (std::max(received0, received1) >= best_) return;
    if (done == steps_) {
      best_ = std::max(received0, received1);
      return;
    }
    for (unsigned zero = 0; zero <= all_; ++zero) {
      const unsigned must = all_ & ~zero;
      for (unsigned twice = recomputation_ ? zero : 0;; twice = (twice - 1) & zero) {
        const unsigned one = must | twice;
        level(done + 1, zero, one, received0 + count(needed(zero) & ~had0),
              received1 + count(needed(one) & ~had1));
        if (twice == 0) break;
      }
    }
  }

  std::vector<unsigned> reads_;
  int steps_, owned_;
  bool recomputation_;
  unsigned all_ = 0;
  int best_ = 0;
};

struct Case {
  int dimensions;
  MeshIndex extents, radius;
  bool star;
  int steps;
};

}  // namespace

TEST(StencilLowerBoundTest, IsBelowTheBestWayToShareSmallPrograms) {
  const std::vector<Case> cases = {
      {1, {4, 1, 1}, {1, 0, 0}, false, 2}, {1, {5, 1, 1}, {1, 0, 0}, false, 2},
      {1, {4, 1, 1}, {1, 0, 0}, false, 3}, {1, {5, 1, 1}, {2, 0, 0}, false, 2},
      {2, {2, 2, 1}, {1, 1, 0}, false, 2}, {2, {2, 2, 1}, {1, 1, 0}, true, 3},
      {2, {2, 3, 1}, {1, 1, 0}, true, 2},  {2, {2, 3, 1}, {1, 1, 0}, false, 2},
  };
  int positive = 0;
  for (const Case& c : cases) {
    for (const bool recomputation : {false, true}) {
      if (recomputation && c.steps > 2 && c.extents[0] * c.extents[1] > 4) continue;
      const auto points = static_cast<int>(c.extents[0] * c.extents[1]);
      for (int owned = (points + 1) / 2; owned <= points; owned += 2) {
        const int best =
            Search(neighbours(c.extents, c.radius, c.star), c.steps, owned, recomputation).best();
        const double bound = stencil_lower_bound(
            {program(c.dimensions, c.extents, c.radius, c.star), c.steps, 2, owned, recomputation});
        EXPECT_LE(bound, best) << points << " points, owned " << owned;
        if (bound > 0.5) ++positive;
      }
    }
  }
  EXPECT_GT(positive, 10);
}

TEST(StencilLowerBoundTest, IsTheLeadingTermOfLargeMeshes) {
  // m L (1/2 of two sides) in one dimension while that is little against a share
  StencilBoundRequest r{program(1, {1 << 20, 1, 1}, {3, 0, 0}, false), 10, 4, 1 << 18, true};
  EXPECT_NEAR(stencil_lower_bound(r), 3 * 10 * (1 - 1 / 4.), 0.1);
  // two dimensions, a box: L d m (n / sqrt(p) - n / p)
  r = {program(2, {1024, 1024, 1}, {1, 1, 0}, false), 1, 16, 1 << 16, true};
  EXPECT_NEAR(stencil_lower_bound(r), 2 * (256 - 64.), 8);
}

TEST(StencilLowerBoundTest, SaysNothingWhereThereIsNothingToSay) {
  // no reads along one axis: ranks take whole lines
  EXPECT_EQ(stencil_lower_bound({program(2, {64, 64, 1}, {1, 0, 0}, false), 9, 4, 1024, true}), 0);
  EXPECT_EQ(stencil_lower_bound({program(1, {64, 1, 1}, {1, 0, 0}, false), 0, 4, 16, true}), 0);
  EXPECT_EQ(stencil_lower_bound({program(1, {64, 1, 1}, {1, 0, 0}, false), 9, 1, 64, false}), 0);
  EXPECT_THROW(stencil_lower_bound({program(1, {64, 1, 1}, {1, 0, 0}, false), 9, 0, 64, false}),
               Error);
}

TEST(StencilLowerBoundTest, HoldsForWhatEverySchemeMoves) {
  int held = 0;
  for (const bool star : {false, true}) {
    for (const int ranks : {2, 3, 4, 7, 16}) {
      for (const StencilScheme scheme : {StencilScheme::pa0, StencilScheme::pa1,
                                         StencilScheme::trapezoid, StencilScheme::outer_blocked}) {
        StencilPlanRequest request;
        request.program = stencil_program(2, 48, 1, star, StencilBoundary::fixed);
        request.steps = 24;
        request.ranks = ranks;
        request.scheme = scheme;
        const StencilPlanReport report = plan_stencil(request);
        const double bound =
            stencil_lower_bound(request.program, report.decomposition, request.steps);
        EXPECT_LE(bound, static_cast<double>(report.cost.words.value))
            << report.decomposition.name();
        if (bound > 0) ++held;  // 0 where a scheme leaves all to one rank
      }
    }
  }
  EXPECT_GT(held, 30);
}

}  // namespace redblue
