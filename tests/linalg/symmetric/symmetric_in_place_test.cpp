// SPDX-License-Identifier: BSD-3-Clause
// What ranks form of a symmetric matrix where it lies, against going through all of its elements.
#include "linalg/symmetric/symmetric_in_place.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "linalg/plan/caller_layouts.hpp"

namespace redblue {

using namespace linalg;

namespace {

struct Case {
  std::int64_t n;
  BlockCyclic layout;
};

// Square blocks on square and other grids, blocks that are not square, and other first blocks.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::int64_t n : {1, 7, 40, 61}) {
    for (const auto& [down, across] : {std::pair{1, 1}, {2, 2}, {3, 2}, {1, 4}, {5, 1}}) {
      for (const std::int64_t block : {3, 8}) {
        BlockCyclic l = block_cyclic(n, n, block, down, across, Rank{0});
        all.push_back({n, l});
        l.across.block = 5;
        all.push_back({n, l});
        l.down.source = down - 1;
        l.leading = n + 3;
        all.push_back({n, l});
      }
    }
  }
  return all;
}

using Element = std::pair<std::int64_t, std::int64_t>;

// Of the rank, in the order of its panel.
std::vector<std::int64_t> panel_rows(const layout::Arrangement& panels, std::size_t rank) {
  std::map<std::int64_t, std::int64_t> at;
  layout::for_each_element(panels.of_rank[rank],
                           [&](auto row, auto, auto place) { at[place] = row; });
  std::vector<std::int64_t> rows;
  for (const auto& [place, row] : at) {
    EXPECT_EQ(place, static_cast<std::int64_t>(rows.size()));
    rows.push_back(row);
  }
  return rows;
}

void check(const layout::Arrangement& c, bool gathered) {
  ASSERT_TRUE(can_stay(c));
  const layout::Arrangement panels = panels_in_place(c, 1, {0, 1});
  for (std::size_t r = 0; r < c.of_rank.size(); ++r) {
    std::map<Element, std::int64_t> wanted;
    std::set<std::int64_t> needed;
    layout::for_each_element(c.of_rank[r], [&](auto row, auto column, auto place) {
      needed.insert({row, column});
      if (row >= column) wanted[{row, column}] = place;
    });
    const std::vector<std::int64_t> rows = panel_rows(panels, r);
    EXPECT_EQ(std::set<std::int64_t>(rows.begin(), rows.end()), needed);
    EXPECT_EQ(rows.size(), needed.size());
    std::map<Element, std::int64_t> formed;
    std::int64_t work = 0;
    for (const layout::Patch& held : c.of_rank[r]) {
      const std::vector<SymmetricBlock> blocks = blocks_in_place(held, gathered);
      std::vector<std::int64_t> across;  // what J counts
      if (!gathered) across = rows;
      for (const Range& range : gathered ? rows_of_columns(held) : std::vector<Range>()) {
        for (std::int64_t at = range.begin; at < range.end; ++at)
          across.push_back(rows[static_cast<std::size_t>(at)]);
      }
      work = work_of(blocks);
      for (const SymmetricBlock& f : blocks) {
        for (std::int64_t y = 0; y < f.columns; ++y) {
          for (std::int64_t x = f.diagonal ? y : 0; x < f.rows; ++x) {
            const Element e = {rows[static_cast<std::size_t>(f.i + x)],
                               across[static_cast<std::size_t>(f.j + y)]};
            const layout::StoredBlock& p = f.place;
            EXPECT_FALSE(formed.contains(e));
            formed[e] = p.offset + (p.row_major ? y + x * p.leading : x + y * p.leading);
          }
        }
      }
    }
    EXPECT_EQ(formed, wanted);
    EXPECT_EQ(work, static_cast<std::int64_t>(wanted.size()));
  }
}

TEST(SymmetricInPlace, FormsEveryElementOnce) {
  for (const auto& [n, l] : cases()) {
    const layout::Arrangement c = layout::arrangement(l, l.down.processes * l.across.processes);
    for (const bool gathered : {false, true}) {
      check(c, gathered);
      check(layout::transposed(c), gathered);
    }
  }
}

TEST(SymmetricInPlace, CountsRowsThatAreNotAtHand) {
  constexpr std::int64_t k = 9;
  std::int64_t all = 0;
  for (const auto& [n, l] : cases()) {
    const int ranks = l.down.processes * l.across.processes;
    const layout::Arrangement c = layout::arrangement(l, ranks);
    const layout::Arrangement a = layout::arrangement(
        block_cyclic(n, k, 4, l.down.processes, l.across.processes, Rank{0}), ranks);
    const layout::Arrangement panels = panels_in_place(c, k, {0, k});
    std::int64_t most = 0;
    for (std::size_t r = 0; r < c.of_rank.size(); ++r) {
      std::set<Element> missing;
      layout::for_each_element(panels.of_rank[r], [&](auto row, auto column, auto) {
        missing.insert({row, column});
      });
      layout::for_each_element(a.of_rank[r], [&](auto row, auto column, auto) {
        missing.erase({row, column});
      });
      most = std::max(most, static_cast<std::int64_t>(missing.size()));
    }
    EXPECT_EQ(words_in_place(c, {a}), most);
    all += most;
  }
  EXPECT_GT(all, 0);
}

bool pays(std::int64_t n, std::int64_t k, int down, int across, std::int64_t block) {
  const int ranks = down * across;
  const layout::Arrangement c =
      layout::arrangement(block_cyclic(n, n, block, down, across, Rank{0}), ranks);
  const layout::Arrangement a =
      layout::arrangement(block_cyclic(n, k, block, down, across, Rank{0}), ranks);
  return pays_in_place(choose_syrk({{n, k}, ranks, {}, Objective::words, {}}), c, {a});
}

TEST(SymmetricInPlace, PaysWhereCIsLargeAndSpreadEvenly) {
  for (const auto& [down, across] : {std::pair{2, 2}, {4, 4}, {8, 8}}) {
    EXPECT_TRUE(pays(4000, 64, down, across, 64));
    EXPECT_FALSE(pays(400, 40000, down, across, 64));
  }
  EXPECT_FALSE(pays(4000, 64, 1, 1, 64));    // nothing moves
  EXPECT_FALSE(pays(4000, 64, 4, 4, 1000));  // who is above the diagonal has nothing to do
  EXPECT_FALSE(pays(40, 2, 2, 2, 64));       // one rank has all of C
}

}  // namespace
}  // namespace redblue
