// SPDX-License-Identifier: BSD-3-Clause
#include "redblue/lower_bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>

#include "decomposition/parallel_optimum.hpp"
#include "redblue/error.hpp"

namespace redblue {
namespace {

TEST(GemmLowerBound, ThreeCasesOfTheMemoryIndependentBound) {
  const double cube = 3 * std::pow(1200.0 * 1200 * 1200 / 8, 2.0 / 3) - 3 * 1200.0 * 1200 / 8;
  EXPECT_NEAR(gemm_lower_bound({1200, 1200, 1200}, 8), cube, 1e-6 * cube);
  EXPECT_NEAR(gemm_lower_bound({200, 200, 20000}, 4), 200.0 * 200 * 3 / 4,
              1e-3);                                                // one side is cut
  EXPECT_NEAR(gemm_lower_bound({3000, 3000, 64}, 4), 96000, 1e-3);  // two sides are cut
  EXPECT_EQ(gemm_lower_bound({1200, 1200, 1200}, 1), 0);
  EXPECT_EQ(gemm_lower_bound({0, 5, 5}, 4), 0);
}

// Random even cuts into equal cuboids: none receives less than the bound.
TEST(GemmLowerBound, NoEvenGridBeatsIt) {
  std::mt19937 random(5);
  int positive = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const std::int64_t g[] = {1 + static_cast<std::int64_t>(random() % 6),
                              1 + static_cast<std::int64_t>(random() % 6),
                              1 + static_cast<std::int64_t>(random() % 6)};
    const std::int64_t b[] = {1 + static_cast<std::int64_t>(random() % 40),
                              1 + static_cast<std::int64_t>(random() % 40),
                              1 + static_cast<std::int64_t>(random() % 40)};
    const GemmShape shape = {g[0] * b[0], g[1] * b[1], g[2] * b[2]};
    const double p = static_cast<double>(g[0] * g[1] * g[2]);
    const double footprint = static_cast<double>(b[0] * b[1] + b[1] * b[2] + b[0] * b[2]);
    const double owned =
        static_cast<double>(shape.m * shape.n + shape.n * shape.k + shape.m * shape.k) / p;
    const double bound = gemm_lower_bound(shape, static_cast<int>(p));
    EXPECT_LE(bound, footprint - owned + 1e-6 * footprint);
    positive += bound > 0 ? 1 : 0;
  }
  EXPECT_GT(positive, 2000);
}

TEST(GemmLowerBound, LittleMemoryRaisesIt) {
  const GemmShape shape = {4000, 4000, 4000};
  const double free = gemm_lower_bound(shape, 16);
  EXPECT_EQ(gemm_lower_bound(shape, 16, Words(1LL << 40)), free);
  const double tight = gemm_lower_bound(shape, 16, Words(10000));
  EXPECT_GT(tight, free);
  const double owned = 3 * 16e6 / 16;
  // 2 mnk / (P sqrt M) + M - D / P; without the M where nothing is known of who computes how much
  EXPECT_NEAR(tight, 2 * 64e9 / 16 / 100 - owned, 0.001 * tight);
  RankLimits limits{16, std::numeric_limits<double>::infinity(), Words(10000)};
  EXPECT_NEAR(gemm_lower_bound(shape, limits), 2 * 64e9 / 16 / 100 - owned, 1);
  limits.memory.reset();
  EXPECT_EQ(gemm_lower_bound(shape, limits), 0);  // one rank may do all
}

// n^2 k / (sqrt(2) P sqrt(M)) [aldaas2023, section 6], and twice that for SYR2K and SYMM.
TEST(SymmetricLowerBounds, WithinMemoryTheyAreThePapersLessWhatIsOwned) {
  const double n = 20000, k = 8000, p = 64, memory = 250000;
  const RankLimits limits{64, std::numeric_limits<double>::infinity(), Words(250000)};
  const double leading = n * n * k / (std::sqrt(2.0) * p * std::sqrt(memory));
  EXPECT_NEAR(syrk_lower_bound({20000, 8000}, limits), leading - (n * n / 2 + n * k) / p,
              0.002 * leading);
  EXPECT_NEAR(syr2k_lower_bound({20000, 8000}, limits), 2 * leading - (n * n / 2 + 2 * n * k) / p,
              0.002 * leading);
  EXPECT_NEAR(symm_lower_bound(20000, 8000, limits), 2 * leading - (n * n / 2 + 2 * n * k) / p,
              0.002 * leading);
  // [kwasniewski2021, section 4.6] for LU; Cholesky by the symmetric inequality, sqrt(2) less
  const double lu = 2 * n * n * n / (3 * p * std::sqrt(memory));
  EXPECT_NEAR(lu_lower_bound(20000, 20000, 1, limits), lu - 2 * n * n / p, 0.002 * lu);
  EXPECT_NEAR(cholesky_lower_bound(20000, 1, limits), lu / (2 * std::sqrt(2.0)) - n * n / p,
              0.002 * lu);
}

TEST(ParallelLowerBounds, BadSizesAreErrors) {
  EXPECT_THROW(lu_lower_bound(-1, 4, 1, {2, {}, {}}), Error);
  EXPECT_THROW(lu_lower_bound(4, 4, 0, {2, {}, {}}), Error);
  EXPECT_THROW(cholesky_lower_bound(4, 1, {0, {}, {}}), Error);
  EXPECT_EQ(cholesky_lower_bound(0, 1, {3, {}, {}}), 0);
  EXPECT_EQ(lu_lower_bound(1, 7, 64, {3, {}, {}}), 0);
}

using testing::TinyKernel;

struct TinyCase {
  std::string name;
  TinyKernel kernel;
  std::function<double(const RankLimits&)> bound;
  int most_memory = 3;  // up to which all schedules are looked at
};

std::vector<TinyCase> tiny_cases() {
  std::vector<TinyCase> cases;
  const auto add = [&cases](std::string name, TinyKernel kernel, int most_memory, auto bound) {
    cases.push_back({std::move(name), std::move(kernel), bound, most_memory});
  };
  using L = const RankLimits&;
  add("gemm 2 x 2 x 1", testing::tiny_gemm(2, 2, 1), 4, [](L l) {
    return gemm_lower_bound({2, 2, 1}, l);
  });
  add("syrk 3 x 1", testing::tiny_syrk(3, 1), 6, [](L l) { return syrk_lower_bound({3, 1}, l); });
  add("trsm 3 x 1", testing::tiny_trsm(3, 1), 6, [](L l) { return trsm_lower_bound(3, 1, 1, l); });
  add("symm 2 x 1", testing::tiny_symm(2, 1), 5, [](L l) { return symm_lower_bound(2, 1, l); });
  add("lu 2 x 3", testing::tiny_lu(2, 3), 5, [](L l) { return lu_lower_bound(2, 3, 1, l); });
  add("gemm 2 x 2 x 3", testing::tiny_gemm(2, 2, 3), 0, [](L l) {
    return gemm_lower_bound({2, 2, 3}, l);
  });
  add("syrk 4 x 2", testing::tiny_syrk(4, 2), 0, [](L l) { return syrk_lower_bound({4, 2}, l); });
  add("syr2k 4 x 1", testing::tiny_syr2k(4, 1), 0, [](L l) {
    return syr2k_lower_bound({4, 1}, l);
  });
  add("symm 3 x 2", testing::tiny_symm(3, 2), 0, [](L l) { return symm_lower_bound(3, 2, l); });
  add("trsm 4 x 2", testing::tiny_trsm(4, 2), 0, [](L l) { return trsm_lower_bound(4, 2, 1, l); });
  add("cholesky 6", testing::tiny_cholesky(6), 0,
      [](L l) { return cholesky_lower_bound(6, 1, l); });
  add("lu 4", testing::tiny_lu(4, 4), 0, [](L l) { return lu_lower_bound(4, 4, 1, l); });
  add("lu 3 x 4", testing::tiny_lu(3, 4), 0, [](L l) { return lu_lower_bound(3, 4, 1, l); });
  return cases;
}

// All schedules of a few products on two ranks, whatever each may hold and compute.
TEST(ParallelLowerBounds, NoScheduleOfAFewProductsBeatsThem) {
  int looked_at = 0;
  double closest = 0;
  for (const TinyCase& c : tiny_cases()) {
    const int products = static_cast<int>(c.kernel.products.size());
    for (int memory = 3; memory <= c.most_memory; ++memory) {
      for (int most = (products + 1) / 2; most <= products; ++most) {
        const std::optional<int> words = testing::least_words(c.kernel, most, memory);
        if (!words) continue;
        const double bound = 2 * c.bound({2, most, Words(memory)});
        EXPECT_LE(bound, *words + 1e-6) << c.name << ", " << memory << " words, " << most;
        if (*words > 0) closest = std::max(closest, bound / *words);
        ++looked_at;
      }
    }
  }
  EXPECT_GT(looked_at, 30);
  EXPECT_GT(closest, 0.8);
}

// Every way to share the products of a small kernel between two ranks: an element is sent once to
// each rank but one that reads it, and its sum once by each rank but one that adds to it.
TEST(ParallelLowerBounds, NoSharingOfTheProductsBeatsThem) {
  int near = 0;  // kernels whose bound comes to more than half of the optimum
  for (const TinyCase& c : tiny_cases()) {
    const std::size_t products = c.kernel.products.size();
    std::vector<double> least(products + 1, 1e9);  // by the busiest rank's products
    for (std::uint32_t sharing = 0; sharing < 1U << (products - 1); ++sharing) {
      std::vector<unsigned> readers(c.kernel.elements.size());  // a bit per rank
      std::vector<unsigned> adders(c.kernel.elements.size());
      for (std::size_t p = 0; p < products; ++p) {
        const unsigned rank = 1U << (sharing >> p & 1U);
        for (const int e : c.kernel.products[p].read) readers[static_cast<std::size_t>(e)] |= rank;
        adders[static_cast<std::size_t>(c.kernel.products[p].added_to)] |= rank;
      }
      int words = 0;
      for (std::size_t e = 0; e < readers.size(); ++e) {
        words += std::max(0, std::popcount(readers[e]) - 1);
        words += std::max(0, std::popcount(adders[e]) - 1);
        words += readers[e] != 0 && adders[e] != 0 && (readers[e] & adders[e]) == 0 ? 1 : 0;
      }
      const auto ones = static_cast<std::size_t>(std::popcount(sharing));
      const std::size_t most = std::max(ones, products - ones);
      least[most] = std::min(least[most], static_cast<double>(words));
    }
    double closest = 0;
    for (std::size_t most = (products + 1) / 2; most <= products; ++most) {
      if (most > (products + 1) / 2) least[most] = std::min(least[most], least[most - 1]);
      const double bound = 2 * c.bound({2, static_cast<double>(most), {}});
      EXPECT_LE(bound, least[most] + 1e-6) << c.name << ", " << most;
      if (least[most] > 0) closest = std::max(closest, bound / least[most]);
    }
    near += closest > 0.5 ? 1 : 0;
  }
  EXPECT_GE(near, 4);
}

// 300 random plans: none moves less than its bound, in the mean or on the busiest rank.
TEST(ParallelLowerBounds, NoPlanBeatsThem) {
  std::mt19937 random(22);
  const auto size = [&random](int most) {
    return 1 + static_cast<std::int64_t>(
                   std::pow(most, std::uniform_real_distribution<double>()(random)));
  };
  int looked_at = 0, positive = 0, limited = 0;
  const auto expect = [&](const std::string& what, const Cost& cost, double bound) {
    EXPECT_LE(bound, static_cast<double>(cost.words.value) + 1e-6) << what;
    EXPECT_LE(bound, cost.mean_words * (1 + 1e-9) + 1e-6) << what;
    EXPECT_LE(cost.mean_words, static_cast<double>(cost.words.value) + 1e-6) << what;
    ++looked_at;
    positive += bound > 0 ? 1 : 0;
  };
  for (int trial = 0; trial < 100; ++trial) {
    const std::int64_t m = size(3000), n = size(3000), k = size(2000);
    const int ranks = static_cast<int>(size(200));
    FactorOptions options;
    const std::string at = std::to_string(m) + " " + std::to_string(n) + " " + std::to_string(k) +
                           " on " + std::to_string(ranks);
    // within no memory limit, and within the memory that the first plan needs
    const auto factor = [&](const std::string& what, auto choose, std::int64_t elements) {
      const auto free = choose(options);
      expect(what + at, cost_of(free, {}), lower_bound(free));
      FactorOptions tight = options;
      tight.memory = cost_of(free, {}).memory;
      const auto within = choose(tight);
      expect(what + at + ", limited", cost_of(within, {}),
             lower_bound(within, *tight.memory + Words(elements / ranks + 1)));
      ++limited;
    };
    switch (trial % 4) {
      case 0:
        factor(
            "cholesky ", [&](const auto& o) { return choose_cholesky(n, ranks, o); }, n * n);
        break;
      case 1:
        factor(
            "lu ", [&](const auto& o) { return choose_lu(m, n, ranks, o); }, m * n);
        break;
      case 2:
        factor(
            "trsm ", [&](const auto& o) { return choose_trsm(n, k, ranks, o); }, n * (n + k));
        break;
      default:
        break;
    }
    const SyrkPlanReport syrk = plan_syrk({{n, k}, ranks, {}, Objective::words, {}});
    expect("syrk " + at, syrk.cost,
           syrk_lower_bound({n, k}, {ranks, syrk.cost.work, syrk.cost.memory}));
    EXPECT_LE(syrk.lower_bound, static_cast<double>(syrk.cost.words.value) + 1e-6) << at;
    const GemmPlanReport gemm = plan_gemm({{m, n, k}, ranks, {}, Objective::words, {}});
    expect("gemm " + at, gemm.cost,
           gemm_lower_bound({m, n, k}, {ranks, gemm.cost.work, gemm.cost.memory}));
    const Words room = gemm.cost.memory + Words(gemm.cost.memory.value / 10 + 100);
    const GemmPlanReport within = plan_gemm({{m, n, k}, ranks, room, Objective::words, {}});
    EXPECT_LE(within.lower_bound, static_cast<double>(within.cost.words.value) + 1e-6) << at;
  }
  EXPECT_GE(looked_at, 300);
  EXPECT_GT(positive, 200);
  EXPECT_GT(limited, 60);
}

}  // namespace
}  // namespace redblue
