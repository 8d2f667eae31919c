// SPDX-License-Identifier: BSD-3-Clause
// The bound on divided products, against every division of small boxes in two, and against
// divisions that a search makes good.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "decomposition/einsum/partition.hpp"
#include "redblue/einsum_model.hpp"

namespace redblue {
namespace {

// The elements of each product, numbered over all tensors.
std::vector<std::vector<int>> elements_of_products(const EinsumShape& shape) {
  std::vector<std::vector<int>> result;
  std::map<std::vector<std::int64_t>, int> numbers;
  std::vector<std::int64_t> at(shape.indices.size(), 0);
  for (;;) {
    std::vector<int> elements;
    for (std::size_t a = 0; a < shape.tensors.size(); ++a) {
      std::vector<std::int64_t> element = {static_cast<std::int64_t>(a)};
      for (const int t : shape.tensors[a].indices)
        element.push_back(at[static_cast<std::size_t>(t)]);
      elements.push_back(numbers.emplace(element, static_cast<int>(numbers.size())).first->second);
    }
    result.push_back(std::move(elements));
    std::size_t t = 0;
    while (t < at.size() && ++at[t] == shape.indices[t].extent) at[t++] = 0;
    if (t == at.size()) return result;
  }
}

// How many ranks need each element, kept while products change hands.
class Division {
 public:
  Division(const EinsumShape& shape, int ranks)
      : elements_(elements_of_products(shape)), counts_(static_cast<std::size_t>(ranks)) {
    int all = 0;
    for (const auto& e : elements_) all = std::max(all, 1 + *std::max_element(e.begin(), e.end()));
    for (auto& c : counts_) c.resize(static_cast<std::size_t>(all), 0);
    owner_.resize(elements_.size(), -1);
    received_ = -all;
  }
  std::size_t size() const { return owner_.size(); }
  int owner(std::size_t product) const { return owner_[product]; }
  int received() const { return received_; }  // by all ranks

  void give(std::size_t product, int rank) {
    for (const int e : elements_[product]) {
      if (owner_[product] >= 0 && --count(owner_[product], e) == 0) --received_;
      if (count(rank, e)++ == 0) ++received_;
    }
    owner_[product] = rank;
  }

 private:
  int& count(int rank, int element) {
    return counts_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(element)];
  }
  std::vector<std::vector<int>> elements_;
  std::vector<std::vector<int>> counts_;
  std::vector<int> owner_;
  int received_;
};

void check_all_halves(const EinsumShape& shape) {
  Division d(shape, 2);
  const std::size_t products = d.size();
  for (std::size_t p = 0; p < products; ++p) d.give(p, 0);
  std::map<std::size_t, int> least;  // by the products of rank 1
  for (std::size_t code = 1, gray = 0; code < (std::size_t{1} << products); ++code) {
    const std::size_t next = code ^ (code >> 1);
    std::size_t changed = 0;
    while (((gray ^ next) >> changed & 1U) == 0) ++changed;
    gray = next;
    d.give(changed, 1 - d.owner(changed));
    std::size_t ones = 0;
    for (std::size_t p = 0; p < products; ++p) ones += gray >> p & 1U;
    const std::size_t more = std::max(ones, products - ones);
    const auto [at, is_new] = least.emplace(more, d.received());
    if (!is_new) at->second = std::min(at->second, d.received());
  }
  for (const auto& [more, received] : least) {
    // fewer words for a more even division are fine, too: the bound allows all up to `more`
    EXPECT_LE(2 * einsum::partition_bound(shape, 2, static_cast<double>(more)), received + 1e-9)
        << shape.text << ", " << more << " of " << products;
    EXPECT_LE(2 * einsum_lower_bound(shape, 2, static_cast<double>(more)), received + 1e-9);
  }
}

TEST(EinsumPartition, NoDivisionInTwoIsBelowIt) {
  const auto box = [](const std::string& text, std::int64_t i, std::int64_t j, std::int64_t k) {
    return einsum_shape(text, {{"Ni", i}, {"Nj", j}, {"Nk", k}});
  };
  check_all_halves(box("ik,kj->ij", 2, 2, 2));
  check_all_halves(box("ik,kj->ij", 2, 3, 2));
  check_all_halves(box("ik,kj->ij", 2, 2, 4));
  check_all_halves(box("ik,kj->ij", 2, 3, 3));
  check_all_halves(box("ijk,j->ik", 2, 3, 2));
  check_all_halves(box("i,j,k->ijk", 2, 3, 2));
  check_all_halves(box("kij,ijk->ki", 3, 2, 2));
}

// Lemma einsum.10: a large tensor times matrices.
TEST(EinsumPartition, NoDivisionOfMttkrpInTwoIsBelowIt) {
  const auto box = [](const std::string& text, std::int64_t i, std::int64_t j, std::int64_t k,
                      std::int64_t r) {
    return einsum_shape(text, {{"Ni", i}, {"Nj", j}, {"Nk", k}, {"Nr", r}});
  };
  check_all_halves(box("ijk,jr,kr->ir", 2, 2, 2, 2));
  check_all_halves(box("ijk,jr,kr->ir", 2, 2, 3, 1));
  check_all_halves(box("ijk,jr,kr->ir", 2, 4, 2, 1));
  check_all_halves(box("ijk,jr,kr,jkr->ir", 2, 2, 2, 2));
  check_all_halves(box("ijk,jr,kr,r->ijr", 3, 2, 3, 1));
  check_all_halves(einsum_shape("ij,jr->ir", {{"Ni", 3}, {"Nj", 3}, {"Nr", 2}}));
  check_all_halves(einsum_shape("ij,jr,jr->ir", {{"Ni", 2}, {"Nj", 4}, {"Nr", 2}}));
}

TEST(EinsumPartition, TwoRanksShareMttkrpAtTheBound) {
  const EinsumShape third =
      einsum_shape("ijk,jr,kr->ir", {{"Ni", 200}, {"Nj", 200}, {"Nk", 200}, {"Nr", 32}});
  EXPECT_NEAR(plan_einsum({third, 2, {}, Objective::words, {}}).ratio, 1, 1e-6);
  const EinsumShape fourth = einsum_shape(
      "ijkl,jr,kr,lr->ir", {{"Ni", 56}, {"Nj", 56}, {"Nk", 56}, {"Nl", 56}, {"Nr", 24}});
  EXPECT_NEAR(plan_einsum({fourth, 2, {}, Objective::words, {}}).ratio, 1, 1e-6);
}

// Calls f with the numbers of a box's products.
template <class F>
void for_each_product(const EinsumShape& shape, const EinsumBox& box, F f) {
  if (!(box.products() > 0)) return;
  std::vector<std::int64_t> at;
  for (const Range& r : box.ranges) at.push_back(r.begin);
  for (;;) {
    std::size_t number = 0;
    for (std::size_t t = at.size(); t-- > 0;)
      number = number * static_cast<std::size_t>(shape.indices[t].extent) +
               static_cast<std::size_t>(at[t]);
    f(number);
    std::size_t t = 0;
    while (t < at.size() && ++at[t] == box.ranges[t].end) {
      at[t] = box.ranges[t].begin;
      ++t;
    }
    if (t == at.size()) return;
  }
}

// Swaps and moves of products as long as they save words or chance lets them.
// Begins with parts of the products in a row, or with the boxes of the plan.
void anneal(const EinsumShape& shape, int ranks, std::mt19937& random, bool from_plan = false) {
  Division d(shape, ranks);
  std::vector<int> load(static_cast<std::size_t>(ranks), 0);
  const auto give = [&](std::size_t product, int rank) {
    if (d.owner(product) >= 0) --load[static_cast<std::size_t>(d.owner(product))];
    ++load[static_cast<std::size_t>(rank)];
    d.give(product, rank);
  };
  for (std::size_t p = 0; p < d.size(); ++p)
    give(p, static_cast<int>(p * static_cast<std::size_t>(ranks) / d.size()));
  if (from_plan) {
    const auto plan = choose_einsum({shape, ranks, {}, Objective::words, {}});
    for (std::size_t r = 0; r < plan.boxes.size(); ++r) {
      for (std::int64_t round = 0; round < plan.rounds; ++round)
        for_each_product(shape, plan.box(r, round),
                         [&](std::size_t product) { give(product, static_cast<int>(r)); });
    }
  }
  std::map<int, double> bounds;
  const auto worth = [&] {
    const int most = *std::max_element(load.begin(), load.end());
    const auto [known, is_new] = bounds.emplace(most, 0.0);
    if (is_new) known->second = ranks * einsum_lower_bound(shape, ranks, double(most));
    const double bound = known->second;
    EXPECT_GE(d.received() + 1e-6, bound) << shape.text << " on " << ranks << ", " << most;
  };
  worth();
  constexpr int steps = 20000;
  for (int step = 0; step < steps; ++step) {
    const double heat = 2.0 * (steps - step) / steps;
    const std::size_t a = random() % d.size(), b = random() % d.size();
    const int of_a = d.owner(a), of_b = d.owner(b);
    if (of_a == of_b) continue;
    const bool moves = random() % 8 == 0 && load[static_cast<std::size_t>(of_b)] <
                                                load[static_cast<std::size_t>(of_a)] + 2;
    const int before = d.received();
    give(a, of_b);
    if (!moves) give(b, of_a);
    const double worse = d.received() - before;
    if (worse > 0 && std::exp(-worse / heat) * 4294967295.0 < double(random())) {
      give(a, of_a);
      if (!moves) give(b, of_b);
    } else if (worse < 0) {
      worth();
    }
  }
}

TEST(EinsumPartition, ASearchFindsNothingBelowIt) {
  std::mt19937 random(31);
  constexpr int trials = 20;
  for (int trial = 0; trial < trials; ++trial) {
    const auto side = [&](int most) {
      return 2 + static_cast<std::int64_t>(random() % unsigned(most));
    };
    const EinsumShape shape = einsum_shape(
        trial % 3 == 0 ? "bi,bj->bij" : "bij,bjk->bik",
        trial % 3 == 0
            ? std::map<std::string, std::int64_t>{{"Nb", side(4)}, {"Ni", side(4)}, {"Nj", side(4)}}
            : std::map<std::string, std::int64_t>{
                  {"Nb", side(4)}, {"Ni", side(3)}, {"Nj", side(3)}, {"Nk", side(3)}});
    anneal(shape, 2 + static_cast<int>(random() % 6), random);
  }
}

// Batches of which no whole number of shares makes one: Lemma einsum.11.
TEST(EinsumPartition, ASearchFromThePlanFindsNothingBelowIt) {
  std::mt19937 random(32);
  struct Case {
    std::int64_t batches, side;
    int ranks;
  };
  for (const Case& c : {Case{4, 6, 9},
                        {4, 9, 9},
                        {3, 6, 7},
                        {3, 6, 8},
                        {2, 8, 5},
                        {5, 6, 12},
                        {7, 6, 5},
                        {7, 6, 22}}) {
    const EinsumShape shape = einsum_shape(
        "bij,bjk->bik", {{"Nb", c.batches}, {"Ni", c.side}, {"Nj", c.side}, {"Nk", c.side}});
    anneal(shape, c.ranks, random, true);
  }
}

TEST(EinsumPartition, TwoRanksShareACubeAtTheBound) {
  const EinsumShape shape = einsum_shape("ik,kj->ij", {{"Ni", 90}, {"Nj", 90}, {"Nk", 90}});
  EXPECT_NEAR(einsum_lower_bound(shape, 2), 90 * 90 / 2.0, 1e-3);
  EXPECT_NEAR(plan_einsum({shape, 2, {}, Objective::words, {}}).ratio, 1, 1e-6);
}

TEST(EinsumPartition, ThreeRanksShareTwoProductsOfMatricesNearTheBound) {
  const EinsumShape shape =
      einsum_shape("bij,bjk->bik", {{"Nb", 2}, {"Ni", 90}, {"Nj", 90}, {"Nk", 90}});
  const EinsumPlanReport report = plan_einsum({shape, 3, {}, Objective::words, {}});
  EXPECT_EQ(report.cost.mean_words, 2 * 90 * 90 / 3.0);  // a face for either
  EXPECT_LE(report.ratio, 1.02);
}

}  // namespace
}  // namespace redblue
