// SPDX-License-Identifier: BSD-3-Clause
// Rows that are still to be eliminated, against a list of rows that pivots are struck from.
#include "linalg/lu/active_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace redblue::linalg {
namespace {

// Rows by class, dealt out one by one.
std::vector<std::vector<std::int64_t>> dealt(const CyclicClasses& rows) {
  std::vector<std::vector<std::int64_t>> classes(static_cast<std::size_t>(rows.classes));
  for (std::int64_t row = 0; row < rows.extent; ++row) {
    classes[static_cast<std::size_t>(row / rows.block % rows.classes)].push_back(row);
  }
  return classes;
}

struct Storage {
  CyclicClasses rows;
  int first, stride;
};

// With one class, one class of several, and several classes that are `stride` apart; with last
// blocks that are not full and classes that have none.
std::vector<Storage> storages() {
  std::vector<Storage> all;
  for (const std::int64_t extent : {0, 1, 7, 40, 61}) {
    for (const std::int64_t block : {1, 4, 16}) {
      for (const auto& [classes, stride] : {std::pair{1, 1}, {3, 3}, {4, 2}, {6, 2}, {6, 3}}) {
        for (int first = 0; first < stride; ++first) {
          all.push_back({{extent, block, classes}, first, stride});
        }
      }
    }
  }
  return all;
}

TEST(ActiveRows, AtFirstAreTheRowsOfTheirClassesInOrder) {
  for (const auto& [rows, first, stride] : storages()) {
    ActiveRows active(rows, first, stride);
    active.reset();
    const auto classes = dealt(rows);
    ASSERT_EQ(active.sections(), (rows.classes - first + stride - 1) / stride);
    std::int64_t start = 0;
    for (int s = 0; s < active.sections(); ++s) {
      const auto& wanted = classes[static_cast<std::size_t>(first + s * stride)];
      EXPECT_EQ(active.start(s), start);
      EXPECT_EQ(active.rows(s), wanted);
      EXPECT_EQ(active.count(s), static_cast<std::int64_t>(wanted.size()));
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_EQ(active.class_of(wanted[i]), first + s * stride);
        EXPECT_EQ(active.position(wanted[i]), static_cast<std::int64_t>(i));
        EXPECT_EQ(active.storage_row(wanted[i]), start + static_cast<std::int64_t>(i));
      }
      start += static_cast<std::int64_t>(wanted.size());
    }
    EXPECT_EQ(active.extent(), start);
    EXPECT_GE(active.leading(), std::max<std::int64_t>(1, start));
    for (std::int64_t row = 0; row < rows.extent; ++row) {
      EXPECT_EQ(active.holds(row), row / rows.block % rows.classes % stride == first);
    }
  }
}

// What is stored of each segment after pivots were struck from a list.
void expect_rows(const ActiveRows& active, const std::vector<std::vector<std::int64_t>>& classes,
                 const Storage& storage, const std::set<std::int64_t>& gone,
                 const std::vector<std::int64_t>& column) {
  for (int s = 0; s < active.sections(); ++s) {
    std::set<std::int64_t> left;
    for (const std::int64_t row :
         classes[static_cast<std::size_t>(storage.first + s * storage.stride)]) {
      if (!gone.contains(row)) left.insert(row);
    }
    const std::vector<std::int64_t>& rows = active.rows(s);
    EXPECT_EQ(rows.size(), left.size());
    EXPECT_EQ(std::set<std::int64_t>(rows.begin(), rows.end()), left);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::int64_t place = active.start(s) + static_cast<std::int64_t>(i);
      EXPECT_EQ(active.storage_row(rows[i]), place);
      EXPECT_EQ(column[static_cast<std::size_t>(place)], rows[i]) << "a column's gaps are closed";
    }
    EXPECT_EQ(active.runs()[static_cast<std::size_t>(s)].start, active.start(s));
    EXPECT_EQ(active.runs()[static_cast<std::size_t>(s)].count, active.count(s));
  }
}

// All rows are retired, a few at a time; a column that holds the rows' numbers follows.
TEST(ActiveRows, CloseTheGapsThatPivotsLeave) {
  std::mt19937 engine(3);
  std::int64_t retired = 0;
  for (const Storage& storage : storages()) {
    const auto classes = dealt(storage.rows);
    ActiveRows active(storage.rows, storage.first, storage.stride);
    std::vector<std::int64_t> order(static_cast<std::size_t>(storage.rows.extent));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
    for (int time = 0; time < 2; ++time) {
      active.reset();
      std::vector<std::int64_t> column(static_cast<std::size_t>(active.extent()), -1);
      for (int s = 0; s < active.sections(); ++s) {
        std::copy(active.rows(s).begin(), active.rows(s).end(), column.begin() + active.start(s));
      }
      std::shuffle(order.begin(), order.end(), engine);
      std::set<std::int64_t> gone;
      for (auto next = order.begin(); next != order.end();) {
        const auto count = std::min<std::ptrdiff_t>(1 + engine() % 9, order.end() - next);
        const std::vector<std::int64_t> pivots(next, next + count);
        next += count;
        const std::vector<std::int64_t> before = column;
        active.retire(pivots);
        active.close_gaps(column.data());
        gone.insert(pivots.begin(), pivots.end());
        std::ptrdiff_t moved = 0;
        for (std::size_t i = 0; i < column.size(); ++i) moved += column[i] != before[i] ? 1 : 0;
        EXPECT_LE(moved, count) << "no row moves that need not";
        expect_rows(active, classes, storage, gone, column);
        retired += count;
      }
    }
  }
  EXPECT_GT(retired, 1000);
}

}  // namespace
}  // namespace redblue::linalg
