// SPDX-License-Identifier: BSD-3-Clause
// Few messages, limited memory, and words against messages: against the published formulas and all
// grids one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "redblue/cost.hpp"
#include "redblue/error.hpp"
#include "redblue/gemm_model.hpp"

namespace redblue {
namespace {

Decomposition grid(const GemmShape& shape, int ranks, int gi, int gj, int gk, Exchange exchange) {
  Decomposition d;
  d.shape = shape;
  d.ranks = ranks;
  d.grid = {gi, gj, gk};
  d.exchange = exchange;
  return d;
}

TEST(Doubling, HasTheWordsOfADirectExchangeInFewMessages) {
  // sizes that every grid here divides, so that shares are even
  const GemmShape shape = {720, 720, 720};
  for (const auto& [gi, gj, gk] : {std::array<int, 3>{1, 1, 12}, {2, 3, 5}, {4, 4, 4}, {1, 9, 2}}) {
    const int ranks = gi * gj * gk;
    const Cost direct = cost_of(grid(shape, ranks, gi, gj, gk, Exchange::direct), {});
    const Cost doubling = cost_of(grid(shape, ranks, gi, gj, gk, Exchange::doubling), {});
    EXPECT_EQ(doubling.words, direct.words);
    EXPECT_EQ(direct.messages.value, gi - 1 + gj - 1 + gk - 1);
    const double logarithms =
        std::ceil(std::log2(gi)) + std::ceil(std::log2(gj)) + std::ceil(std::log2(gk));
    EXPECT_EQ(static_cast<double>(doubling.messages.value), logarithms);
  }
}

TEST(Plan, ByTimeThousandsOfRanksNeedFewMessages) {
  struct Case {
    GemmShape shape;
    int ranks;
    std::array<int, 3> grid;
    std::int64_t most;
  };
  for (const Case& c : {Case{{4096, 4096, 1048576}, 2048, {2, 2, 512}, 14},
                        Case{{8192, 8192, 2097152}, 16384, {4, 4, 1024}, 24}}) {
    const GemmPlanReport words = plan_gemm({c.shape, c.ranks, {}, Objective::words, {}});
    const GemmPlanReport time = plan_gemm({c.shape, c.ranks, {}, Objective::seconds, {}});
    EXPECT_EQ(words.decomposition.grid, c.grid);
    EXPECT_EQ(words.decomposition.exchange, Exchange::direct);
    EXPECT_EQ(words.cost.messages.value, c.grid[0] + c.grid[1] + c.grid[2] - 3);
    EXPECT_EQ(time.decomposition.grid, c.grid);
    EXPECT_LE(time.cost.messages.value, c.most);
    EXPECT_EQ(time.cost.words, words.cost.words);
  }
}

TEST(Plan, PartialSumsFitInLittleMemory) {
  struct Case {
    GemmShape shape;
    int ranks;
    double most;
  };
  for (const Case& c : {Case{{1536, 1536, 1536}, 256, 1.08}, Case{{768, 768, 768}, 64, 1.05}}) {
    const GemmPlanReport report = plan_gemm({c.shape, c.ranks, Words(69120), Objective::words, {}});
    EXPECT_LE(report.ratio, c.most);
    EXPECT_GE(report.ratio, 1 - 1e-9);
    EXPECT_LE(report.cost.memory.value, 69120);
    EXPECT_GT(report.decomposition.grid[2], 1);
    EXPECT_GT(report.decomposition.rounds, 1);
  }
}

// No grid with work as even beats a point in words and messages, and none of these another.
TEST(TradeOff, IsTheFrontOfAllGrids) {
  for (const GemmShape& shape : {GemmShape{96, 80, 640}, GemmShape{77, 53, 41}}) {
    for (const int ranks : {1, 2, 7, 12, 16, 30}) {
      const GemmPlanRequest request = {shape, ranks, {}, Objective::words, {}};
      const std::vector<TradeOffPoint> front = gemm_trade_off(request);
      ASSERT_FALSE(front.empty());
      double most_work = 0;
      for (std::size_t i = 0; i < front.size(); ++i) {
        const Cost exact = cost_of(front[i].decomposition, {});
        EXPECT_EQ(exact.words, front[i].cost.words);
        EXPECT_EQ(exact.messages, front[i].cost.messages);
        most_work = std::max(most_work, exact.work);
        if (i == 0) continue;
        EXPECT_GT(front[i].cost.words, front[i - 1].cost.words);
        EXPECT_LT(front[i].cost.messages, front[i - 1].cost.messages);
      }
      EXPECT_LE(front.front().cost.words, plan_gemm(request).cost.words);
      for (int gi = 1; gi <= ranks; ++gi) {
        for (int gj = 1; gi * gj <= ranks; ++gj) {
          for (const Exchange exchange : {Exchange::direct, Exchange::doubling}) {
            const Cost c = cost_of(grid(shape, ranks, gi, gj, ranks / (gi * gj), exchange), {});
            if (c.work > most_work) continue;
            for (const TradeOffPoint& p : front) {
              EXPECT_FALSE(c.words < p.cost.words && c.messages < p.cost.messages)
                  << gi << " x " << gj << " on " << ranks << " beats " << p.decomposition.name();
            }
          }
        }
      }
    }
  }
}

TEST(TradeOff, WithinMemoryMoreWordsBuyFewerMessages) {
  const GemmPlanRequest request = {{768, 768, 768}, 64, Words(69120), Objective::words, {}};
  const std::vector<TradeOffPoint> front = gemm_trade_off(request);
  EXPECT_GE(front.size(), 3U);
  for (const TradeOffPoint& p : front) EXPECT_LE(p.cost.memory.value, 69120);
  EXPECT_THROW(gemm_trade_off({{768, 768, 768}, 64, Words(100), Objective::words, {}}), Error);
  EXPECT_THROW(gemm_trade_off({{-1, 7, 7}, 4, {}, Objective::words, {}}), Error);
}

}  // namespace
}  // namespace redblue
