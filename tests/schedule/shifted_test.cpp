// SPDX-License-Identifier: BSD-3-Clause
// Orders inside of the steps of outermost loops, with statements in parts and shifted; outermost
// loops in groups: legal, the same bits, less traffic.
#include "schedule/inside/shifted.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "schedule/emitted.hpp"
#include "schedule/inside/index_sets.hpp"
#include "schedule/kernel_program.hpp"
#include "schedule/order.hpp"
#include "schedule/search/code.hpp"
#include "schedule/search/for_cache.hpp"
#include "schedule/search/judge.hpp"
#include "schedule/search/tuning.hpp"
#include "schedule/some_tiles.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::test {
namespace {

using schedule::Nest;
using schedule::Tiles;

void expect_legal_and_same(const program::Program& program, const std::string& file,
                           const Nest& nest) {
  const program::Program stored = schedule::privatised(program, nest.families);
  for (const auto& tiles : {std::vector<Tiles>(nest.bands.size()), some_tiles(nest)}) {
    const isl::union_map times = schedule::times(nest, tiles);
    EXPECT_TRUE(times.domain().is_equal(schedule::instances(program)));
    EXPECT_TRUE(schedule::respects(times, schedule::conflicts(stored)));
  }
  const isl::union_map times = schedule::times(nest, some_tiles(nest));
  const std::string code =
      schedule::code(program, times, schedule::needed(program, times, nest.families));
  for (const int size : {1, 2, 5, 6}) EXPECT_EQ(difference(file, code, size), "");
}

std::int64_t least(const program::Program& program, const program::Sizes& sizes, std::int64_t s,
                   const std::vector<Nest>& nests) {
  const schedule::Replayed silent = [](double) {};
  const schedule::Judge judge(program, sizes, s, cdag::Replacement::lru, silent,
                              schedule::Judge::How::streamed);
  std::int64_t result = judge.cost(schedule::own_order(program));
  for (const Nest& nest : nests) {
    schedule::Tuning tuning(judge, {nest, std::vector<Tiles>(nest.bands.size())});
    tuning.choose_tilings(s, 0.7, judge.spent() + 1e6);
    result = std::min(result, tuning.cost());
  }
  return result;
}

TEST(NestsShifted, AreLegalAndComputeTheSame) {
  for (const char* name : {"gramschmidt", "durbin"}) {
    const program::Program program = read(kernel(name));
    const auto all = schedule::nests_shifted(program, schedule::nests(program));
    ASSERT_FALSE(all.empty());
    for (const Nest& nest : all) {
      SCOPED_TRACE(name);
      expect_legal_and_same(program, kernel(name), nest);
    }
  }
}

TEST(NestsShifted, OnlyWhereNoBandHoldsAllLoops) {
  for (const char* name : {"lu", "jacobi-2d"}) {
    const program::Program program = read(kernel(name));
    EXPECT_TRUE(schedule::nests_shifted(program, schedule::nests(program)).empty());
  }
}

// Of columns longer than the fast memory, the matrix passes by once a step, loaded and stored: the
// update with one column and the products with the next one in one pass.
TEST(NestsShifted, UpdatesAndTheNextProductsInOnePass) {
  const program::Program program = read(kernel("gramschmidt"));
  const std::int64_t rows = 300, columns = 24, s = 128;
  const program::Sizes sizes = {{"M", rows}, {"N", columns}};
  const std::int64_t moved =
      least(program, sizes, s, schedule::nests_shifted(program, schedule::nests(program)));
  const std::int64_t updates = rows * columns * (columns - 1) / 2;
  EXPECT_LT(10 * moved, 26 * updates);
  EXPECT_GT(10 * least(program, sizes, s, schedule::nests(program)), 32 * updates);
}

// y[i] and y[k - 1 - i] are loaded and stored together, and read by the next sum, half of them at
// once.
TEST(NestsShifted, HalvesThatMirrorEachOther) {
  const program::Program program = read(kernel("durbin"));
  const std::int64_t n = 300, s = 64, elements = n * n / 2;
  const auto moved = [&](const std::vector<Nest>& nests) {
    return least(program, {{"N", n}}, s, nests);
  };
  const auto before = schedule::nests(program);
  EXPECT_LT(10 * moved(schedule::nests_shifted(program, before)), 39 * elements);
  EXPECT_GT(moved(before), 5 * elements);
}

TEST(IndexSets, AreCutAtSlicesAndInTheMiddle) {
  const auto cuts = [](const std::string& name) {
    const program::Program program = read(kernel(name));
    const isl::union_map steps = schedule::leading(schedule::times(program), 2);
    const isl::union_map together = steps.apply_range(steps.reverse());
    return schedule::cuts(program, steps, schedule::conflicts(program).intersect(together));
  };
  EXPECT_TRUE(cuts("gramschmidt").empty());  // in a step as written, all columns wait for one
  const auto found = cuts("durbin");
  ASSERT_EQ(found.size(), 2U);
  for (const auto& [statement, cut] : found) EXPECT_TRUE(cut.mirrored);
}

// Smaller problems have smaller vectors, and a memory that shrinks as they do.
TEST(BestForCache, VectorsThatDoNotFitAreCutIntoTilesThatDo) {
  const program::Program program = read(kernel("jacobi-1d"));
  const std::int64_t n = 5000, s = 4096;
  const schedule::Replayed silent = [](double) {};
  const schedule::Plan plan =
      schedule::best_for_cache(program, {{"N", n}, {"T", n}}, s, 10e6, silent);
  ASSERT_EQ(plan.tiles.size(), 1U);
  // A step of a tile touches as many elements of one array, and then of the other.
  EXPECT_LT(plan.tiles.front().sizes.front(), s);
  EXPECT_GT(plan.tiles.front().sizes.front(), s / 4);
}

// A column of data is summed and centred while it is in the fast memory.
TEST(Nests, OutermostLoopsInGroups) {
  const program::Program program = read(kernel("covariance"));
  auto all = schedule::nests(program);
  const auto in_groups = [](const Nest& nest) {
    return nest.outermost == Nest::Outermost::in_groups;
  };
  const auto grouped = std::stable_partition(all.begin(), all.end(), in_groups);
  const std::vector<Nest> groups(all.begin(), grouped), others(grouped, all.end());
  ASSERT_FALSE(groups.empty());
  for (const Nest& nest : groups) expect_legal_and_same(program, kernel("covariance"), nest);
  const program::Sizes sizes = {{"M", 40}, {"N", 100}};
  const auto moved = [&](const std::vector<Nest>& nests) {
    return least(program, sizes, 256, nests);
  };
  EXPECT_LE(moved(groups) + 40 * 100 / 2, moved(others));
}

}  // namespace
}  // namespace redblue::test
