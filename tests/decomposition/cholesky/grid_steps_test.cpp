// SPDX-License-Identifier: BSD-3-Clause
// What ranks need in the steps of a factorization in place, against the elements they update.
#include "decomposition/cholesky/grid_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "redblue/lower_bound.hpp"

namespace redblue {
namespace {

CholeskyDecomposition on_grid(std::int64_t n, std::int64_t block, int rows, int columns) {
  CholeskyDecomposition d;
  d.n = n;
  d.ranks = rows * columns;
  d.block = block;
  d.grid_rows = rows;
  d.grid_columns = columns;
  return d;
}

// Rows of L(:, K) that the rank's updates in a step read, as the element (i, j)'s row i and row j.
struct Read {
  std::set<std::int64_t> rows, columns;
};

Read read(const CholeskyDecomposition& d, int row, int column, std::int64_t step) {
  Read all;
  for (std::int64_t j = (step + 1) * d.block; j < d.n; ++j) {
    if (j / d.block % d.grid_columns != column) continue;
    for (std::int64_t i = j / d.block * d.block; i < d.n; ++i) {
      if (i / d.block % d.grid_rows != row) continue;
      all.rows.insert(i);
      all.columns.insert(j);
    }
  }
  return all;
}

// Rows of the row's class, of those, and of another row's class.
std::int64_t of_row(const CholeskyDecomposition& d, const std::set<std::int64_t>& indices,
                    int row) {
  return std::count_if(indices.begin(), indices.end(),
                       [&](std::int64_t i) { return i / d.block % d.grid_rows == row; });
}

TEST(CholeskyGridSteps, RanksNeedWhatTheirUpdatesRead) {
  for (const auto& [rows, columns] :
       {std::pair{1, 1}, {1, 4}, {4, 1}, {2, 2}, {2, 3}, {4, 2}, {3, 3}, {6, 4}}) {
    for (const std::int64_t block : {3, 8}) {
      const CholeskyDecomposition d = on_grid(61, block, rows, columns);
      const CholeskyGridSteps steps(d);
      for (std::int64_t k = 0; k < steps.count(); ++k) {
        for (int s = 0; s < rows; ++s) {
          for (int q = 0; q < columns; ++q) {
            const Read wanted = read(d, s, q, k);
            EXPECT_EQ(steps.rows_needed(s, q, k).size(),
                      static_cast<std::int64_t>(wanted.rows.size()))
                << d.name() << ", step " << k << ", rank " << s << ", " << q;
            for (int other = 0; other < rows; ++other) {
              const Range blocks = steps.columns_needed(s, q, other, k);
              EXPECT_EQ(steps.height(blocks), of_row(d, wanted.columns, other))
                  << d.name() << ", step " << k << ", rank " << s << ", " << q << " of " << other;
            }
          }
        }
      }
    }
  }
}

// One for each element on or below the diagonal and each column before it.
TEST(CholeskyGridSteps, WorkIsThatOfTheBusiestRank) {
  for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 3}, {2, 2}, {3, 2}}) {
    const CholeskyDecomposition d = on_grid(50, 7, rows, columns);
    std::vector<double> work(static_cast<std::size_t>(rows * columns));
    std::vector<double> updates(work.size());
    double all = 0;
    for (std::int64_t j = 0; j < d.n; ++j) {
      for (std::int64_t i = j; i < d.n; ++i) {
        const auto rank = i / d.block % rows * columns + j / d.block % columns;
        work[static_cast<std::size_t>(rank)] += static_cast<double>(j);
        if (i > j) {
          updates[static_cast<std::size_t>(rank)] += static_cast<double>(j / d.block * d.block);
          all += static_cast<double>(j / d.block * d.block);
        }
      }
    }
    const double busiest = *std::max_element(work.begin(), work.end());
    EXPECT_DOUBLE_EQ(cost_of(d, {}).work, busiest) << d.name();
    const double most = *std::max_element(updates.begin(), updates.end());
    EXPECT_DOUBLE_EQ(updates_in_place(d), most) << d.name();
    EXPECT_GE(most * d.ranks, all);
    EXPECT_LE(lower_bound(d), static_cast<double>(cost_of(d, {}).words.value));
  }
}

}  // namespace
}  // namespace redblue
