// SPDX-License-Identifier: BSD-3-Clause
// Tiles that run first what needs nothing of them: legal, the same bits, and less traffic.
#include "schedule/independent_first.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "kernel_names.hpp"
#include "schedule/emitted.hpp"
#include "schedule/kernel_program.hpp"
#include "schedule/nests.hpp"
#include "schedule/order.hpp"
#include "schedule/search/code.hpp"
#include "schedule/search/judge.hpp"
#include "schedule/search/tuning.hpp"
#include "schedule/updates.hpp"
#include "temporary_folder.hpp"

namespace redblue::test {
namespace {

std::vector<schedule::Tiles> square(const schedule::Nest& nest, std::int64_t side) {
  const int loops = static_cast<int>(nest.bands.front().loops.size());
  schedule::Tiles tiles = schedule::cubes(loops, 4).front();
  tiles.sizes.assign(tiles.sizes.size(), side);
  return {tiles};
}

class IndependentFirst : public testing::TestWithParam<std::string> {};

TEST_P(IndependentFirst, IsLegalAndComputesTheSame) {
  const program::Program program = read(kernel(GetParam()));
  const auto all = schedule::independent_first(program, schedule::nests(program));
  ASSERT_FALSE(all.empty());
  std::size_t different = 0;
  for (const schedule::Nest& nest : {all.front(), all.back()}) {
    const std::vector<schedule::Tiles> tiles = square(nest, 4);
    const isl::union_map times = schedule::times(nest, tiles);
    EXPECT_TRUE(times.domain().is_equal(schedule::instances(program)));
    const program::Program stored = schedule::privatised(program, nest.families);
    EXPECT_TRUE(schedule::respects(times, schedule::conflicts(stored)));
    schedule::Nest plain = nest;
    plain.order.reset();
    different += times.is_equal(schedule::times(plain, tiles)) ? 0 : 1;
    const auto families = schedule::needed(program, times, nest.families);
    const std::string code = schedule::code(program, times, families);
    for (const int size : {1, 5, 18})
      EXPECT_EQ(difference(kernel(GetParam()), code, size), "") << code;
  }
  EXPECT_GT(different, 0U);
}

INSTANTIATE_TEST_SUITE_P(Kernels, IndependentFirst,
                         testing::Values("nussinov", "doitgen", "gramschmidt", "floyd-warshall"),
                         [](const auto& kernel) { return as_test_name(kernel.param); });

// Of what a tile of the table reads all but its own rows and columns lies in earlier tiles.
TEST(IndependentFirst, TablesMoveAFifthAsMuch) {
  const program::Program program = read(kernel("nussinov"));
  const schedule::Replayed silent = [](double) {};
  const program::Sizes sizes = {{"N", 200}};
  const schedule::Judge judge(program, sizes, 256, cdag::Replacement::lru, silent,
                              schedule::Judge::How::streamed);
  const auto all = schedule::independent_first(program, schedule::nests(program));
  ASSERT_FALSE(all.empty());
  const std::int64_t own = judge.cost(schedule::own_order(program));
  EXPECT_LT(5 * judge.cost({all.front(), square(all.front(), 11)}), own);
  // A search stops counting where a plan is worse.
  EXPECT_GT(judge.cost(schedule::own_order(program), own / 2), own / 2);
  EXPECT_EQ(judge.cost(schedule::own_order(program), own), own);
}

// Steps that all update one element may run in any order, but not at once.
TEST(Updates, OfOneElementAreNotMarkedIndependent) {
  const std::string file = temporary_folder() + "redblue_largest.c";
  std::ofstream(file) << "#include <math.h>\nvoid f(int N, double A[N], double x[N + 1]) {\n"
                         "#pragma scop\n  for (int i = 0; i < N; i++)\n"
                         "    x[0] = fmax(x[0], A[i]);\n#pragma endscop\n}\n";
  const program::Program program = read(file);
  EXPECT_TRUE(schedule::conflicts(program).is_empty());
  EXPECT_FALSE(schedule::one_at_a_time(program).is_empty());
  const std::string code = schedule::code(program, schedule::times(program), {});
  EXPECT_EQ(code.find("REDBLUE_INDEPENDENT"), std::string::npos) << code;
}

}  // namespace
}  // namespace redblue::test
