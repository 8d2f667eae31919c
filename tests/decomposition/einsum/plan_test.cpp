// SPDX-License-Identifier: BSD-3-Clause
// What is chosen, against the bound, plan_gemm, memory limits and the figures it must reach.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "decomposition/einsum/footprint.hpp"
#include "decomposition/einsum/random_einsum.hpp"
#include "redblue/einsum_model.hpp"
#include "redblue/error.hpp"
#include "redblue/gemm_model.hpp"

namespace redblue {
namespace {

EinsumPlanReport planned(const EinsumShape& shape, int ranks, std::optional<Words> memory = {}) {
  return plan_einsum({shape, ranks, memory, Objective::words, {}});
}

TEST(EinsumPlan, NoneIsBelowTheBound) {
  std::mt19937 random(1);
  int positive = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const EinsumShape shape = test::shape_of(test::random_einsum(random, 6, 30));
    const int ranks = 1 + static_cast<int>(random() % 40);
    const EinsumPlanReport report = planned(shape, ranks);
    SCOPED_TRACE(shape.text + " on " + std::to_string(ranks));
    EXPECT_GE(report.cost.mean_words, report.lower_bound * (1 - 1e-9));
    positive += report.lower_bound > 0 ? 1 : 0;
    if (random() % 2 == 0) continue;
    const Words memory(report.cost.memory.value * 2 / 3);
    try {
      const EinsumPlanReport limited = planned(shape, ranks, memory);
      EXPECT_LE(limited.cost.memory, memory);
      EXPECT_GE(limited.cost.mean_words, limited.lower_bound * (1 - 1e-9));
    } catch (const Error& e) {
      ASSERT_TRUE(e.least().has_value()) << e.what();
      EXPECT_GT(*e.least(), memory.value);
      EXPECT_LE(planned(shape, ranks, Words(*e.least())).cost.memory.value, *e.least());
    }
  }
  EXPECT_GT(positive, 150);
}

// Products shared out in other ways than boxes, all of a kind to one rank or at random.
TEST(EinsumLowerBound, HoldsForAnyShareOfTheProducts) {
  std::mt19937 random(2);
  int positive = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const EinsumShape shape = test::shape_of(test::random_einsum(random, 4, 5));
    const int ranks = 2 + static_cast<int>(random() % 4);
    const double all = shape.products();
    if (all > 3000 || all < 2) continue;
    std::vector<std::int64_t> weights;
    for (std::size_t t = 0; t < shape.indices.size(); ++t)
      weights.push_back(static_cast<std::int64_t>(random() % 4));
    std::vector<std::set<std::vector<std::int64_t>>> needs(static_cast<std::size_t>(ranks));
    std::vector<double> formed(static_cast<std::size_t>(ranks));
    for (std::int64_t number = 0; number < static_cast<std::int64_t>(all); ++number) {
      std::vector<std::int64_t> point;
      std::int64_t rest = number, sum = 0, total = 1;
      for (std::size_t t = 0; t < shape.indices.size(); ++t) {
        point.push_back(rest % shape.indices[t].extent);
        rest /= shape.indices[t].extent;
        sum += weights[t] * point.back();
        total += weights[t] * (shape.indices[t].extent - 1);
      }
      const std::int64_t rank =
          trial % 2 == 0 ? sum * ranks / total : number * ranks / static_cast<std::int64_t>(all);
      ++formed[static_cast<std::size_t>(rank)];
      for (std::size_t a = 0; a < shape.tensors.size(); ++a) {
        std::vector<std::int64_t> element = {static_cast<std::int64_t>(a)};
        for (const int t : shape.tensors[a].indices)
          element.push_back(point[static_cast<std::size_t>(t)]);
        needs[static_cast<std::size_t>(rank)].insert(element);
      }
    }
    double words = 0;
    for (const auto& n : needs) words += static_cast<double>(n.size());
    for (const EinsumTensor& t : shape.tensors) words -= static_cast<double>(shape.elements(t));
    const double busiest = *std::max_element(formed.begin(), formed.end());
    const double bound = einsum_lower_bound(shape, ranks, busiest);
    EXPECT_GE(words / ranks, bound * (1 - 1e-9)) << shape.text;
    positive += bound > 0 ? 1 : 0;
  }
  EXPECT_GT(positive, 50);
}

TEST(EinsumLowerBound, OfAMultiplicationIsAtLeastGemms) {
  for (const auto& [m, n, k] :
       {std::tuple{1200, 1200, 1200}, {200, 200, 20000}, {3000, 3000, 64}}) {
    const EinsumShape shape = einsum_shape("ik,kj->ij", {{"Ni", m}, {"Nj", n}, {"Nk", k}});
    for (const int p : {2, 4, 8, 13, 64}) {
      const double gemm = gemm_lower_bound({m, n, k}, p);
      const double most = p > 4 ? gemm * (1 + 1e-6) : INFINITY;  // few ranks: Lemma einsum.8
      EXPECT_LE(einsum_lower_bound(shape, p), most) << m << " " << p;
      EXPECT_GE(einsum_lower_bound(shape, p), gemm * (1 - 1e-6)) << m << " " << p;
      const Words memory(3L * m * n / p + 1000000);
      const double limited = gemm_lower_bound({m, n, k}, p, memory);
      EXPECT_GE(einsum_lower_bound(shape, p, {}, memory), limited * (1 - 1e-5) - 1e-6);
    }
  }
}

// Random sets of products have at least as many elements as the exponents say.
TEST(EinsumFootprint, NoSetOfProductsHasLess) {
  std::mt19937 random(3);
  double closest = 1e9;
  for (int trial = 0; trial < 2000; ++trial) {
    const EinsumShape shape = test::shape_of(test::random_einsum(random, 5, 6));
    const einsum::Projections p = einsum::projections(shape);
    if (shape.products() < 2) continue;
    einsum::Sides box;  // the densest sets are boxes
    double products = 1;
    for (const double e : p.extents) {
      box.push_back(1 + static_cast<double>(random() % static_cast<std::uint64_t>(e)));
      products *= box.back();
    }
    const auto best = einsum::best_box(p, products);
    const double least = einsum::exponents(p, best).least_footprint(p, products, p.extents);
    EXPECT_LE(least, einsum::footprint(p, box) * (1 + 1e-9)) << shape.text;
    // and the bound is as good as the box that is found
    EXPECT_GE(least, einsum::footprint(p, best) * (1 - 1e-4)) << shape.text;
    closest = std::min(closest, einsum::footprint(p, box) / least);
  }
  EXPECT_LT(closest, 1.001);
}

TEST(EinsumPlan, IsNeverWorseThanPlanGemm) {
  for (const auto& [m, n, k] : {std::tuple{1200, 1200, 1200}, {128, 128, 8192}, {3000, 3000, 64}}) {
    const EinsumShape shape = einsum_shape("ik,kj->ij", {{"Ni", m}, {"Nj", n}, {"Nk", k}});
    for (int p = 1; p <= 64; ++p) {
      const Words gemm = plan_gemm({{m, n, k}, p, {}, Objective::words, {}}).cost.words;
      EXPECT_LE(planned(shape, p).cost.words.value, gemm.value + 3) << m << " P=" << p;
    }
  }
}

TEST(EinsumPlan, StaysNearTheBound) {
  struct Case {
    const char* text;
    std::map<std::string, std::int64_t> sizes;
  };
  const std::vector<Case> cases = {
      {"ijk,jr,kr->ir", {{"Ni", 400}, {"Nj", 400}, {"Nk", 400}, {"Nr", 32}}},
      {"ijkl,jr,kr,lr->ir", {{"Ni", 60}, {"Nj", 60}, {"Nk", 60}, {"Nl", 60}, {"Nr", 24}}},
      {"ijklm,jr,kr,lr,mr->ir",
       {{"Ni", 40}, {"Nj", 40}, {"Nk", 40}, {"Nl", 40}, {"Nm", 40}, {"Nr", 24}}},
      {"ijk,kr->ijr", {{"Ni", 300}, {"Nj", 300}, {"Nk", 300}, {"Nr", 50}}}};
  for (const Case& c : cases) {
    const EinsumShape shape = einsum_shape(c.text, c.sizes);
    for (int p = 2; p <= 256; p = p < 32 ? p + 1 : p == 32 ? 64 : 4 * p)
      EXPECT_LE(planned(shape, p).ratio, 1.25) << c.text << " P=" << p;
  }
  const EinsumShape mttkrp = einsum_shape(cases[0].text, cases[0].sizes);
  for (const int p : {8, 64}) EXPECT_LE(planned(mttkrp, p).ratio, 1.05) << p;
}

TEST(EinsumPlan, WorkIsEvenWhereItCanBe) {
  const EinsumShape shape =
      einsum_shape("ijk,jr,kr->ir", {{"Ni", 400}, {"Nj", 400}, {"Nk", 400}, {"Nr", 32}});
  for (int p = 1; p <= 64; ++p) {
    const double even = shape.products() / p;
    EXPECT_LE(planned(shape, p).decomposition.busiest_products(), 1.03 * even) << p;
  }
}

// Products of matrices, more than ranks and fewer.
EinsumShape batch(std::mt19937& random) {
  const auto size = [&random](std::int64_t most) {
    return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  return einsum_shape("bij,bjk->bik",
                      {{"Nb", size(40)}, {"Ni", size(20)}, {"Nj", size(20)}, {"Nk", size(20)}});
}

TEST(EinsumPlan, BatchesAreNotBelowTheirBound) {
  std::mt19937 random(9);
  int positive = 0;
  int shared = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const EinsumShape shape = batch(random);
    const int ranks = 1 + static_cast<int>(random() % 30);
    const EinsumPlanReport report = planned(shape, ranks);
    EXPECT_GE(report.cost.mean_words, report.lower_bound * (1 - 1e-9))
        << shape.text << " on " << ranks;
    positive += report.lower_bound > 0 ? 1 : 0;
    shared += report.decomposition.rest.empty() ? 0 : 1;
  }
  EXPECT_GT(positive, 40);
  EXPECT_GT(shared, 20);
}

// To the bound of even shares.
TEST(EinsumPlan, BatchesStayNearTheBound) {
  struct Case {
    std::int64_t batches;
    int ranks;
  };
  for (const Case& c : {Case{3, 7},
                        {4, 9},
                        {5, 11},
                        {6, 13},
                        {7, 16},
                        {7, 22},
                        {9, 20},
                        {10, 22},
                        {10, 27},
                        {11, 24},
                        {11, 64},
                        {13, 31},
                        {31, 256},
                        {64, 9},
                        {64, 25}}) {
    const EinsumShape shape =
        einsum_shape("bij,bjk->bik", {{"Nb", c.batches}, {"Ni", 128}, {"Nj", 128}, {"Nk", 128}});
    const auto words = static_cast<double>(planned(shape, c.ranks).cost.words.value);
    EXPECT_LE(words, 1.25 * einsum_lower_bound(shape, c.ranks)) << c.batches << " on " << c.ranks;
  }
}

// To the bound of even shares.
TEST(EinsumPlan, AttentionStaysNearTheBound) {
  const std::map<std::string, std::int64_t> sizes = {
      {"Nb", 4}, {"Nh", 8}, {"Nl", 384}, {"Nm", 384}, {"Np", 64}};
  for (const char* const text : {"bhlp,bhmp->bhlm", "bhlm,bhmp->bhlp"}) {
    const EinsumShape shape = einsum_shape(text, sizes);
    for (int p = 2; p <= 256; p = p < 32 ? p + 1 : p == 32 ? 64 : 4 * p) {
      const auto words = static_cast<double>(planned(shape, p).cost.words.value);
      EXPECT_LE(words, 1.25 * einsum_lower_bound(shape, p)) << text << " P=" << p;
    }
  }
}

TEST(EinsumLowerBound, OfBatchesIsWhatOneOfThemNeeds) {
  // each of 16 ranks has a product of matrices of its own and half of another: two ranks that share
  // one receive a face of it
  const EinsumShape shape =
      einsum_shape("bij,bjk->bik", {{"Nb", 24}, {"Ni", 200}, {"Nj", 200}, {"Nk", 200}});
  EXPECT_NEAR(einsum_lower_bound(shape, 16), 0.5 * 200 * 200, 1);
  EXPECT_LE(planned(shape, 16).ratio, 1.01);
}

TEST(EinsumPlan, EmptySumsAreOnOneRank) {
  const EinsumShape shape = einsum_shape("ij,jk->ik", {{"Ni", 3}, {"Nj", 0}, {"Nk", 4}});
  const EinsumPlanReport report = planned(shape, 5);
  EXPECT_EQ(report.cost.words.value, 0);
  EXPECT_EQ(report.lower_bound, 0);
  EXPECT_EQ(report.ratio, 1);
}

TEST(EinsumPlan, RefusesWhatCannotBe) {
  const EinsumShape shape = einsum_shape("ij,jk->ik", {{"Ni", 30}, {"Nj", 30}, {"Nk", 30}});
  EXPECT_THROW(planned(shape, 0), Error);
  EXPECT_THROW(planned(shape, 10000000), Error);
  EXPECT_THROW(planned(shape, 4, Words(10)), Error);
}

}  // namespace
}  // namespace redblue
