// SPDX-License-Identifier: BSD-3-Clause
// What is chosen, against its own alternatives, the bound and the figures redblue must reach.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "redblue/cost.hpp"
#include "redblue/error.hpp"
#include "redblue/gemm_model.hpp"

namespace redblue {
namespace {

const std::vector<GemmShape> shapes = {
    {1200, 1200, 1200}, {200, 200, 20000}, {20000, 200, 200}, {3000, 3000, 64}};

TEST(Plan, NeverAboveItsBestGridOrBisectionNorBelowTheBound) {
  for (const GemmShape& shape : shapes) {
    for (int p = 1; p <= 128; ++p) {
      const GemmPlanReport report = plan_gemm({shape, p, {}, Objective::words, {}});
      int compared = 0;
      for (const Alternative& a : report.alternatives) {
        if (a.name.rfind("best", 0) == 0) {
          EXPECT_LE(report.cost.words, a.cost.words) << a.name << " P=" << p;
          ++compared;
        }
      }
      EXPECT_GE(compared, 1) << "P=" << p;
      EXPECT_GE(static_cast<double>(report.cost.words.value), report.lower_bound * (1 - 1e-9))
          << "P=" << p;
    }
  }
}

TEST(Plan, WhatIsChosenIsWhatIsShown) {
  std::vector<GemmShape> all = shapes;
  all.push_back({128, 128, 8192});
  for (const GemmShape& shape : all) {
    for (int p = 1; p <= 64; ++p) {
      const GemmPlanRequest request = {shape, p, {}, Objective::words, {}};
      EXPECT_EQ(choose_gemm(request).name(), plan_gemm(request).decomposition.name()) << "P=" << p;
    }
  }
}

// Blocks of C that so many ranks cannot share evenly; 4,727 words were counted on simulated ranks.
TEST(Plan, CountsOnThousandsOfRanksToo) {
  const GemmPlanReport counted = plan_gemm({{512, 512, 512}, 2048, {}, Objective::words, {}});
  EXPECT_EQ(counted.cost.words.value, 4727);
  for (const int ranks : {1500, 2048, 3001, 5003, 6007}) {
    for (const GemmShape& shape : {GemmShape{512, 512, 512}, GemmShape{701, 333, 1009}}) {
      const GemmPlanReport report = plan_gemm({shape, ranks, {}, Objective::words, {}});
      const Cost exact = cost_of(report.decomposition, {});
      EXPECT_GE(report.cost.words, exact.words) << ranks;
      EXPECT_LE(100 * report.cost.words.value, 101 * exact.words.value) << ranks;
      if (ranks <= 4096) {
        EXPECT_EQ(report.cost.words, exact.words) << ranks;
      }
    }
  }
}

TEST(Plan, ReachesThePublishedFiguresAndMore) {
  // P -> most words / bound on 1200^3: the smallest of the measured peers.
  const std::map<int, double> most = {{4, 1.136}, {7, 1.22},  {8, 1.0},   {11, 1.05},
                                      {13, 1.05}, {16, 1.05}, {24, 1.06}, {32, 1.07}};
  for (const auto& [p, ratio] : most) {
    EXPECT_LE(plan_gemm({shapes[0], p, {}, Objective::words, {}}).ratio, ratio + 1e-9) << "P=" << p;
  }
}

TEST(Plan, WorkIsEven) {
  for (const GemmShape& shape : shapes) {
    for (const int p : {2, 7, 13, 31, 64, 101, 128}) {
      const Decomposition d = choose_gemm({shape, p, {}, Objective::words, {}});
      std::int64_t most = 0;
      for (const Cuboid& c : d.cuboids())
        most = std::max(most, c.i.size() * c.j.size() * c.k.size());
      EXPECT_LE(static_cast<double>(most),
                1.03 * static_cast<double>(shape.m * shape.n * shape.k) / p);
    }
  }
}

TEST(Plan, MemoryIsHonouredAndTheLeastAmountNamed) {
  const GemmShape shape = {1200, 1200, 1200};
  for (const int p : {2, 7, 16}) {
    std::int64_t needed = 0;
    try {
      plan_gemm({shape, p, Words(1000), Objective::words, {}});
      ADD_FAILURE() << "1000 words cannot hold the matrices";
    } catch (const Error& e) {
      needed = e.least().value();
    }
    for (const std::int64_t memory : {needed, needed + needed / 10, 2 * needed, 10 * needed}) {
      const GemmPlanReport report = plan_gemm({shape, p, Words(memory), Objective::words, {}});
      EXPECT_LE(report.cost.memory.value, memory);
      EXPECT_EQ(cost_of(report.decomposition, {}).memory, report.cost.memory);
      EXPECT_GE(report.ratio, 1 - 1e-9);
    }
    EXPECT_THROW(plan_gemm({shape, p, Words(needed - 1), Objective::words, {}}), Error);
  }
}

TEST(Plan, MatricesOfUpToABillionRowsHavePlans) {
  for (const std::int64_t n : {2'100'000, 1'000'000'000}) {
    for (const int p : {7, 1000, 5000}) {
      const GemmPlanReport report = plan_gemm({{n, n, n}, p, {}, Objective::words, {}});
      EXPECT_GE(report.ratio, 1) << n << " on " << p;
      EXPECT_LE(report.ratio, 1.2) << n << " on " << p;
    }
  }
  EXPECT_THROW(plan_gemm({{2'000'000'000, 2'000'000'000, 2}, 7, {}, Objective::words, {}}), Error);
  EXPECT_THROW(plan_gemm({{10, 10, 10}, 2'000'000'000, {}, Objective::words, {}}), Error);
}

TEST(Plan, TinyProblemsLeaveRanksIdle) {
  for (int p = 1; p <= 40; ++p) {
    const Decomposition d = choose_gemm({{2, 3, 2}, p, {}, Objective::words, {}});
    std::int64_t work = 0;
    for (const Cuboid& c : d.cuboids())
      work += c.empty() ? 0 : c.i.size() * c.j.size() * c.k.size();
    EXPECT_EQ(work, 12);
  }
  for (const GemmShape& zero :
       {GemmShape{0, 5, 5}, GemmShape{5, 0, 5}, GemmShape{5, 5, 0}, GemmShape{0, 0, 0}}) {
    EXPECT_EQ(plan_gemm({zero, 6, {}, Objective::words, {}}).cost.words, Words(0));
  }
}

TEST(Plan, BadRequestsAreNamed) {
  EXPECT_THROW(plan_gemm({{-1, 2, 2}, 2, {}, Objective::words, {}}), Error);
  EXPECT_THROW(plan_gemm({{2, 2, 2}, 0, {}, Objective::words, {}}), Error);
}

}  // namespace
}  // namespace redblue
