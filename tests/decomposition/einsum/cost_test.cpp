// SPDX-License-Identifier: BSD-3-Clause
// What is counted of a decomposition, against a count of every point and every element.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "decomposition/einsum/bisection.hpp"
#include "decomposition/einsum/cells.hpp"
#include "decomposition/einsum/grid.hpp"
#include "decomposition/einsum/random_einsum.hpp"
#include "redblue/einsum_model.hpp"

namespace redblue {
namespace {

using Point = std::vector<std::int64_t>;

template <class F>
void for_each_point(const std::vector<Range>& ranges, F f) {
  Point point;
  for (const Range& r : ranges) {
    if (r.size() <= 0) return;
    point.push_back(r.begin);
  }
  for (;;) {
    f(point);
    std::size_t t = 0;
    while (t < point.size() && ++point[t] == ranges[t].end) {
      point[t] = ranges[t].begin;
      ++t;
    }
    if (t == point.size()) return;
  }
}

// Which ranks need each element of a tensor.
std::map<Point, std::set<int>> needers(const EinsumTensor& tensor, const EinsumDecomposition& d) {
  std::map<Point, std::set<int>> result;
  for (std::size_t r = 0; r < d.boxes.size(); ++r) {
    for (std::int64_t round = 0; round < d.rounds; ++round) {
      const EinsumBox box = d.box(r, round);
      if (!box.works) continue;
      for_each_point(box.ranges, [&](const Point& point) {
        Point element;
        for (const int t : tensor.indices) element.push_back(point[static_cast<std::size_t>(t)]);
        result[element].insert(static_cast<int>(r));
      });
    }
  }
  return result;
}

void check(const EinsumShape& shape, const EinsumDecomposition& d) {
  std::set<Point> points;
  double count = 0;
  for (std::size_t r = 0; r < d.boxes.size(); ++r) {
    for (std::int64_t round = 0; round < d.rounds; ++round) {
      const EinsumBox box = d.box(r, round);
      count += box.products();
      if (box.works) for_each_point(box.ranges, [&](const Point& p) { points.insert(p); });
    }
  }
  EXPECT_EQ(count, shape.products());
  EXPECT_EQ(static_cast<double>(points.size()), count);  // disjoint, covering
  const auto all = einsum::cells(shape, d);
  std::vector<std::int64_t> words(d.boxes.size());
  for (std::size_t a = 0; a < all.size(); ++a) {
    const auto need = needers(shape.tensors[a], d);
    std::map<Point, int> owner;
    for (const einsum::TensorCell& cell : all[a]) {
      const auto& who = cell.shares.needers;
      std::int64_t at = 0;
      for_each_point(cell.ranges, [&](const Point& element) {
        const auto end = std::upper_bound(cell.shares.begins.begin(), cell.shares.begins.end(), at);
        const int rank = who[static_cast<std::size_t>(end - cell.shares.begins.begin() - 1)];
        EXPECT_TRUE(owner.emplace(element, rank).second);
        EXPECT_EQ(need.at(element), std::set<int>(who.begin(), who.end()));
        ++at;
      });
    }
    EXPECT_EQ(owner.size(), need.size());  // each element has one owner
    const bool is_result = a + 1 == all.size();
    for (const auto& [element, who] : need) {
      for (const int r : who) {
        const bool owns = owner.at(element) == r;
        if (is_result && owns) words[static_cast<std::size_t>(r)] += std::ssize(who) - 1;
        if (!is_result && !owns) ++words[static_cast<std::size_t>(r)];
      }
    }
  }
  EXPECT_EQ(cost_of(shape, d, {}).words.value, *std::max_element(words.begin(), words.end()));
}

TEST(EinsumCost, AgreesWithACountOfEveryElement) {
  std::mt19937 random(11);
  int checked = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const EinsumShape shape = test::shape_of(test::random_einsum(random, 5, 6));
    if (shape.products() > 4000) continue;
    const int ranks = 1 + static_cast<int>(random() % 13);
    SCOPED_TRACE(shape.text + " on " + std::to_string(ranks));
    check(shape, choose_einsum({shape, ranks, {}, Objective::words, {}}));
    const auto d = einsum::searched_bisection(shape, ranks, shape.products(), Measure::total);
    if (d) check(shape, *d);
    ++checked;
  }
  EXPECT_GT(checked, 80);
}

TEST(EinsumCost, OfBatchesAgreesToo) {
  int in_two_rounds = 0;
  for (int ranks = 2; ranks < 8; ++ranks) {
    const EinsumShape shape =
        einsum_shape("bij,bjk->bik", {{"Nb", 9}, {"Ni", 6}, {"Nj", 5}, {"Nk", 7}});
    const auto d = choose_einsum({shape, ranks, {}, Objective::words, {}});
    check(shape, d);
    in_two_rounds += d.rest.empty() ? 0 : 1;
  }
  EXPECT_GT(in_two_rounds, 2);
}

// Fewer batches than ranks: parts, and rests or corners that further ranks have of several.
TEST(EinsumCost, OfSharedBatchesAgreesToo) {
  int in_rounds = 0;
  std::int64_t most_rounds = 0;
  for (const std::int64_t batches : {3, 4, 5, 7}) {
    const EinsumShape shape =
        einsum_shape("bij,bjk->bik", {{"Nb", batches}, {"Ni", 15}, {"Nj", 13}, {"Nk", 14}});
    for (int ranks = 4; ranks < 24; ++ranks) {
      SCOPED_TRACE(std::to_string(batches) + " on " + std::to_string(ranks));
      const auto d = choose_einsum({shape, ranks, {}, Objective::words, {}});
      if (d.rest.empty()) continue;
      check(shape, d);
      ++in_rounds;
      most_rounds = std::max(most_rounds, d.rounds);
    }
  }
  EXPECT_GT(in_rounds, 10);
  EXPECT_GT(most_rounds, 2);
}

TEST(EinsumCost, GridsCostAtMostWhatTheSearchTakesThemFor) {
  std::mt19937 random(12);
  for (int trial = 0; trial < 200; ++trial) {
    const EinsumShape shape = test::shape_of(test::random_einsum(random, 5, 9));
    std::vector<int> grid;
    int ranks = 1;
    for (const EinsumIndex& i : shape.indices) {
      grid.push_back(1 + static_cast<int>(random() % std::min<std::uint64_t>(
                                                         3, static_cast<std::uint64_t>(i.extent))));
      ranks *= grid.back();
    }
    if (ranks > 60) continue;
    einsum::Rounds rounds;
    if (!grid.empty() && random() % 2 == 0) {
      rounds.index = static_cast<int>(random() % grid.size());
      rounds.count = 1 + static_cast<std::int64_t>(random() % 3);
    }
    const Cost predicted = einsum::grid_cost(shape, grid, rounds, {});
    const Cost exact = cost_of(shape, einsum::grid_decomposition(shape, ranks, grid, rounds), {});
    SCOPED_TRACE(shape.text);
    EXPECT_LE(exact.memory, predicted.memory);
    EXPECT_LE(exact.messages, predicted.messages);
    EXPECT_EQ(exact.work, predicted.work);
    if (rounds.index < 0) {
      EXPECT_LE(exact.words, predicted.words);
    }
    // a round's share, rounded, may be a word more per tensor
    EXPECT_LE(exact.mean_words, static_cast<double>(predicted.words.value) + 1e-9);
  }
}

}  // namespace
}  // namespace redblue
