// SPDX-License-Identifier: BSD-3-Clause
// Cone tiles: their hyperplanes, legality, the same bits, and less traffic than skewed boxes.
#include "schedule/stencil/cone_tiles.hpp"

#include <gtest/gtest.h>
#include <isl/union_map.h>

#include <fstream>
#include <limits>

#include "frontend/read.hpp"
#include "schedule/emitted.hpp"
#include "schedule/order.hpp"
#include "schedule/search/code.hpp"
#include "schedule/search/judge.hpp"
#include "schedule/some_tiles.hpp"
#include "temporary_folder.hpp"

namespace redblue::test {
namespace {

std::string kernel(const std::string& name) {
  return std::string(REDBLUE_SOURCE_DIR) + "/kernels/" + name + ".c";
}

program::Program read(const std::string& file) {
  BoundRequest request;
  request.file = file;
  return frontend::read(request);
}

using Shifts = std::vector<std::int64_t>;

TEST(ConeTiles, HyperplanesHaveTheLeastSlope) {
  const auto plane = [](const std::string& name, const std::vector<int>& normal) {
    return schedule::hyperplane(read(kernel(name)), normal, 8);
  };
  const auto expect = [&](const std::string& name, const std::vector<int>& normal,
                          std::int64_t slope, const Shifts& shifts) {
    SCOPED_TRACE(name);
    const auto found = plane(name, normal);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->slope, slope);
    EXPECT_EQ(found->shifts, shifts);
  };
  expect("jacobi-1d", {1}, 2, {0, 1});
  expect("jacobi-2d", {1, 0}, 2, {0, 1});
  expect("jacobi-2d", {1, 1}, 2, {0, 1});
  expect("jacobi-2d", {-1, 1}, 2, {0, 1});
  expect("jacobi-2d", {2, 1}, 4, {0, 2});
  expect("heat-3d", {1, -1, 1}, 2, {0, 1});
  // ey[0][j], ey, ex, hz: hz reads ey[i + 1][j] and ex[i][j + 1], which read hz of the step before.
  expect("fdtd-2d", {1, 1}, 1, {0, 0, 0, 1});
  expect("fdtd-2d", {1, -1}, 1, {0, 0, 1, 1});
  // In place: i and j go up, so that no slope allows tiles that go down along j alone.
  EXPECT_FALSE(plane("seidel-2d", {0, -1}));
  EXPECT_FALSE(plane("seidel-2d", {1, -1}));
  // Whole rows and columns are read.
  EXPECT_FALSE(plane("adi", {1, 1}));
}

TEST(ConeTiles, NoneOfProgramsWithoutTimeSteps) {
  for (const char* name : {"gemm", "lu", "adi", "floyd-warshall", "atax"})
    EXPECT_TRUE(schedule::cone_nests(read(kernel(name))).empty()) << name;
}

class ConeTilesOf : public testing::TestWithParam<std::pair<const char*, std::size_t>> {};

TEST_P(ConeTilesOf, AreLegalAndComputeTheSame) {
  const auto [name, sets] = GetParam();
  const program::Program program = read(kernel(name));
  const isl::union_map order = schedule::conflicts(program);
  const isl::union_map own = schedule::times(program);
  const isl::union_map before = isl::manage(isl_union_map_lex_lt_union_map(own.copy(), own.copy()));
  const std::vector<schedule::Nest> nests = schedule::cone_nests(program);
  EXPECT_EQ(nests.size(), sets);
  for (const schedule::Nest& nest : nests) {
    const isl::union_map times = schedule::times(nest, test::some_tiles(nest));
    EXPECT_TRUE(times.domain().is_equal(schedule::instances(program)));
    EXPECT_TRUE(schedule::respects(times, order));
    EXPECT_FALSE(schedule::respects(times, before)) << "tiles change the order";
    const std::string code = schedule::code(program, times, nest.families);
    for (const int size : {3, 10}) EXPECT_EQ(difference(kernel(name), code, size), "") << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, ConeTilesOf,
                         testing::Values(std::pair{"jacobi-1d", 1}, std::pair{"jacobi-2d", 2},
                                         std::pair{"heat-3d", 3}, std::pair{"fdtd-2d", 2}),
                         [](const auto& of) {
                           std::string name = of.param.first;
                           name.erase(name.find('-'), 1);
                           return name;
                         });

// Words per element and step at one size, beside Lemma 2's.
TEST(ConeTiles, MoveWhatTheLemmaSays) {
  const program::Program program = read(kernel("jacobi-2d"));
  constexpr std::int64_t s = 512, n = 160, steps = 60;
  const schedule::Judge judge(
      program, {{"N", n}, {"T", steps}}, s, cdag::Replacement::lru, [](double) {},
      schedule::Judge::How::streamed);
  const auto moved = [&](const schedule::Nest& nest, std::int64_t side) {
    const schedule::Tiles tiles{{1, 2, 0}, {side, side, 1}};
    return static_cast<double>(judge.cost({nest, {tiles}})) /
           static_cast<double>(2 * steps * (n - 2) * (n - 2));
  };
  const std::vector<schedule::Nest> nests = schedule::cone_nests(program);
  ASSERT_EQ(nests.size(), 2U);
  const double tips = moved(nests[0], 26), boxes = moved(nests[1], 19);
  EXPECT_LT(tips, 1.35 * 8 / 26);
  EXPECT_GT(tips, 8. / 26);
  EXPECT_GT(boxes, 8. / 19);
  EXPECT_LT(tips, 0.8 * boxes);
}

}  // namespace
}  // namespace redblue::test
