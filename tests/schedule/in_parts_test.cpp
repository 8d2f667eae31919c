// SPDX-License-Identifier: BSD-3-Clause
// Searches whose parts other processors do ahead.
#include "schedule/search/in_parts.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "process/one_processor.hpp"
#include "redblue/schedule.hpp"
#include "schedule/kernel_program.hpp"
#include "schedule/search/tuning.hpp"

namespace redblue {
namespace {

using schedule::Judge;
using schedule::Plan;
using schedule::Tiles;

struct Asked {
  std::vector<std::int64_t> moved;
  std::vector<double> spent;
  bool operator==(const Asked&) const = default;
};

// Tiles of gemm of growing sides, `part` by part; a part asks for fewer ahead.
Asked costs_in_parts(std::size_t asked_ahead, std::size_t last_part) {
  const program::Program gemm = test::read(test::kernel("gemm"));
  const Judge judge(
      gemm, {{"NI", 20}, {"NJ", 21}, {"NK", 22}}, 100, cdag::Replacement::lru, [](double) {},
      Judge::How::streamed);
  std::vector<schedule::Nest> nests = schedule::nests(gemm);
  std::erase_if(nests, [](const auto& nest) { return nest.bands.empty(); });
  const schedule::Nest nest = nests.front();
  const std::size_t loops = nest.bands.front().loops.size();
  Asked result;
  schedule::in_parts({&judge}, 6, [&](std::size_t n, bool ahead) {
    for (std::size_t k = 0; k < (ahead ? asked_ahead : 4); ++k) {
      Plan plan{nest, std::vector<Tiles>(nest.bands.size())};
      for (std::size_t l = 0; l < loops; ++l) plan.tiles[0].order.push_back(static_cast<int>(l));
      plan.tiles[0].sizes.assign(loops, static_cast<std::int64_t>(1 + n + 2 * k));
      result.moved.push_back(judge.cost(plan));
      result.spent.push_back(judge.spent());
    }
    return n < last_part;
  });
  return result;
}

TEST(InParts, FindsWhatOneProcessorFinds) {
  const Asked all = costs_in_parts(4, 9);
  EXPECT_EQ(all.moved.size(), 24U);
  const OneProcessor alone;
  EXPECT_EQ(all, costs_in_parts(4, 9));
}

TEST(InParts, GoesOnWhereOthersAskedLessOrMore) {
  const Asked less = costs_in_parts(1, 9), none = costs_in_parts(0, 9), more = costs_in_parts(9, 9);
  const OneProcessor alone;
  const Asked all = costs_in_parts(4, 9);
  EXPECT_EQ(all, less);
  EXPECT_EQ(all, none);
  EXPECT_EQ(all, more);
}

TEST(InParts, EndsWithAPart) {
  EXPECT_EQ(costs_in_parts(4, 2).moved.size(), 12U);
}

// What `tile` would print.
std::string found(const std::string& kernel, const program::Sizes& sizes) {
  ScheduleRequest request;
  request.program.file = test::kernel(kernel);
  request.program.sizes = sizes;
  request.replacement = cdag::Replacement::lru;
  request.effort = 0.2;
  const auto [schedule, gap] = bounded_schedule(request);
  return schedule.code + std::to_string(schedule.predicted.value().traffic.loads) + " " +
         std::to_string(schedule.predicted.value().traffic.stores) + " " +
         std::to_string(gap.lower);
}

// Nests, samples of several nodes, similar problems; cone tiles.
TEST(InParts, LeavesSchedulesAsTheyAre) {
  const std::vector<std::pair<std::string, program::Sizes>> cases = {
      {"mlp", {{"N", 256}, {"I", 512}, {"F", 512}, {"G", 512}, {"O", 256}, {"S", 16384}}},
      {"jacobi-2d", {{"N", 500}, {"T", 60}, {"S", 2048}}}};
  for (const auto& [kernel, sizes] : cases) {
    const std::string together = found(kernel, sizes);
    const OneProcessor alone;
    EXPECT_EQ(together, found(kernel, sizes)) << kernel;
  }
}

}  // namespace
}  // namespace redblue
