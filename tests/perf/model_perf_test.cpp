// SPDX-License-Identifier: BSD-3-Clause
// Times of the planner. They depend on the machine and what else it does: `ctest -L perf` runs
// them, `make check` does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "redblue/cost.hpp"
#include "redblue/factor_model.hpp"
#include "redblue/gemm_model.hpp"
#include "redblue/symmetric_model.hpp"

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

TEST(Speed, EveryPlanForAQuarterOfAMillionRanks) {
  constexpr std::int64_t n = 262144;
  constexpr int ranks = 262144;
  const SyrkPlanRequest request{{n, n}, ranks, {}, Objective::words, {}};
  TrsvRequest solve;
  solve.n = n;
  solve.ranks = ranks;
  const std::vector<std::function<Cost()>> plans = {
      [&] { return plan_syrk(request).cost; },
      [&] {
        return cost_of(SymmetricKernel::symm, choose_symmetric(SymmetricKernel::symm, request), {});
      },
      [&] { return cost_of(choose_cholesky(n, ranks, {}), {}); },
      [&] { return cost_of(choose_lu(n, n, ranks, {}), {}); },
      [&] { return cost_of(choose_trsm(n, n, ranks, {}), {}); },
      [&]() -> Cost { return cost_of(choose_trsv(solve), {}); }};
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_GT(plans[i]().words.value, 0) << i;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    EXPECT_LT(took.count(), 5) << i;
  }
}

}  // namespace
}  // namespace redblue::test
