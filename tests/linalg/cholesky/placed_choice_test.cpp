// SPDX-License-Identifier: BSD-3-Clause
// Whether Cholesky factorizations leave the matrix in callers' layouts; the words of its way
// against a count, element by element.
#include "linalg/cholesky/placed_choice.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "linalg/cholesky/cholesky.hpp"
#include "redblue/error.hpp"

namespace redblue::linalg {
namespace {

PlacedDecomposition choice(std::int64_t n, int rows, int columns, std::int64_t block,
                           const FactorOptions& options = {}, Triangle triangle = Triangle::lower) {
  const BlockCyclic layout = block_cyclic(n, n, block, rows, columns, Rank(0));
  const int ranks = rows * columns;
  return choose_cholesky_for(layout::arrangement(layout, ranks), triangle,
                             caller_grid(layout, Rank(0)), ranks, options);
}

TEST(PlacedCholeskyChoice, StaysWhereTheWayCostsMore) {
  for (const auto& [rows, columns] : {std::pair{1, 2}, {2, 1}, {1, 3}, {2, 2}}) {
    const CholeskyDecomposition d = choice(1200, rows, columns, 100).decomposition;
    EXPECT_TRUE(d.in_place()) << d.name();
    EXPECT_EQ(d.block, 100);
  }
  EXPECT_TRUE(choice(1200, 1, 2, 64).decomposition.in_place());
  // about as many words as triangle blocks, in more messages
  EXPECT_FALSE(choice(1200, 2, 2, 64).decomposition.in_place());
  // small blocks, unless they save many words
  EXPECT_FALSE(choice(1200, 1, 3, 16).decomposition.in_place());
  EXPECT_TRUE(choice(1200, 1, 2, 16).decomposition.in_place());
  // many ranks: triangle blocks move less, and the way little
  EXPECT_FALSE(choice(4096, 8, 8, 64).decomposition.in_place());
  // one block, on one rank: little to do, or much
  EXPECT_TRUE(choice(60, 2, 2, 64).decomposition.in_place());
  EXPECT_FALSE(choice(1200, 2, 2, 1200).decomposition.in_place());
  // a block for every second rank
  EXPECT_FALSE(choice(1200, 1, 4, 600).decomposition.in_place());
  // blocks hardly worth a message
  EXPECT_FALSE(choice(1200, 1, 2, 4).decomposition.in_place());
}

TEST(PlacedCholeskyChoice, UpperTrianglesAreOnTheTransposedGrid) {
  const PlacedDecomposition stays = choice(1200, 1, 3, 64, {}, Triangle::upper);
  ASSERT_TRUE(stays.decomposition.in_place());
  EXPECT_EQ(stays.decomposition.grid_rows, 3);
  EXPECT_EQ(stays.decomposition.grid_columns, 1);
  EXPECT_EQ(stays.grid, (GridRanks{0, 1, 2}));
}

TEST(PlacedCholeskyChoice, TakesWhatIsAskedFor) {
  FactorOptions blocks;
  blocks.block = 64;
  EXPECT_FALSE(choice(1200, 1, 2, 64, blocks).decomposition.in_place());
  FactorOptions layers;
  layers.replicas = 2;
  EXPECT_FALSE(choice(1200, 1, 2, 64, layers).decomposition.in_place());
  FactorOptions little;
  const Cost cost = cost_of(choice(1200, 1, 2, 64).decomposition, {});
  little.memory = cost.memory - cost.resident;  // beside the caller's array
  EXPECT_TRUE(choice(1200, 1, 2, 64, little).decomposition.in_place());
  *little.memory -= Words(1);
  EXPECT_THROW(choice(1200, 1, 2, 64, little), Error);
}

// Elements of the lower triangle that a rank has in one arrangement and not in the other.
TEST(WordsOfWay, OfATriangleAreItsElements) {
  const int ranks = 6;
  const std::int64_t n = 90;
  const layout::Arrangement placed =
      layout::arrangement(block_cyclic(n, n, 8, 2, 3, Rank(0)), ranks);
  const layout::Arrangement pairs = pair_storage(choose_cholesky(n, ranks, {}), ranks);
  std::size_t most = 0;
  for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r) {
    std::set<std::pair<std::int64_t, std::int64_t>> only_one;
    for (const layout::Arrangement* a : {&placed, &pairs}) {
      layout::for_each_element(a->of_rank[r], [&](auto row, auto column, auto) {
        if (row < column) return;
        if (!only_one.insert({row, column}).second) only_one.erase({row, column});
      });
    }
    most = std::max(most, only_one.size());
  }
  EXPECT_EQ(words_of_way(placed, pairs, layout::Part::lower),
            Words(static_cast<std::int64_t>(most)));
}

}  // namespace
}  // namespace redblue::linalg
