// SPDX-License-Identifier: BSD-3-Clause
// Factors' columns by their owners, element by element; which updates take them so.
#include "linalg/symmetric/column_order.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "decomposition/ownership.hpp"
#include "linalg/symmetric/triangle_update.hpp"

namespace redblue::linalg {
namespace {

layout::Arrangement on_grid(std::int64_t n, std::int64_t k, std::int64_t block, int rows,
                            int columns) {
  return layout::arrangement(block_cyclic(n, k, block, rows, columns, Rank(0)), rows * columns);
}

// The columns of a factor by rank and place in its array; of the rank's first row.
std::map<std::int64_t, std::int64_t> by_place(const std::vector<layout::Patch>& patches) {
  std::map<std::int64_t, std::int64_t> columns;
  layout::for_each_element(patches,
                           [&](auto, auto column, auto place) { columns[place] = column; });
  return columns;
}

TEST(ColumnsByOwner, AreTheSameColumnsInAnotherOrder) {
  for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 3}, {3, 1}, {2, 3}, {4, 2}}) {
    for (const std::int64_t k : {1, 10, 61, 200}) {
      const layout::Arrangement factor = on_grid(17, k, 4, rows, columns);
      const auto ordered = columns_by_owner({factor});
      ASSERT_TRUE(ordered);
      std::map<std::int64_t, std::int64_t> number;  // of each column, the same on all ranks
      for (std::size_t r = 0; r < factor.of_rank.size(); ++r) {
        const auto before = by_place(factor.of_rank[r]);
        const auto after = by_place(ordered->front().of_rank[r]);
        ASSERT_EQ(before.size(), after.size());
        for (const auto& [place, column] : before) {
          const auto found = number.emplace(column, after.at(place)).first;
          EXPECT_EQ(found->second, after.at(place)) << "column " << column;
        }
      }
      std::set<std::int64_t> numbers;
      for (const auto& [column, n] : number) numbers.insert(n);
      EXPECT_EQ(numbers.size(), static_cast<std::size_t>(k));
      EXPECT_EQ(*numbers.begin(), 0);
      EXPECT_EQ(*numbers.rbegin(), k - 1);
    }
  }
}

// Even parts of k, one for each rank, hold hardly a column that the rank has not.
TEST(ColumnsByOwner, RanksHaveTheirParts) {
  const std::int64_t k = 1000, block = 8;
  const layout::Arrangement factor = on_grid(32, k, block, 2, 3);
  const auto ordered = columns_by_owner({factor});
  ASSERT_TRUE(ordered);
  for (std::size_t r = 0; r < 6; ++r) {
    const layout::IndexSet part(round_of({0, k}, static_cast<std::int64_t>(r), 6));
    const auto& mine = ordered->front().of_rank[r].front().columns;
    EXPECT_GE(count_shared(mine, part), part.size() - 2 * block);
  }
}

TEST(ColumnsByOwner, NothingWhereTheyAreNoPartition) {
  layout::Arrangement factor = on_grid(16, 40, 4, 1, 2);
  factor.of_rank[1].push_back(factor.of_rank[0].front());
  EXPECT_FALSE(columns_by_owner({factor}));
  const layout::Arrangement other = on_grid(16, 40, 8, 1, 2);
  EXPECT_FALSE(columns_by_owner({on_grid(16, 40, 4, 1, 2), other}));
  // one rank has half of the rows, two share the others
  layout::Arrangement overlaps{16, 40, {}};
  for (const auto& [rows, columns] : {std::pair{Range{0, 8}, Range{0, 40}},
                                      {Range{8, 16}, Range{0, 20}},
                                      {Range{8, 16}, Range{20, 40}}}) {
    overlaps.of_rank.push_back(
        {layout::dense_patch(layout::IndexSet(rows), layout::IndexSet(columns))});
  }
  EXPECT_FALSE(columns_by_owner({overlaps}));
}

std::string chosen(const SyrkShape& shape, int rows, int columns, std::int64_t block) {
  SyrkLayouts layouts;
  layouts.a = block_cyclic(shape.n, shape.k, block, rows, columns, Rank(0));
  layouts.c = block_cyclic(shape.n, shape.n, block, rows, columns, Rank(0));
  TriangleSetup setup = setup_of(layouts, rows * columns);
  decompose(setup, {shape, rows * columns, {}, Objective::words, {}});
  return name_of(setup);
}

// Where ranks have columns of A, sums move less than A does, unless C is large.
TEST(SyrkPlan, RanksMultiplyTheColumnsThatTheyHave) {
  EXPECT_EQ(chosen({256, 20000}, 1, 3, 16), "k cut 3 ways, columns by owner");
  EXPECT_EQ(chosen({1200, 1200}, 1, 3, 100), "k cut 3 ways, columns by owner");
  EXPECT_EQ(chosen({600, 4000}, 2, 3, 100), "k cut 6 ways, columns by owner");
  EXPECT_EQ(chosen({2000, 300}, 1, 4, 32), "C in place");
  // too few columns for all ranks
  EXPECT_EQ(chosen({1000, 1}, 1, 2, 64), "C in place");
}

}  // namespace
}  // namespace redblue::linalg
