// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "decomposition/cost.hpp"
#include "decomposition/einsum/bisection.hpp"
#include "random_einsum.hpp"

namespace redblue {
namespace {

bool meet(const EinsumBox& a, const EinsumBox& b) {
  if (!a.works || !b.works) return false;
  for (std::size_t t = 0; t < a.ranges.size(); ++t) {
    if (a.ranges[t].begin >= b.ranges[t].end || b.ranges[t].begin >= a.ranges[t].end) return false;
  }
  return true;
}

TEST(EinsumLayers, BoxesAreDisjointCoverTheSpaceAndAreNotTooLarge) {
  std::mt19937 random(25);
  int found = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const EinsumShape shape = test::shape_of(test::random_einsum(random, 5, 12));
    const int ranks = 2 + static_cast<int>(random() % 40);
    const double most = shape.products() / ranks * (1.03 + 0.1 * static_cast<double>(random() % 5));
    if (shape.products() < 2) continue;
    for (const EinsumDecomposition& d : einsum::layered_bisections(shape, ranks, most)) {
      ++found;
      SCOPED_TRACE(shape.text + " on " + std::to_string(ranks));
      double all = 0;
      for (std::size_t r = 0; r < d.boxes.size(); ++r) {
        all += d.boxes[r].products();
        EXPECT_LE(d.boxes[r].products(), most * (1 + 1e-9));
        for (std::size_t s = 0; s < r; ++s) EXPECT_FALSE(meet(d.boxes[r], d.boxes[s]));
      }
      EXPECT_EQ(all, shape.products());
    }
  }
  EXPECT_GT(found, 100);
}

double words_of_best(const EinsumShape& shape, int ranks) {
  double least = INFINITY;
  for (const auto& d : einsum::layered_bisections(shape, ranks, 1.03 * shape.products() / ranks))
    least = std::min(least, static_cast<double>(cost_of(shape, d, {}).words.value));
  return least;
}

// To the bound of even shares. What the search reaches; bisections near halves move 1.05, 1.06 and
// 1.09 times as much as that.
TEST(EinsumLayers, OfMttkrpAreNearTheBound) {
  struct Case {
    const char* text;
    std::map<std::string, std::int64_t> sizes;
    int ranks;
    double most;
  };
  const std::vector<Case> cases = {
      {"ijk,jr,kr->ir", {{"Ni", 200}, {"Nj", 200}, {"Nk", 200}, {"Nr", 32}}, 256, 1.02},
      {"ijkl,jr,kr,lr->ir", {{"Ni", 56}, {"Nj", 56}, {"Nk", 56}, {"Nl", 56}, {"Nr", 24}}, 64, 1.03},
      {"ijklm,jr,kr,lr,mr->ir",
       {{"Ni", 24}, {"Nj", 24}, {"Nk", 24}, {"Nl", 24}, {"Nm", 24}, {"Nr", 24}},
       256,
       1.04}};
  for (const Case& c : cases) {
    const EinsumShape shape = einsum_shape(c.text, c.sizes);
    EXPECT_LE(words_of_best(shape, c.ranks), c.most * einsum_lower_bound(shape, c.ranks)) << c.text;
  }
}

// Which letters stand for what makes no difference, nor in which order the operands stand.
TEST(EinsumLayers, OfSummationsThatDifferInTheirLettersAloneNeedAsMuch) {
  const std::map<std::string, std::int64_t> sizes = {
      {"Ni", 40}, {"Nj", 40}, {"Nk", 40}, {"Nl", 40}, {"Nr", 12}};
  for (const int ranks : {6, 17, 40}) {
    std::set<double> needed;
    for (const char* text : {"ijkl,jr,kr,lr->ir", "ijkl,ir,kr,lr->jr", "ijkl,lr,jr,ir->kr",
                             "lr,ijkl,jr,kr->ir", "ijkl,ir,jr,kr->lr"}) {
      const EinsumShape shape = einsum_shape(text, sizes);
      const auto all = einsum::layered_bisections(shape, ranks, 1.03 * shape.products() / ranks);
      ASSERT_FALSE(all.empty()) << text << " on " << ranks;
      double least = INFINITY;
      for (const EinsumDecomposition& d : all)
        least = std::min(least, cost_of(shape, d, {}).mean_words);
      needed.insert(std::round(least * ranks));
    }
    EXPECT_EQ(needed.size(), 1U) << ranks;
  }
}

}  // namespace
}  // namespace redblue
