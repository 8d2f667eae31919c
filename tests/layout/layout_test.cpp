// SPDX-License-Identifier: BSD-3-Clause
// The layout's arithmetic against dealing out the indices one by one.
#include "layout/arrangement.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "linalg/random_layouts.hpp"

namespace redblue::layout {
namespace {

TEST(Cyclic, MatchesDealingOut) {
  for (int processes = 1; processes <= 4; ++processes) {
    for (int source = 0; source < processes; ++source) {
      for (int block = 1; block <= 4; ++block) {
        for (int first = 1; first <= 6; ++first) {
          const Cyclic cyclic = {block, source, processes, first};
          std::vector<std::int64_t> held(static_cast<std::size_t>(processes));
          int owner = source;
          int left = first;
          for (std::int64_t index = 0; index < 40; ++index) {
            if (left == 0) {
              owner = (owner + 1) % processes;
              left = block;
            }
            for (int p = 0; p < processes; ++p) {
              EXPECT_EQ(cyclic.count(index, p), held[static_cast<std::size_t>(p)]);
            }
            EXPECT_EQ(cyclic.owner(index), owner);
            EXPECT_EQ(cyclic.local(index), held[static_cast<std::size_t>(owner)]);
            EXPECT_EQ(cyclic.block_end(index), index + left);
            ++held[static_cast<std::size_t>(owner)];
            --left;
          }
        }
      }
    }
  }
}

TEST(Held, IsWhatDealingOutGives) {
  for (const Cyclic& cyclic : {Cyclic{3, 1, 2, 3}, Cyclic{2, 0, 3, 4}, Cyclic{1, 2, 4, 1},
                               Cyclic{4, 0, 1, 4}, Cyclic{5, 3, 4, 2}}) {
    for (const std::int64_t first : {0, 1, 5, 11}) {
      std::vector<int> seen(30);
      for (int p = 0; p < cyclic.processes; ++p) {
        const IndexSet set = local_indices(cyclic, p, first, 30);
        for (const Interval& i : set.intervals()) {
          for (std::int64_t index = i.begin; index < i.end; ++index) {
            EXPECT_EQ(cyclic.owner(first + index), p);
            EXPECT_EQ(cyclic.local(first + index), i.position + index - i.begin);
            ++seen[static_cast<std::size_t>(index)];
          }
        }
      }
      EXPECT_EQ(seen, std::vector<int>(30, 1));
    }
  }
}

TEST(Shared, PiecesJoinWhereBothSidesFollow) {
  const IndexSet cyclic = local_indices({4, 0, 2, 4}, 0, 0, 20);  // 0-3, 8-11, 16-19
  const std::vector<OverlapInterval> with_itself = shared(cyclic, cyclic.dense());
  ASSERT_EQ(with_itself.size(), 1U);
  EXPECT_EQ(with_itself[0].length, 12);
  const std::vector<OverlapInterval> with_range = shared(cyclic, IndexSet(Range{2, 17}));
  ASSERT_EQ(with_range.size(), 3U);
  EXPECT_EQ(with_range[1].from, 4);
  EXPECT_EQ(with_range[1].to, 8 - 2 + 0);
  EXPECT_EQ(with_range[2].length, 1);
  EXPECT_EQ(count_shared(cyclic, IndexSet(Range{2, 17})), 7);
}

TEST(IndexSet, SlicesByNumberOfIndices) {
  const IndexSet slice = local_indices({4, 0, 2, 4}, 0, 0, 20).slice(3, 6);
  ASSERT_EQ(slice.intervals().size(), 2U);
  EXPECT_EQ(slice.intervals()[0].begin, 3);
  EXPECT_EQ(slice.intervals()[1].begin, 8);
  EXPECT_EQ(slice.intervals()[1].position, 1);
  EXPECT_EQ(slice.size(), 3);
}

TEST(BlockIn, FindsWhatStandsTogether) {
  const Arrangement a = arrangement(block_cyclic(20, 12, 2, 2, 3, Rank{0}), 6);
  for (std::size_t r = 0; r < 6; ++r) {
    const Patch& mine = a.of_rank[r].front();
    EXPECT_TRUE(stored_block(a.of_rank[r], dense_patch(mine.rows, mine.columns)).has_value());
  }
  EXPECT_FALSE(stored_block(a.of_rank[0], dense_patch(IndexSet(Range{0, 4}), IndexSet(Range{0, 2})))
                   .has_value());
  const auto turned = transposed(a);
  const auto found =
      stored_block(turned.of_rank[0], dense_patch(IndexSet(Range{6, 8}), IndexSet(Range{0, 2})));
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->row_major);
  EXPECT_EQ(found->offset, 2 * a.of_rank[0].front().leading);
}

TEST(BlockGrid, StoresBlocksOneAfterAnother) {
  BlockGrid grid;
  grid.row_cuts = {0, 2, 5};
  grid.column_cuts = {0, 3, 3, 4};
  grid.owners = {Rank{1}, Rank{0}, Rank{0}, Rank{0}, Rank{1}, Rank{1}};
  EXPECT_EQ(array_words(grid, Rank{0}), Words(9));
  EXPECT_EQ(array_words(grid, Rank{1}), Words(11));
  const Arrangement a = arrangement(grid, 2);
  ASSERT_EQ(a.of_rank[1].size(), 3U);
  EXPECT_EQ(a.of_rank[1][1].offset, 6);
  EXPECT_EQ(a.of_rank[1][2].offset, 8);
}

using Element = std::pair<std::int64_t, std::int64_t>;

// Where each element is, dealt out one by one: to which ranks, and where in their arrays.
std::map<std::pair<Rank, Element>, std::int64_t> dealt_out(const BlockCyclic& layout) {
  std::map<std::pair<Rank, Element>, std::int64_t> places;
  for (std::int64_t row = 0; row < layout.rows; ++row) {
    for (std::int64_t column = 0; column < layout.columns; ++column) {
      const std::int64_t i = layout.first_row + row;
      const std::int64_t j = layout.first_column + column;
      const int position = layout.down.owner(i) * layout.across.processes + layout.across.owner(j);
      places[{layout.ranks[static_cast<std::size_t>(position)], {row, column}}] =
          layout.down.local(i) + layout.leading * layout.across.local(j);
    }
  }
  return places;
}

std::map<std::pair<Rank, Element>, std::int64_t> dealt_out(const BlockGrid& layout) {
  std::map<std::pair<Rank, Element>, std::int64_t> places;
  std::map<Rank, std::int64_t> used;
  const std::size_t down = layout.row_cuts.size() - 1;
  for (std::size_t block = 0; block < layout.owners.size(); ++block) {
    const Rank owner = layout.owners[block];
    for (std::int64_t c = layout.column_cuts[block / down];
         c < layout.column_cuts[block / down + 1]; ++c) {
      for (std::int64_t r = layout.row_cuts[block % down]; r < layout.row_cuts[block % down + 1];
           ++r) {
        places[{owner, {r, c}}] = used[owner]++;
      }
    }
  }
  return places;
}

TEST(ForEachElement, IsWhatDealingOutGives) {
  Dice dice(1);
  std::int64_t cyclic = 0;
  std::int64_t grids = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const int ranks = static_cast<int>(dice.between(1, 7));
    const Layout layout =
        random_layout(dice, dice.between(0, 25), dice.between(0, 25), ranks, Rank{0});
    const auto expected = std::visit([](const auto& l) { return dealt_out(l); }, layout);
    (std::holds_alternative<BlockCyclic>(layout) ? cyclic : grids) +=
        static_cast<std::int64_t>(expected.size());
    std::map<std::pair<Rank, Element>, std::int64_t> found;
    for (int r = 0; r < ranks; ++r) {
      for_each_element(layout, Rank{r},
                       [&](std::int64_t row, std::int64_t column, std::int64_t at) {
                         EXPECT_TRUE(found.insert({{Rank{r}, {row, column}}, at}).second);
                       });
    }
    EXPECT_EQ(found, expected);
  }
  EXPECT_GT(cyclic, 1000);
  EXPECT_GT(grids, 1000);
}

TEST(FilledArray, HasZerosBesidesTheMatrix) {
  BlockCyclic layout = block_cyclic(5, 4, 2, 2, 1, Rank{0});
  layout.leading = 4;  // one more than needed
  EXPECT_EQ(filled_array<int>(layout, Rank{0}, [](auto i, auto j) { return 1 + i + 10 * j; }),
            (std::vector<int>{1, 2, 5, 0, 11, 12, 15, 0, 21, 22, 25, 0, 31, 32, 35, 0}));
  EXPECT_TRUE(filled_array<int>(layout, Rank{2}, [](auto, auto) { return 1; }).empty());
}

}  // namespace
}  // namespace redblue::layout
