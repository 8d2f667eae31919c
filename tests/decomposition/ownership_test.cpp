// SPDX-License-Identifier: BSD-3-Clause
// Ownership against its definition, element by element.
#include "decomposition/ownership.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "decomposition/gemm/bisection.hpp"

namespace redblue {
namespace {

std::vector<Decomposition> decompositions(const GemmShape& shape, int ranks) {
  std::vector<Decomposition> result = {greedy_bisection(shape, ranks),
                                       searched_bisection(shape, ranks, Measure::total)};
  Decomposition grid;
  grid.shape = shape;
  grid.ranks = ranks;
  grid.grid = {1, ranks >= 6 ? 3 : 1, ranks >= 2 ? 2 : 1};
  result.push_back(grid);
  result.push_back(choose_gemm({shape, ranks, {}, Objective::words, {}}));
  for (std::size_t d = result.size(); d-- > 0;) {
    result.push_back(result[d]);
    result.back().rounds = 3;
  }
  return result;
}

void check_iteration_space(const GemmShape& s, const std::vector<Cuboid>& cuboids) {
  std::int64_t covered = 0;
  for (std::size_t a = 0; a < cuboids.size(); ++a) {
    if (cuboids[a].empty()) continue;
    covered += cuboids[a].i.size() * cuboids[a].j.size() * cuboids[a].k.size();
    for (std::size_t b = a + 1; b < cuboids.size(); ++b) {
      if (cuboids[b].empty()) continue;
      const auto overlap = [](const Range& x, const Range& y) {
        return x.begin < y.end && y.begin < x.end;
      };
      EXPECT_FALSE(overlap(cuboids[a].i, cuboids[b].i) && overlap(cuboids[a].j, cuboids[b].j) &&
                   overlap(cuboids[a].k, cuboids[b].k));
    }
  }
  EXPECT_EQ(covered, s.m * s.n * s.k);
}

void check_operand(const std::vector<Cuboid>& cuboids, const std::vector<Cell>& cells,
                   Operand operand) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::set<int>> needed;
  for (std::size_t r = 0; r < cuboids.size(); ++r) {
    const Block b = footprint(cuboids[r], operand);
    for (std::int64_t i = b.rows.begin; i < b.rows.end; ++i) {
      for (std::int64_t j = b.columns.begin; j < b.columns.end; ++j)
        needed[{i, j}].insert(static_cast<int>(r));
    }
  }
  std::size_t seen = 0;
  for (const Cell& cell : cells) {
    EXPECT_EQ(cell.begins.front(), 0);
    EXPECT_EQ(cell.begins.back(), cell.block.size());
    EXPECT_TRUE(std::is_sorted(cell.begins.begin(), cell.begins.end()));
    EXPECT_EQ(cell.begins.size(), cell.needers.size() + 1);
    const std::set<int> needers(cell.needers.begin(), cell.needers.end());
    for (std::int64_t i = cell.block.rows.begin; i < cell.block.rows.end; ++i) {
      for (std::int64_t j = cell.block.columns.begin; j < cell.block.columns.end; ++j) {
        ++seen;
        EXPECT_EQ(needers, (needed[{i, j}]));
      }
    }
  }
  EXPECT_EQ(seen, needed.size());  // every element in exactly one cell
}

TEST(Ownership, EveryElementHasOneOwnerAmongItsNeeders) {
  for (const GemmShape& shape : {GemmShape{12, 10, 14}, GemmShape{1, 7, 9}, GemmShape{3, 3, 40},
                                 GemmShape{2, 2, 2}, GemmShape{5, 6, 0}, GemmShape{0, 4, 4}}) {
    for (const int ranks : {1, 2, 3, 5, 7, 8, 13, 20}) {
      for (const Decomposition& d : decompositions(shape, ranks)) {
        if (d.kind == Decomposition::Kind::bisection && shape.m * shape.n * shape.k == 0) continue;
        const std::vector<Cuboid> cuboids = d.cuboids();
        ASSERT_EQ(cuboids.size(), static_cast<std::size_t>(ranks));
        check_iteration_space(shape, cuboids);
        const Ownership owned = ownership(d, cuboids);
        for (const Operand o : {Operand::a, Operand::b, Operand::c})
          check_operand(cuboids, owned.of(o), o);
      }
    }
  }
}

// What each rank receives of cells.
std::vector<std::int64_t> received(const Ownership& ownership, std::size_t ranks) {
  std::vector<std::int64_t> words(ranks);
  const auto add = [&](const std::vector<Cell>& cells, bool is_output) {
    for (const Cell& cell : cells) {
      const auto others = static_cast<std::int64_t>(cell.needers.size()) - 1;
      for (std::size_t t = 0; t < cell.needers.size(); ++t)
        words[static_cast<std::size_t>(cell.needers[t])] +=
            is_output ? cell.share(t) * others : cell.block.size() - cell.share(t);
    }
  };
  add(ownership.a, false);
  add(ownership.b, false);
  add(ownership.c, true);
  return words;
}

TEST(Ownership, InputsMakeUpForWholeElementsOfOutputs) {
  // the owner of the one element that four ranks add to receives 3 words for it, and less of 16
  // inputs: (3 + 3 * 16) / 4 words each
  Ownership all;
  all.a = {even_cell({{0, 16}, {0, 1}}, {0, 1, 2, 3})};
  all.c = {even_cell({{0, 1}, {0, 1}}, {0, 1, 2, 3})};
  even_out(all, 4);
  for (const std::int64_t words : received(all, 4)) EXPECT_LE(words, 13);
  // of five such elements, one rank owns two
  all.c = {even_cell({{0, 5}, {0, 1}}, {0, 1, 2, 3})};
  even_out(all, 4);
  for (const std::int64_t words : received(all, 4)) EXPECT_LE(words, 16);
  EXPECT_EQ(all.c[0].begins.back(), 5);
}

TEST(Ownership, CellsRespectRounds) {
  Decomposition d = searched_bisection({20, 20, 30}, 7, Measure::total);
  d.rounds = 4;
  const std::vector<Cuboid> cuboids = d.cuboids();
  const std::vector<Cell> cells = ownership(d, cuboids).a;
  EXPECT_GE(cells.size(), 7U * 4U / 2U);
  for (const Cell& cell : cells) {
    EXPECT_FALSE(cell.needers.empty());
    for (const int needer : cell.needers) {
      const Range& k = cuboids[static_cast<std::size_t>(needer)].k;
      int rounds = 0;
      for (std::int64_t r = 0; r < d.rounds; ++r) {
        const Range piece = round_of(k, r, d.rounds);
        if (piece.begin < cell.block.columns.end && cell.block.columns.begin < piece.end) ++rounds;
      }
      EXPECT_EQ(rounds, 1);
    }
  }
}

}  // namespace
}  // namespace redblue
