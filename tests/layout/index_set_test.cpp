// SPDX-License-Identifier: BSD-3-Clause
// Sets of indices against maps from index to position, element by element.
#include "layout/index_set.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace redblue::layout {
namespace {

using Positions = std::map<std::int64_t, std::int64_t>;

Positions positions(const IndexSet& set) {
  Positions result;
  std::int64_t after = -1;
  for (const Interval& i : set.intervals()) {
    EXPECT_LT(i.begin, i.end);
    EXPECT_GT(i.begin, after) << "ascending";
    for (std::int64_t x = i.begin; x < i.end; ++x) result[x] = i.position + x - i.begin;
    after = i.end - 1;
  }
  EXPECT_EQ(set.size(), static_cast<std::int64_t>(result.size()));
  EXPECT_EQ(set.empty(), result.empty());
  return result;
}

// Gaps between indices, between positions, and neither.
IndexSet random_set(std::mt19937& engine) {
  std::vector<Interval> intervals;
  std::int64_t index = static_cast<std::int64_t>(engine() % 4);
  std::int64_t position = static_cast<std::int64_t>(engine() % 3);
  const std::size_t count = engine() % 9;
  for (std::size_t i = 0; i < count; ++i) {
    const auto length = static_cast<std::int64_t>(engine() % 5);  // may be empty
    intervals.push_back({index, index + length, position});
    index += length + static_cast<std::int64_t>(engine() % 4);
    position += length + (engine() % 2 == 0 ? 0 : static_cast<std::int64_t>(engine() % 3));
  }
  return IndexSet(std::move(intervals));
}

template <class F>
void for_random_sets(F f) {
  std::mt19937 engine(17);
  int shared = 0;
  for (int turn = 0; turn < 400; ++turn) {
    const IndexSet a = random_set(engine);
    const IndexSet b = random_set(engine);
    shared += f(a, b, engine) ? 1 : 0;
  }
  EXPECT_GT(shared, 100) << "sets that say something";
}

TEST(IndexSet, SlicesAndDenseSetsCountPositionsFromZero) {
  for_random_sets([](const IndexSet& a, const IndexSet&, std::mt19937& engine) {
    const Positions all = positions(a);
    const auto begin = static_cast<std::int64_t>(engine() % 8);
    const auto end = begin + static_cast<std::int64_t>(engine() % 12);
    Positions wanted;
    std::vector<std::int64_t> indices;
    std::int64_t number = 0;
    for (const auto& [index, position] : all) {
      if (number >= begin && number < end) wanted[index] = number - begin;
      indices.push_back(index);
      ++number;
    }
    EXPECT_EQ(positions(a.slice(begin, end)), wanted);
    EXPECT_EQ(positions(a.dense()), positions(dense_set(indices)));
    return !wanted.empty();
  });
}

TEST(IndexSet, WithinAndWithoutKeepPositions) {
  for_random_sets([](const IndexSet& a, const IndexSet& b, std::mt19937& engine) {
    const auto begin = static_cast<std::int64_t>(engine() % 10);
    const Range range = {begin, begin + static_cast<std::int64_t>(engine() % 15)};
    const Positions of_b = positions(b);
    Positions inside;
    Positions outside;
    for (const auto& [index, position] : positions(a)) {
      if (index >= range.begin && index < range.end) inside[index] = position;
      if (!of_b.contains(index)) outside[index] = position;
    }
    EXPECT_EQ(positions(within(a, range)), inside);
    EXPECT_EQ(positions(without(a, b)), outside);
    return !inside.empty() && !outside.empty();
  });
}

TEST(IndexSet, IntersectionsAreWhatBothHave) {
  for_random_sets([](const IndexSet& a, const IndexSet& b, std::mt19937&) {
    const Positions of_b = positions(b);
    Positions both;
    for (const auto& [index, position] : positions(a)) {
      if (of_b.contains(index)) both.emplace(index, static_cast<std::int64_t>(both.size()));
    }
    EXPECT_EQ(positions(intersection(a, b)), both);
    EXPECT_EQ(count_shared(a, b), static_cast<std::int64_t>(both.size()));
    EXPECT_EQ(count_shared(b, a), static_cast<std::int64_t>(both.size()));
    return !both.empty();
  });
}

// Each index that both have once, at its two positions, in as few pieces as can be.
TEST(IndexSet, SharedPiecesAreAsLongAsBothSidesFollow) {
  for_random_sets([](const IndexSet& a, const IndexSet& b, std::mt19937&) {
    const Positions of_a = positions(a);
    const Positions of_b = positions(b);
    std::vector<std::int64_t> both;
    for (const auto& [index, position] : of_a) {
      if (of_b.contains(index)) both.push_back(index);
    }
    for (const bool over_gaps : {true, false}) {
      std::size_t next = 0;
      std::size_t breaks = 0;  // where a new piece must begin
      for (std::size_t i = 0; i < both.size(); ++i) {
        const bool follows = i > 0 && of_a.at(both[i]) == of_a.at(both[i - 1]) + 1 &&
                             of_b.at(both[i]) == of_b.at(both[i - 1]) + 1 &&
                             (over_gaps || both[i] == both[i - 1] + 1);
        breaks += follows ? 0 : 1;
      }
      const std::vector<OverlapInterval> pieces = shared(a, b, over_gaps);
      EXPECT_EQ(pieces.size(), breaks);
      for (const OverlapInterval& p : pieces) {
        EXPECT_EQ(p.index, next < both.size() ? both[next] : -1);
        for (std::int64_t i = 0; i < p.length && next < both.size(); ++i, ++next) {
          EXPECT_EQ(p.from + i, of_a.at(both[next]));
          EXPECT_EQ(p.to + i, of_b.at(both[next]));
        }
      }
      EXPECT_EQ(next, both.size());
    }
    return !both.empty();
  });
}

}  // namespace
}  // namespace redblue::layout
