// SPDX-License-Identifier: BSD-3-Clause
// Traffic of every cache: held against replays of the graph and against the bound.
#include "measure/levels.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "frontend/read.hpp"
#include "redblue/schedule.hpp"
#include "schedule/codegen/choice.hpp"

namespace redblue::test {
namespace {

struct Case {
  std::string name;
  program::Sizes sizes;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class Levels : public testing::TestWithParam<Case> {
 protected:
  Levels() {
    request.code.program.file = REDBLUE_SOURCE_DIR "/kernels/" + GetParam().name + ".c";
    request.code.program.sizes = GetParam().sizes;
    request.levels = {
        {"small", 8 * 16}, {"middle", 8 * 100}, {"large", 8 * 1000}, {"all", 1 << 20}};
    program = frontend::read(request.code.program);
  }

  // An order made for sizes at which there is something to gain.
  std::optional<schedule::SizedOrder> fast_order() const {
    program::Sizes large;
    for (const std::string& p : program.parameters) large[p] = 400;
    const auto chosen = schedule::codegen::Orders(program, large, {1 << 17, 32}).fastest();
    if (!chosen) return std::nullopt;
    return schedule::SizedOrder{chosen->program, all_times(chosen->schedule)};
  }

  MeasureRequest request;
  program::Program program;
};

TEST_P(Levels, AreReplaysAndNeverBelowTheBound) {
  const auto order = fast_order();
  ASSERT_TRUE(order);
  const auto levels = measure_detail::level_traffic(request, program, GetParam().sizes, order, {});
  ASSERT_EQ(levels.size(), request.levels.size());
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  for (const LevelTraffic& at : levels) {
    SCOPED_TRACE(at.name);
    ASSERT_TRUE(at.original && at.schedule) << at.not_counted;
    EXPECT_GT(at.bound, 0);
    EXPECT_GE(static_cast<double>(at.original->moved()), at.bound);
    EXPECT_GE(static_cast<double>(at.schedule->moved()), at.bound);
    BoundRequest replayed = request.code.program;
    replayed.sizes["S"] = at.capacity;
    EXPECT_EQ(*at.original, *replay_program(replayed).lru);
    EXPECT_LE(at.schedule->moved(), before);
    before = at.schedule->moved();
  }
  // Where all data fit, inputs are loaded and outputs stored, once.
  EXPECT_EQ(*levels.back().schedule, *levels.back().original);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Levels,
                         testing::Values(Case{"gemm", {{"NI", 50}, {"NJ", 61}, {"NK", 40}}},
                                         Case{"syrk", {{"N", 50}, {"M", 33}}},
                                         Case{"gramschmidt", {{"M", 30}, {"N", 40}}},
                                         Case{"mvt", {{"N", 60}}}),
                         [](const auto& instance) { return instance.param.name; });

TEST(LevelTraffic, SaysWhyItIsNotCounted) {
  MeasureRequest request;
  request.code.program.file = REDBLUE_SOURCE_DIR "/kernels/gemm.c";
  request.code.program.sizes = {{"NI", 300}, {"NJ", 300}, {"NK", 300}};
  request.levels = {{"L1", 8 * 1000}};
  request.most_accesses = 1e6;
  const auto levels = measure_detail::level_traffic(request, frontend::read(request.code.program),
                                                    request.code.program.sizes, std::nullopt, {});
  ASSERT_EQ(levels.size(), 1U);
  EXPECT_FALSE(levels[0].original || levels[0].schedule);
  EXPECT_NE(levels[0].not_counted.find("more than 1000000"), std::string::npos);
  EXPECT_GT(levels[0].bound, 0);
}

}  // namespace
}  // namespace redblue::test
