// SPDX-License-Identifier: BSD-3-Clause
// What arrangements say of whole ranks, against going through their elements.
#include "layout/arrangement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace redblue::layout {
namespace {

using Element = std::pair<std::int64_t, std::int64_t>;

std::vector<Arrangement> arrangements() {
  std::vector<Arrangement> all;
  for (const auto& [rows, columns] : {std::pair{1, 1}, {13, 7}, {9, 20}, {24, 24}}) {
    BlockCyclic l = block_cyclic(rows, columns, 3, 2, 3, Rank{0});
    l.leading = rows + 4;
    all.push_back(arrangement(l, 6));
    l.down = {4, 1, 2, 2};
    l.across.block = 5;
    l.first_row = 3;
    l.first_column = 6;
    l.leading = rows + 9;
    all.push_back(arrangement(l, 6));
    BlockGrid grid;
    grid.row_cuts = {0, rows / 3, rows / 3, rows};
    grid.column_cuts = {0, columns / 2, columns};
    grid.owners = {Rank{3}, Rank{0}, Rank{3}, Rank{1}, Rank{5}, Rank{3}};
    all.push_back(arrangement(grid, 6));
  }
  const std::size_t plain = all.size();
  for (std::size_t i = 0; i < plain; ++i) all.push_back(transposed(all[i]));
  return all;
}

TEST(Arrangement, EveryElementLiesWithOneRankAtAPlaceOfItsOwn) {
  for (const Arrangement& a : arrangements()) {
    std::map<Element, int> held;
    for (const std::vector<Patch>& patches : a.of_rank) {
      std::map<std::int64_t, Element> at;
      for_each_element(patches, [&](auto row, auto column, auto place) {
        ++held[{row, column}];
        EXPECT_TRUE(row >= 0 && row < a.rows && column >= 0 && column < a.columns);
        EXPECT_TRUE(at.emplace(place, Element{row, column}).second) << "two at one place";
      });
    }
    EXPECT_EQ(static_cast<std::int64_t>(held.size()), a.rows * a.columns);
    for (const auto& [element, times] : held) EXPECT_EQ(times, 1);
  }
}

TEST(Arrangement, ExtentsAndCountsAreThoseOfTheElements) {
  for (const Arrangement& a : arrangements()) {
    for (std::size_t r = 0; r < a.of_rank.size(); ++r) {
      std::int64_t lower = 0;
      std::int64_t upper = 0;
      for (const Patch& p : a.of_rank[r]) {
        std::int64_t last = -1;
        for_each_element({p}, [&](auto row, auto column, auto place) {
          last = std::max(last, place);
          lower += row >= column ? 1 : 0;
          upper += row <= column ? 1 : 0;
        });
        EXPECT_EQ(extent(p), last + 1);
      }
      EXPECT_EQ(a.words_on(Rank{static_cast<int>(r)}, Part::lower), lower);
      EXPECT_EQ(a.words_on(Rank{static_cast<int>(r)}, Part::upper), upper);
    }
  }
}

TEST(Arrangement, TransposingExchangesRowsAndColumnsWhereTheyStand) {
  for (const Arrangement& a : arrangements()) {
    const Arrangement turned = transposed(a);
    EXPECT_EQ(turned.rows, a.columns);
    for (std::size_t r = 0; r < a.of_rank.size(); ++r) {
      std::map<Element, std::int64_t> at;
      for_each_element(a.of_rank[r], [&](auto row, auto column, auto place) {
        at[{column, row}] = place;
      });
      std::map<Element, std::int64_t> now;
      for_each_element(turned.of_rank[r], [&](auto row, auto column, auto place) {
        now[{row, column}] = place;
      });
      EXPECT_EQ(now, at);
    }
  }
}

TEST(Arrangement, RestrictedToColumnsKeepsTheirPlaces) {
  for (const Arrangement& a : arrangements()) {
    for (const Range& columns :
         {Range{0, 0}, Range{0, a.columns}, Range{a.columns / 3, a.columns - 1}}) {
      const Arrangement some = restricted(a, columns);
      for (std::size_t r = 0; r < a.of_rank.size(); ++r) {
        std::map<Element, std::int64_t> wanted;
        for_each_element(a.of_rank[r], [&](auto row, auto column, auto place) {
          if (column >= columns.begin && column < columns.end) wanted[{row, column}] = place;
        });
        std::map<Element, std::int64_t> kept;
        for_each_element(some.of_rank[r], [&](auto row, auto column, auto place) {
          kept[{row, column}] = place;
        });
        EXPECT_EQ(kept, wanted);
      }
    }
  }
}

// A block that is found has every wanted element at the place it says; one that is not has none.
TEST(BlockIn, IsWhereItSays) {
  int found = 0;
  int missing = 0;
  for (const Arrangement& a : arrangements()) {
    for (const std::vector<Patch>& patches : a.of_rank) {
      std::map<Element, std::int64_t> at;
      for_each_element(patches, [&](auto row, auto column, auto place) {
        at[{row, column}] = place;
      });
      for (std::int64_t top = 0; top < a.rows; top += 2) {
        for (std::int64_t first = 0; first < a.columns; first += 2) {
          const IndexSet rows(Range{top, std::min(a.rows, top + 3)});
          const IndexSet columns(Range{first, std::min(a.columns, first + 2)});
          const auto block = stored_block(patches, dense_patch(rows, columns));
          std::int64_t shared = 0;
          for_each_element({dense_patch(rows, columns)}, [&](auto row, auto column, auto) {
            const auto place = at.find({row, column});
            shared += place != at.end() ? 1 : 0;
            if (!block || place == at.end()) return;
            const std::int64_t i = row - top;
            const std::int64_t j = column - first;
            EXPECT_EQ(place->second, block->offset + (block->row_major ? j + i * block->leading
                                                                       : i + j * block->leading));
          });
          EXPECT_EQ(count_shared(patches, dense_patch(rows, columns)), shared);
          const bool all = shared == rows.size() * columns.size();
          if (block) {
            EXPECT_TRUE(all);
          }
          found += block ? 1 : 0;
          missing += block ? 0 : 1;
        }
      }
    }
  }
  EXPECT_GT(found, 100);
  EXPECT_GT(missing, 100);
}

}  // namespace
}  // namespace redblue::layout
