// SPDX-License-Identifier: BSD-3-Clause
// Orders of contractions against all orders there are; chains against the sum of their bounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "decomposition/einsum/chain/pieces.hpp"
#include "decomposition/einsum/order.hpp"
#include "decomposition/einsum/random_einsum.hpp"
#include "redblue/einsum_model.hpp"

namespace redblue {
namespace {

using einsum::IndexSet;

// The least over all ways to multiply two at a time.
double least_products(std::vector<IndexSet> there, IndexSet result, const einsum::Sides& extents) {
  if (there.size() == 1) return 0;
  double least = 1e300;
  for (std::size_t a = 0; a < there.size(); ++a) {
    for (std::size_t b = a + 1; b < there.size(); ++b) {
      std::vector<IndexSet> rest;
      IndexSet elsewhere = result;
      for (std::size_t o = 0; o < there.size(); ++o) {
        if (o == a || o == b) continue;
        rest.push_back(there[o]);
        elsewhere |= there[o];
      }
      const IndexSet loops = there[a] | there[b];
      rest.push_back(loops & elsewhere);
      least = std::min(least,
                       einsum::extent_of(loops, extents) + least_products(rest, result, extents));
    }
  }
  return least;
}

TEST(EinsumOrder, IsTheBestOfAllOrders) {
  std::mt19937 random(4);
  int several = 0;
  for (int trial = 0; trial < 150; ++trial) {
    std::vector<IndexSet> operands;
    for (std::size_t o = 0; o < 2 + random() % 4; ++o) operands.push_back(1 + random() % 63);
    IndexSet any = 0;
    for (const IndexSet o : operands) any |= o;
    const IndexSet result = any & random();
    einsum::Sides extents;
    for (int t = 0; t < 6; ++t) extents.push_back(1 + static_cast<double>(random() % 9));
    const auto steps = einsum::cheapest_order(
        operands, result,
        [&](IndexSet l, IndexSet r, IndexSet) { return einsum::extent_of(l | r, extents); });
    double products = 0;
    for (const einsum::ProductStep& s : steps) products += einsum::extent_of(s.loops, extents);
    EXPECT_EQ(products, least_products(operands, result, extents));
    EXPECT_EQ(steps.back().result, result);
    several += operands.size() > 2 ? 1 : 0;
  }
  EXPECT_GT(several, 50);
}

EinsumShape matrix_chain(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t l) {
  return einsum_shape("ij,jk,kl->il", {{"Ni", i}, {"Nj", j}, {"Nk", k}, {"Nl", l}});
}

TEST(EinsumChain, MultipliesMatricesInTheKnownOrder) {
  // (10 x 100 by 100 x 5) by 5 x 50: 7,500 products, 75,000 the other way
  const auto report = plan_einsum_chain({matrix_chain(10, 100, 5, 50), 1, {}, Objective::words, {}},
                                        EinsumOrder::operations);
  ASSERT_EQ(report.steps.size(), 2U);
  EXPECT_EQ(report.steps[0].operands, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(report.steps[1].operands, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(report.cost.work, 7500);
  EXPECT_EQ(report.cost.words.value, 0);
}

TEST(EinsumChain, IsAutomaticWhereAllAtOnceWouldMultiplyMore) {
  EXPECT_EQ(plan_einsum_chain({matrix_chain(200, 200, 200, 200), 8, {}, Objective::words, {}})
                .steps.size(),
            2U);
  // the Khatri-Rao product costs nothing beside the rest
  const EinsumShape mttkrp =
      einsum_shape("ijk,jr,kr->ir", {{"Ni", 200}, {"Nj", 200}, {"Nk", 200}, {"Nr", 16}});
  EXPECT_EQ(plan_einsum_chain({mttkrp, 8, {}, Objective::words, {}}).steps.size(), 1U);
}

TEST(EinsumChain, NoneIsBelowTheSumOfItsBounds) {
  std::mt19937 random(6);
  int chains = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const EinsumShape shape = test::shape_of(test::random_einsum(random, 6, 12));
    const int ranks = 1 + static_cast<int>(random() % 20);
    for (const auto order : {EinsumOrder::operations, EinsumOrder::words}) {
      const auto report = plan_einsum_chain({shape, ranks, {}, Objective::words, {}}, order);
      EXPECT_GE(report.cost.mean_words, report.lower_bound * (1 - 1e-9)) << shape.text;
      chains += report.steps.size() > 1 && report.lower_bound > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(chains, 60);
}

TEST(EinsumChain, ATensorStaysWhereTheNextStepNeedsIt) {
  // along i nothing but the small matrices moves; each step alone would cut i and k together
  const EinsumShape shape = einsum_shape(
      "T=ijk,jr->ikr;T,ks->irs", {{"Ni", 160}, {"Nj", 160}, {"Nk", 160}, {"Nr", 24}, {"Ns", 24}});
  for (const int ranks : {2, 4, 8, 16, 32}) {
    const auto report = plan_einsum_chain({shape, ranks, {}, Objective::words, {}});
    ASSERT_EQ(report.steps.size(), 2U);
    EXPECT_EQ(report.cost.words.value, 2 * 160 * 24 - 2 * 160 * 24 / ranks) << ranks;
    EXPECT_LE(report.ratio, 1.05) << ranks;
  }
}

TEST(EinsumChain, ATensorStaysWhereNoGridFits) {
  // five values of i on eight ranks: both steps cut j, which only the second sums
  const EinsumShape shape =
      einsum_shape("ijk,jr,ks->irs", {{"Ni", 160}, {"Nj", 64}, {"Nk", 64}, {"Nr", 16}, {"Ns", 16}});
  const auto report = plan_einsum_chain({shape, 256, {}, Objective::words, {}});
  ASSERT_EQ(report.steps.size(), 2U);
  EXPECT_LE(report.ratio, 1.15);
  const EinsumDecomposition& first = report.steps[0].report.decomposition;
  const EinsumDecomposition& second = report.steps[1].report.decomposition;
  EXPECT_EQ(first.kind, EinsumDecomposition::Kind::bisection);
  EXPECT_LE(first.busiest_products(), 1.03 * report.steps[0].shape.products() / 256);
  EXPECT_LE(second.busiest_products(), 1.03 * report.steps[1].shape.products() / 256);
}

TEST(EinsumChain, BoundsOfStepsThatReadTheSameTensorDoNotAddUp) {
  // both steps need the whole matrix; one may receive it for both
  const std::map<std::string, std::int64_t> sizes = {{"Ni", 60}, {"Nj", 60}, {"Nk", 60}};
  const auto one =
      plan_einsum_chain({einsum_shape("ij,jk->ik", sizes), 8, {}, Objective::words, {}});
  const auto both = plan_einsum_chain(
      {einsum_shape("T=A:ij,jk->ik;A,T:jk->ik", sizes), 8, {}, Objective::words, {}});
  EXPECT_NEAR(both.lower_bound, one.lower_bound, 1e-6);
}

TEST(EinsumPieces, OwnEveryElementOnceWhereItStands) {
  std::mt19937 random(8);
  for (int trial = 0; trial < 60; ++trial) {
    const EinsumShape shape = test::shape_of(test::random_einsum(random, 4, 7));
    const int ranks = 1 + static_cast<int>(random() % 9);
    const auto d = choose_einsum({shape, ranks, {}, Objective::words, {}});
    const auto cells = einsum::cells(shape, d);
    einsum::Places places;
    for (std::size_t t = 0; t < shape.result().indices.size(); ++t) places.push_back(t);
    const auto pieces = einsum::owned_pieces(cells.back(), ranks, places);
    std::int64_t words = 0;
    for (std::size_t r = 0; r < pieces.size(); ++r) {
      std::int64_t owned = 0;
      std::vector<bool> seen;
      for (const einsum::Piece& p : pieces[r]) owned += p.words();
      seen.resize(static_cast<std::size_t>(owned), false);
      for (const einsum::Piece& p : pieces[r]) {
        for (std::int64_t e = 0; e < p.words(); ++e) {
          std::int64_t place = p.offset, rest = e;
          for (std::size_t t = 0; t < p.ranges.size(); ++t) {
            place += rest % p.ranges[t].size() * p.strides[t];
            rest /= p.ranges[t].size();
          }
          ASSERT_LT(place, owned);
          EXPECT_FALSE(seen[static_cast<std::size_t>(place)]);
          seen[static_cast<std::size_t>(place)] = true;
        }
      }
      words += owned;
    }
    EXPECT_EQ(words, shape.elements(shape.result()));
  }
}

}  // namespace
}  // namespace redblue
