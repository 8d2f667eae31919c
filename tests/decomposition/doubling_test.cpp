// SPDX-License-Identifier: BSD-3-Clause
// Exchanges by doubling, played with sets: who has which block, whose contributions are where.
#include "decomposition/doubling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace redblue {
namespace {

TEST(Doubling, EveryMemberGetsEveryBlockOnce) {
  for (int g = 1; g <= 70; ++g) {
    std::vector<std::set<int>> has(static_cast<std::size_t>(g));
    for (int t = 0; t < g; ++t) has[static_cast<std::size_t>(t)] = {t};
    for (const DoublingStage& s : doubling_stages(g)) {
      const std::vector<std::set<int>> before = has;
      for (int t = 0; t < g; ++t) {
        const auto from = static_cast<std::size_t>((t + s.distance) % g);
        for (std::int64_t b = 0; b < s.blocks; ++b) {
          const int block = static_cast<int>((t + s.distance + b) % g);
          EXPECT_TRUE(before[from].count(block) == 1) << "it sends what it does not have";
          EXPECT_TRUE(has[static_cast<std::size_t>(t)].insert(block).second) << "twice";
        }
      }
    }
    for (const std::set<int>& all : has) EXPECT_EQ(all.size(), static_cast<std::size_t>(g));
  }
}

TEST(Doubling, BackwardsEveryContributionEndsAtItsOwnerOnce) {
  for (int g = 1; g <= 70; ++g) {
    // at[t][b]: whose contributions to block b are added up at member t
    std::vector<std::map<int, std::multiset<int>>> at(static_cast<std::size_t>(g));
    for (int t = 0; t < g; ++t) {
      for (int b = 0; b < g; ++b) at[static_cast<std::size_t>(t)][b] = {t};
    }
    std::vector<DoublingStage> stages = doubling_stages(g);
    std::reverse(stages.begin(), stages.end());
    for (const DoublingStage& s : stages) {
      const auto before = at;
      for (int t = 0; t < g; ++t) {
        const auto from = static_cast<std::size_t>(((t - s.distance) % g + g) % g);
        for (std::int64_t b = 0; b < s.blocks; ++b) {
          const int block = static_cast<int>((t + b) % g);
          const std::multiset<int>& sent = before[from].at(block);
          at[static_cast<std::size_t>(t)][block].insert(sent.begin(), sent.end());
          at[from].erase(block);  // nobody adds it up there any more
        }
      }
    }
    for (int t = 0; t < g; ++t) {
      std::multiset<int> all;
      for (int c = 0; c < g; ++c) all.insert(c);
      EXPECT_EQ(at[static_cast<std::size_t>(t)].at(t), all) << "member " << t << " of " << g;
    }
  }
}

TEST(Doubling, StagesAreCountedWithoutAList) {
  for (std::int64_t g = 1; g <= 300; ++g) {
    const std::vector<DoublingStage> stages = doubling_stages(g);
    EXPECT_EQ(count_doubling_stages(g), static_cast<std::int64_t>(stages.size()));
    std::int64_t most = 0;
    std::int64_t all = 0;
    for (const DoublingStage& s : stages) {
      most = std::max(most, s.blocks);
      all += s.blocks;
    }
    EXPECT_EQ(most_blocks_in_a_stage(g), most);
    EXPECT_EQ(all, g - 1);  // what a direct exchange brings, too
    EXPECT_LE(std::int64_t{1} << (stages.size() > 0 ? stages.size() - 1 : 0), g);
  }
}

TEST(Doubling, BlocksGoAround) {
  const std::vector<std::int64_t> begins = {0, 3, 3, 7, 8};
  EXPECT_EQ(block_words(begins, 0, 4), 8);
  EXPECT_EQ(block_words(begins, 3, 2), 4);
  EXPECT_EQ(block_words(begins, -1, 1), 1);
  EXPECT_EQ(block_words(begins, 5, 1), 0);
  EXPECT_EQ(block_ranges(begins, 3, 2), (std::vector<Range>{{7, 8}, {0, 3}}));
  EXPECT_EQ(block_ranges(begins, 1, 1), std::vector<Range>{});
}

}  // namespace
}  // namespace redblue
