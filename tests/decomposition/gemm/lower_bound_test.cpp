#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "redblue/gemm_model.hpp"

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
  EXPECT_NEAR(tight, 2 * 64e9 / 16 / 100, 0.001 * tight);  // 2 mnk / (P sqrt S)
}

}  // namespace
}  // namespace redblue
