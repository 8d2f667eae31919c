// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/stationary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "decomposition/cost.hpp"

namespace redblue {
namespace {

Decomposition stationary(const GemmShape& shape, int ranks, int strips, std::int64_t rounds) {
  Decomposition d;
  d.kind = Decomposition::Kind::stationary;
  d.shape = shape;
  d.ranks = ranks;
  d.strips = strips;
  d.rounds = rounds;
  return d;
}

const std::vector<Decomposition> some = {
    stationary({8, 6, 5}, 4, 1, 3), stationary({9, 7, 11}, 8, 2, 2),
    stationary({9, 13, 7}, 12, 2, 4), stationary({20, 21, 9}, 20, 2, 5),
    stationary({16, 18, 4}, 16, 4, 8)};

std::int64_t at(std::int64_t row, std::int64_t column, std::int64_t rows) {
  return column * rows + row;
}

// Counts, element by element, what a rank has of an operand of `rows` rows: -1 for who has not.
std::vector<int> owners(const std::vector<Cell>& cells, std::int64_t rows, std::int64_t columns) {
  std::vector<int> owner(static_cast<std::size_t>(rows * columns), -1);
  for (const Cell& cell : cells) {
    for (std::size_t t = 0; t < cell.needers.size(); ++t) {
      for (std::int64_t e = cell.begins[t]; e < cell.begins[t + 1]; ++e) {
        const std::int64_t row = cell.block.rows.begin + e % cell.block.rows.size();
        const std::int64_t column = cell.block.columns.begin + e / cell.block.rows.size();
        int& who = owner[static_cast<std::size_t>(at(row, column, rows))];
        EXPECT_EQ(who, -1) << "an element with two owners";
        who = cell.needers[t];
      }
    }
  }
  return owner;
}

// Words that a rank receives, from who multiplies what and who owns what alone: each element of A
// and B that it has not, once; each element of C that it has, once from each other rank that adds
// to it.
std::vector<std::int64_t> received(const Decomposition& d) {
  const auto [m, n, k] = d.shape;
  const std::vector<Cuboid> cuboids = d.cuboids();
  const Ownership owned = ownership(d, cuboids);
  const std::vector<int> a = owners(owned.a, m, k), b = owners(owned.b, k, n),
                         c = owners(owned.c, m, n);
  std::vector<std::int64_t> words(cuboids.size(), 0);
  std::vector<int> times(static_cast<std::size_t>(m * n * k), 0);
  const auto need = [&words](const std::vector<int>& owner, const Block& block, std::int64_t rows,
                             int rank, bool adds) {
    for (std::int64_t j = block.columns.begin; j < block.columns.end; ++j) {
      for (std::int64_t i = block.rows.begin; i < block.rows.end; ++i) {
        const int who = owner[static_cast<std::size_t>(at(i, j, rows))];
        EXPECT_GE(who, 0) << "an element without an owner";
        if (who != rank) ++words[static_cast<std::size_t>(adds ? who : rank)];
      }
    }
  };
  for (std::size_t r = 0; r < cuboids.size(); ++r) {
    const Cuboid& box = cuboids[r];
    EXPECT_FALSE(box.empty());
    need(a, footprint(box, Operand::a), m, static_cast<int>(r), false);
    need(b, footprint(box, Operand::b), k, static_cast<int>(r), false);
    need(c, footprint(box, Operand::c), m, static_cast<int>(r), true);
    for (std::int64_t i = box.i.begin; i < box.i.end; ++i) {
      for (std::int64_t j = box.j.begin; j < box.j.end; ++j) {
        for (std::int64_t l = box.k.begin; l < box.k.end; ++l)
          ++times[static_cast<std::size_t>((i * n + j) * k + l)];
      }
    }
  }
  for (const int t : times) EXPECT_EQ(t, 1) << "a multiplication by two ranks or none";
  return words;
}

TEST(Stationary, ShareAllMultiplicationsAndMoveWhatTheCostSays) {
  for (const Decomposition& d : some) {
    const std::vector<std::int64_t> words = received(d);
    const Cost cost = cost_of(d, {});
    std::int64_t most = 0, all = 0;
    for (const std::int64_t w : words) {
      most = std::max(most, w);
      all += w;
    }
    EXPECT_EQ(cost.words.value, most) << d.name();
    EXPECT_NEAR(cost.mean_words, static_cast<double>(all) / d.ranks, 1e-6) << d.name();
    // what is sent, round by round, is that
    std::vector<std::int64_t> sent(words.size(), 0), messages(words.size(), 0);
    const Ownership owned = ownership(d, d.cuboids());
    for (std::int64_t round = 0; round < d.rounds; ++round) {
      for (const Operand o : {Operand::a, Operand::b, Operand::c}) {
        std::set<std::pair<int, int>> once;
        for (const Sending& s : sendings(d, d.cuboids(), owned, o, round)) {
          sent[static_cast<std::size_t>(s.to)] += s.words;
          ++messages[static_cast<std::size_t>(s.to)];
          EXPECT_TRUE(once.insert({s.from, s.to}).second) << "two messages of one matrix";
        }
      }
    }
    EXPECT_EQ(sent, words) << d.name();
    EXPECT_EQ(cost.messages.value, *std::max_element(messages.begin(), messages.end()));
  }
}

TEST(Stationary, ElementsAreFinishedInOneRound) {
  for (const Decomposition& d : some) {
    const std::vector<Cuboid> cuboids = d.cuboids();
    const Ownership owned = ownership(d, cuboids);
    const std::size_t count = cells_in_round(d);
    ASSERT_EQ(owned.c.size(), count * static_cast<std::size_t>(d.rounds));
    for (std::size_t c = 0; c < owned.c.size(); ++c) {
      const auto now = cuboids_in_round(d, cuboids, static_cast<std::int64_t>(c / count));
      for (const int r : owned.c[c].needers) {
        const Block block = footprint(now[static_cast<std::size_t>(r)], Operand::c);
        EXPECT_EQ(block.rows, owned.c[c].block.rows);
        EXPECT_EQ(block.columns, owned.c[c].block.columns);
      }
    }
  }
}

// n = 768 with 1.1 times the input: 1.316 and 1.556 times the bound on grids.
TEST(Stationary, ComeNearTheBoundWithinLittleMemory) {
  for (const auto& [ranks, most] :
       {std::pair(8, 1.001), std::pair(16, 1.10), std::pair(64, 1.16)}) {
    const std::int64_t input = 3LL * 768 * 768 / ranks;
    const Words memory(input + input / 10);
    const GemmPlanReport report = plan_gemm({{768, 768, 768}, ranks, memory, Objective::words, {}});
    EXPECT_EQ(report.decomposition.kind, Decomposition::Kind::stationary) << ranks;
    EXPECT_LE(report.ratio, most) << ranks;
    EXPECT_GE(report.ratio, 1 - 1e-9) << ranks;
    EXPECT_LE(report.cost.memory, memory) << ranks;
  }
}

}  // namespace
}  // namespace redblue
