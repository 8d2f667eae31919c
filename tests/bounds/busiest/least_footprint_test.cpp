// SPDX-License-Identifier: BSD-3-Clause
// What the busiest of p processors receives where one array is so large that only the least of it
// counts: formulas against values, which are found without them, and against all boxes of
// instances.
#include "bounds/busiest/least_footprint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "analysis/formula_at.hpp"
#include "redblue/analysis.hpp"

namespace redblue {
namespace {

using test::formula_at;
using test::SizeMap;

// The strongest that holds at these sizes.
const LowerBound* busiest_at(const BoundReport& report, const SizeMap& sizes) {
  const LowerBound* best = nullptr;
  for (const LowerBound& bound : report.bounds) {
    if (bound.busiest.empty()) continue;
    const bool holds = std::all_of(bound.busiest_holds_where.begin(),
                                   bound.busiest_holds_where.end(), [&](const SizeCondition& c) {
                                     return formula_at(c.left, sizes) >= formula_at(c.right, sizes);
                                   });
    if (!holds) continue;
    if (!best || formula_at(bound.busiest, sizes) > formula_at(best->busiest, sizes)) best = &bound;
  }
  return best;
}

BoundReport report_of(BoundRequest request, const SizeMap& sizes, std::int64_t processors) {
  request.sizes = sizes;
  request.sizes["S"] = 1000;
  request.units = processors;
  return lower_bounds(request);
}

BoundRequest einsum(const std::string& text) {
  BoundRequest request;
  request.einsum = text;
  return request;
}

void formula_is_the_value(const BoundRequest& request, const SizeMap& sizes,
                          std::int64_t processors, double needed) {
  const BoundReport report = report_of(request, sizes, processors);
  SizeMap all = sizes;
  all["p"] = processors;
  const LowerBound* bound = busiest_at(report, all);
  ASSERT_NE(bound, nullptr) << test::text_of(all);
  const double formula = formula_at(bound->busiest, all);
  EXPECT_GT(formula, 0) << bound->busiest << " at " << test::text_of(all);
  // A value is what remains of all that a processor needs, which is found to some digits.
  EXPECT_NEAR(formula, *bound->busiest_value, 1e-3 * formula + 1e-5 * needed)
      << bound->busiest << " at " << test::text_of(all);
}

TEST(LeastFootprint, FormulaIsTheValueWhereATensorIsLarge) {
  const BoundRequest mttkrp = einsum("ijk,jr,kr->ir");
  for (const std::int64_t processors : {8, 1000})
    formula_is_the_value(mttkrp, {{"Ni", 300}, {"Nj", 200}, {"Nk", 400}, {"Nr", 16}}, processors,
                         300.0 * 200 * 400 / static_cast<double>(processors));
}

TEST(LeastFootprint, FormulaIsTheValueWhereOnlyOneFactorIsSmall) {
  const BoundRequest product = einsum("abd,dc->abc");
  for (const std::int64_t processors : {4, 64})
    formula_is_the_value(product, {{"Na", 200}, {"Nb", 200}, {"Nc", 100}, {"Nd", 50}}, processors,
                         200.0 * 200 * 150 / static_cast<double>(processors));
}

// Every box of V/p instances and more needs the words of the bound and those a processor owns.
TEST(LeastFootprint, NoBoxNeedsLess) {
  constexpr std::int64_t n = 12, rank = 3, processors = 16;
  const SizeMap sizes = {{"Ni", n}, {"Nj", n}, {"Nk", n}, {"Nr", rank}};
  SizeMap all = sizes;
  all["p"] = processors;
  const BoundReport report = report_of(einsum("ijk,jr,kr->ir"), sizes, processors);
  const LowerBound* bound = busiest_at(report, all);
  ASSERT_NE(bound, nullptr);
  const double owned = static_cast<double>(n * n * n + 3 * n * rank) / processors;
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t i = 1; i <= n; ++i) {
    for (std::int64_t j = 1; j <= n; ++j) {
      for (std::int64_t k = 1; k <= n; ++k) {
        for (std::int64_t r = 1; r <= rank; ++r) {
          if (i * j * k * r * processors < n * n * n * rank) continue;
          least = std::min(least, static_cast<double>(i * j * k + (i + j + k) * r));
        }
      }
    }
  }
  EXPECT_GT(formula_at(bound->busiest, all), 0);
  EXPECT_LE(formula_at(bound->busiest, all) + owned, least + 1e-9);
}

// No box of a convolution's instances, 1/p of them or more, reads and writes fewer elements than
// the bound and what a processor owns: filters read windows of the images that overlap.
TEST(LeastFootprint, NoBoxOfAConvolutionNeedsLess) {
  // n, k, h, w, c, r, q
  const std::vector<std::int64_t> loops = {1, 8, 6, 6, 8, 2, 2};
  const SizeMap sizes = {{"N", 1}, {"K", 8}, {"H", 6}, {"W", 6}, {"C", 8}, {"R", 2}, {"Q", 2}};
  const double all = 8 * 6 * 6 * 8 * 2 * 2;
  const double owned = 8 * 7 * 7 + 8 * 8 * 2 * 2 + 8 * 6 * 6;
  const BoundRequest request{REDBLUE_SOURCE_DIR "/kernels/convolution.c", "", {}, {}};
  int above_zero = 0;
  for (const std::int64_t p : {4, 8, 16, 64}) {
    double bound = 0;
    for (const LowerBound& one : report_of(request, sizes, p).bounds)
      bound = std::max(bound, one.busiest_value.value_or(0));
    above_zero += bound > 0 ? 1 : 0;
    double least = std::numeric_limits<double>::max();
    std::vector<std::int64_t> box(loops.size(), 1);
    const std::function<void(std::size_t)> extend = [&](std::size_t t) {
      if (t < loops.size()) {
        for (box[t] = 1; box[t] <= loops[t]; ++box[t]) extend(t + 1);
        return;
      }
      const std::int64_t n = box[0], k = box[1], h = box[2], w = box[3], c = box[4], r = box[5],
                         q = box[6];
      if (static_cast<double>(n * k * h * w * c * r * q * p) < all) return;
      const std::int64_t needed = n * c * (h + r - 1) * (w + q - 1) + k * c * r * q + n * k * h * w;
      least = std::min(least, static_cast<double>(needed));
    };
    extend(0);
    EXPECT_LE(bound + owned / static_cast<double>(p), least + 1e-6) << p;
  }
  EXPECT_GT(above_zero, 1);
}

// Loops tiled by hand are those that they came from.
TEST(LeastFootprint, AProductTiledByHandIsAProduct) {
  const BoundRequest request{REDBLUE_SOURCE_DIR "/tests/programs/corpus/gemm_tiled.c", "", {}, {}};
  const BoundReport report = BoundedProgram(request).at({}, 16);
  EXPECT_EQ(report.bounds[report.best].busiest, "3*(n^3/p)^(2/3) - 3*n^2/p");
  EXPECT_TRUE(report.gave_up.empty());
}

}  // namespace
}  // namespace redblue
