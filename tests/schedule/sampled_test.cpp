// SPDX-License-Identifier: BSD-3-Clause
// Traffic from parts of an order, held against walks through all of it.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <optional>

#include "kernel_names.hpp"
#include "program/instances.hpp"
#include "schedule/kernel_program.hpp"
#include "schedule/order.hpp"
#include "schedule/prediction/chunks.hpp"
#include "schedule/prediction/node_instances.hpp"
#include "schedule/prediction/sampled.hpp"
#include "schedule/prediction/similar.hpp"
#include "schedule/privatise.hpp"
#include "schedule/search/search.hpp"
#include "schedule/some_tiles.hpp"
#include "schedule/stencil/cone_tiles.hpp"
#include "schedule/traffic/streamed.hpp"
#include "schedule/traffic/walk.hpp"

namespace redblue::test {
namespace {

struct Case {
  std::string kernel;
  bool tiled = false;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.kernel << (c.tiled ? ", tiled" : "");
}

// isl's first nest that has bands, in tiles no search would choose.
schedule::SizedOrder tiled(const program::Program& program) {
  for (const schedule::Nest& nest : schedule::nests(program)) {
    if (nest.bands.empty()) continue;
    const isl::union_map times = schedule::times(nest, some_tiles(nest));
    return {schedule::privatised(program, nest.families), times};
  }
  ADD_FAILURE() << "no bands";
  return {program, schedule::times(program)};
}

// The first nest whose first band has as many loops as these tiles.
schedule::SizedOrder in_tiles(const program::Program& program, const schedule::Tiles& of_first) {
  for (const schedule::Nest& nest : schedule::nests(program)) {
    if (nest.bands.empty() || nest.bands.front().loops.size() != of_first.order.size()) continue;
    std::vector<schedule::Tiles> tiles(nest.bands.size());
    tiles.front() = of_first;
    return schedule::sized_order(program, {nest, tiles});
  }
  ADD_FAILURE() << "no nest with a first band of as many loops";
  return {program, schedule::times(program)};
}

// Two of three loops in squares, the third inside.
schedule::SizedOrder in_squares(const program::Program& program, std::int64_t side,
                                const std::vector<int>& loops = {0, 1, 2}) {
  return in_tiles(program, {loops, {side, side, 1}});
}

// An order predicted from parts, and walked through.
struct BesideWalk {
  std::optional<PredictedTraffic> sampled;
  MemoryTraffic walked;
};

BesideWalk beside_walk(const schedule::SizedOrder& order, const program::Sizes& sizes,
                       std::int64_t s) {
  return {schedule::sampled_lru(order, sizes, s),
          schedule::streamed_lru(order.at(sizes), {s}).front()};
}

// A kernel in squares.
BesideWalk beside_walk(const std::string& name, const program::Sizes& sizes, std::int64_t side,
                       std::int64_t s) {
  return beside_walk(in_squares(read(kernel(name)), side), sizes, s);
}

// Loads and stores each, but for a part.
void meet(const BesideWalk& found, double part) {
  ASSERT_TRUE(found.sampled);
  const auto is_near = [part](std::int64_t a, std::int64_t b) {
    EXPECT_NEAR(static_cast<double>(a), static_cast<double>(b), part * static_cast<double>(b));
  };
  is_near(found.sampled->traffic.loads, found.walked.loads);
  is_near(found.sampled->traffic.stores, found.walked.stores);
}

class Sampled : public testing::TestWithParam<Case> {};

TEST_P(Sampled, MeetsWalks) {
  const program::Program program = read(kernel(GetParam().kernel));
  program::Sizes large;
  for (const std::string& p : program.parameters) large[p] = 4000;
  const program::Sizes sizes =
      program::scaled_down(program::InstanceCount(program), large, 3'000'000, 12).first;
  const schedule::SizedOrder order =
      GetParam().tiled ? tiled(program) : schedule::SizedOrder{program, schedule::times(program)};
  const schedule::LoopProgram loops = order.at(sizes);
  for (const std::int64_t s : {100, 700}) {
    const auto sampled = schedule::sampled_lru(order, sizes, s);
    ASSERT_TRUE(sampled) << s;
    EXPECT_EQ(sampled->from, PredictedTraffic::From::parts);
    EXPECT_LE(sampled->residual, 0.05);
    const MemoryTraffic walked = schedule::streamed_lru(loops, {s}).front();
    const auto all = static_cast<double>(walked.moved());
    const double off = (0.02 + sampled->residual) * all;
    EXPECT_NEAR(static_cast<double>(sampled->traffic.loads), static_cast<double>(walked.loads),
                off);
    EXPECT_NEAR(static_cast<double>(sampled->traffic.stores), static_cast<double>(walked.stores),
                off);
  }
}

// Rectangles, triangles, values that die where parts of the order do not show it, final values.
INSTANTIATE_TEST_SUITE_P(Kernels, Sampled,
                         testing::Values(Case{"gemm"}, Case{"jacobi-2d"}, Case{"adi-sweep"},
                                         Case{"lu"}, Case{"horizontal-diffusion"},
                                         Case{"seidel-2d"}, Case{"gemm", true},
                                         Case{"cholesky", true}, Case{"jacobi-1d", true}),
                         [](const auto& of) {
                           return as_test_name(of.param.kernel) + (of.param.tiled ? "_tiled" : "");
                         });

// Each instance is in a run of one kind; a walk that begins early enough meets as many as it
// should.
TEST_P(Sampled, ChunksHoldAllInstances) {
  const program::Program program = read(kernel(GetParam().kernel));
  program::Sizes sizes;
  for (const std::string& p : program.parameters) sizes[p] = 23;
  const schedule::SizedOrder order =
      GetParam().tiled ? tiled(program) : schedule::SizedOrder{program, schedule::times(program)};
  const std::int64_t all =
      std::llround(program::InstanceCount(program).at(sizes, 1'000'000).to_double());
  for (const double most_touches : {40.0, 700.0}) {
    const schedule::Chunks chunks = schedule::chunks(order.at(sizes), most_touches, 3);
    ASSERT_TRUE(chunks.counted);
    std::int64_t instances = 0;
    for (const auto& [kind, of] : chunks.kinds) instances += of.instances;
    EXPECT_EQ(instances, all);
    const std::int64_t last = chunks.count - 1;
    for (const std::int64_t between : {std::int64_t{1}, all / 7, all / 2}) {
      const std::size_t place = chunks.place_before(last, between);
      EXPECT_LE(chunks.work[place], chunks.work.back() - between);
      EXPECT_GT(chunks.work[place + 1], chunks.work.back() - between);
    }
    EXPECT_EQ(chunks.place_before(last, 2 * all), 0U);
  }
}

// Conditions on a loop's own counter, as isl leaves them where several statements share it.
TEST(NodeInstances, AreAsManyAsRun) {
  for (const std::string name : {"ludcmp", "durbin"}) {
    const program::Program program = read(kernel(name));
    program::Sizes sizes;
    for (const std::string& p : program.parameters) sizes[p] = 13;
    const std::int64_t all =
        std::llround(program::InstanceCount(program).at(sizes, 1'000'000).to_double());
    for (const schedule::Nest& nest : schedule::nests(program)) {
      const schedule::LoopProgram loops =
          schedule::loop_program(program, schedule::times(nest, some_tiles(nest)), sizes);
      std::vector<std::int64_t> counters(std::max<std::size_t>(loops.counters, 1), 0);
      EXPECT_EQ(schedule::NodeInstances(loops).of(loops.root, counters), all) << name;
    }
  }
}

// Tiles of matrices so large that walks through parts are long: predicted from smaller problems.
TEST(SimilarTraffic, MeetsWalks) {
  constexpr std::int64_t s = 16'384;
  for (const std::string name : {"gemm", "cholesky", "syrk"}) {
    const program::Program program = read(kernel(name));
    program::Sizes sizes;
    for (const std::string& p : program.parameters) sizes[p] = name == "gemm" ? 307 : 400;
    const schedule::SizedOrder order = in_squares(program, 100);
    const auto predicted = schedule::similar_lru(order, sizes, s);
    ASSERT_TRUE(predicted) << name;
    const auto walked = schedule::streamed_lru(order.at(sizes), {s}).front();
    const auto all = static_cast<double>(walked.moved());
    EXPECT_NEAR(static_cast<double>(predicted->traffic.moved()), all, 0.04 * all) << name;
  }
}

// A tile's rows of the data are read by other tiles: what learned the fates of values from a
// smaller problem in tiles as large, which is one tile, took them to die, and was off by more than
// it said.
TEST(SampledTraffic, KnowsWhatOtherTilesRead) {
  const BesideWalk found = beside_walk("covariance", {{"M", 300}, {"N", 300}}, 60, 4096);
  ASSERT_TRUE(found.sampled);
  const auto walked = static_cast<double>(found.walked.moved());
  EXPECT_NEAR(static_cast<double>(found.sampled->traffic.moved()), walked,
              found.sampled->residual * walked);
}

// Where a triangle's rows enter a tile the tile before leaves: a seventh of the chunks of one node,
// which few walks met. And each tile's values are final after its last step alone: told by what
// loops were in their last iteration, not by how many touches are the last of their element.
TEST(SampledTraffic, KnowsWhereTrianglesEnterTiles) {
  const BesideWalk found = beside_walk("trmm", {{"M", 250}, {"N", 325}}, 30, 1024);
  meet(found, 0.005);
}

// Blocks of the factors are read by all rows below them, long after they were computed: no walk to
// the rows where they leave begins before that.
TEST(SampledTraffic, KnowsResultsThatStay) {
  constexpr std::int64_t n = 300, side = 28, s = 1024;
  meet(beside_walk(in_squares(read(kernel("ludcmp")), side, {0, 2, 1}), {{"N", n}}, s), 0.02);
}

// A tile's row leaves few words of the memory free, and few values a step stay for the next tile:
// only long walks fill it. Walks to an almost full memory told of a third of the stores.
TEST(SampledTraffic, FillsTheMemory) {
  constexpr std::int64_t side = 300;
  const BesideWalk found = beside_walk(in_tiles(read(kernel("jacobi-1d")), {{1, 0}, {side, 1}}),
                                       {{"N", 900}, {"T", 900}}, side + 50);
  meet(found, 0.04);
}

// One loop in tiles longer than itself: no smaller problem has as many of them. Two reads of a
// temporary meet the same value at different times, and only after the last it is dead.
TEST(SampledTraffic, KnowsTemporariesOfUntiledOrders) {
  const BesideWalk found =
      beside_walk(in_tiles(read(kernel("horizontal-diffusion")), {{0, 1, 2}, {1, 512, 1}}),
                  {{"I", 256}, {"J", 256}, {"K", 8}}, 1024);
  meet(found, 0.01);
}

// In cone tiles of equal sides, all steps of one after another, a smaller problem in tiles as large
// is little more than one tile: what other tiles read died there, and 2.7 % of the stores were
// missing. Each value has few readers; these tell.
TEST(SampledTraffic, KnowsWhatOtherConesRead) {
  const program::Program program = read(kernel("heat-3d"));
  const std::vector<schedule::Nest> nests = schedule::cone_nests(program);
  ASSERT_FALSE(nests.empty());
  const std::vector<schedule::Tiles> tiles = {{{1, 2, 3, 0}, {13, 13, 13, 1}}};
  const BesideWalk found = beside_walk(schedule::sized_order(program, {nests.front(), tiles}),
                                       {{"N", 36}, {"T", 40}}, 2048);
  ASSERT_TRUE(found.sampled);
  constexpr double off = 0.015;
  const auto stores = static_cast<double>(found.walked.stores);
  EXPECT_NEAR(static_cast<double>(found.sampled->traffic.stores), stores, off * stores);
}

// How many instances run with a loop in its last iteration, by loop, the outermost first; all of
// them three loops deep.
struct LastIterations {
  std::map<std::size_t, std::int64_t> of;
  void runs(std::size_t, std::uint32_t last) {
    EXPECT_EQ(std::bit_width(last), 4);
    for (std::size_t loop = 0; loop < 3; ++loop) of[loop] += last >> loop & 1;
  }
  void step(const std::uint32_t*, std::size_t) {}
};

TEST(Walk, TellsWhichLoopsAreInTheirLastIteration) {
  using schedule::Direction;
  const program::Program program = read(kernel("trmm"));
  const schedule::LoopProgram loops =
      schedule::SizedOrder{program, schedule::times(program)}.at({{"M", 4}, {"N", 5}});
  // k runs from i + 1 to 3: the last i with a k is 2, with the one k = 3, for each of 5 j.
  const std::map<std::size_t, std::int64_t> expected = {{0, 5}, {1, 3 + 2 + 1}, {2, 3 * 5}};
  LastIterations forward, backward;
  schedule::Walk<Direction::forward, LastIterations>(loops, forward).all();
  schedule::Walk<Direction::backward, LastIterations>(loops, backward).all();
  EXPECT_EQ(forward.of, expected);
  EXPECT_EQ(backward.of, expected);
}

TEST(SimilarTraffic, EndsWhereMoreMovesThanIsAsked) {
  constexpr std::int64_t s = 16'384;
  const program::Sizes sizes = {{"NI", 900}, {"NJ", 900}, {"NK", 900}};
  const schedule::SizedOrder order = in_squares(read(kernel("gemm")), 115);
  const auto all = schedule::similar_lru(order, sizes, s);
  ASSERT_TRUE(all);
  const std::int64_t less = all->traffic.moved() / 3;
  const auto ended = schedule::similar_lru(order, sizes, s, schedule::DeadValues::leave, less);
  ASSERT_TRUE(ended);
  EXPECT_GT(ended->traffic.moved(), less);
  EXPECT_GT(ended->residual, all->residual);
}

TEST(SimilarTraffic, IsOfTilesAndLargeMemories) {
  const program::Program program = read(kernel("gemm"));
  const program::Sizes sizes = {{"NI", 307}, {"NJ", 307}, {"NK", 307}};
  const auto own = schedule::sized_order(program, schedule::own_order(program));
  EXPECT_FALSE(schedule::similar_lru(own, sizes, 16'384));
  EXPECT_FALSE(schedule::similar_lru(own, sizes, 1024));
}

TEST(SampledTraffic, LeavesOutWhatFits) {
  const program::Program program = read(kernel("gemm"));
  const schedule::SizedOrder own{program, schedule::times(program)};
  EXPECT_FALSE(schedule::sampled_lru(own, {{"NI", 20}, {"NJ", 20}, {"NK", 20}}, 1200));
}

}  // namespace
}  // namespace redblue::test
