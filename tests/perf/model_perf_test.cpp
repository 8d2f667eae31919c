// SPDX-License-Identifier: BSD-3-Clause
// Times of the planner. They depend on the machine and what else it does: `ctest -L perf` runs
// them, `make check` does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "redblue/cost.hpp"
#include "redblue/gemm_model.hpp"

namespace redblue::test {
namespace {

TEST(Speed, PlansForAHundredThousandRanks) {
  const std::vector<GemmShape> shapes = {
      {1200, 1200, 1200}, {200, 200, 20000}, {20000, 200, 200}, {3000, 3000, 64}};
  for (const GemmShape& shape : shapes) {
    double best = 1;
    for (int attempt = 0; attempt < 3; ++attempt) {
      const auto start = std::chrono::steady_clock::now();
      plan_gemm({shape, 100000, {}, Objective::words, {}});
      best = std::min(
          best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    EXPECT_LT(best, 0.25);
  }
}

}  // namespace
}  // namespace redblue::test
