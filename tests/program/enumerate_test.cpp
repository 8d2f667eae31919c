// SPDX-License-Identifier: BSD-3-Clause
// Maps evaluated point by point: against isl.
#include "program/enumerate.hpp"

#include <gtest/gtest.h>
#include <isl/cpp.h>

#include <optional>

#include "program/program.hpp"

namespace redblue::test {
namespace {

using Point = std::vector<std::int64_t>;

isl::set point(const Point& at) {
  return isl::set(program::context(),
                  "{ [" + std::to_string(at[0]) + ", " + std::to_string(at[1]) + "] }");
}

// What isl says.
std::optional<Point> value(const isl::map& map, const Point& at) {
  const isl::set image = point(at).apply(map);
  if (image.is_empty()) return std::nullopt;
  std::optional<Point> result;
  program::for_each_point(image, {},
                          [&](program::Coordinates x) { result.emplace(x.begin(), x.end()); });
  return result;
}

// Ranges of one coordinate from both sides and by factors that do not divide, equalities that hold
// at some value and at none, conditions on both coordinates, remainders, several pieces.
TEST(Function, MeetsIsl) {
  for (const char* text : {
           "{ [i, j] -> [i + 2j, 3 - i] : -3 <= 2i <= 9 and -7 <= -3j <= 10 }",
           "{ [i, j] -> [j] : 3i = 6 and j < 4 }",
           "{ [i, j] -> [j] : 3i = 7 and j < 4 }",
           "{ [i, j] -> [j] : -2i = 4 and j > -4 }",
           "{ [i, j] -> [i - j] : i + j <= 3 and i - 2j >= -4 and i >= -2 and j >= -2 }",
           "{ [i, j] -> [floor(i/2), floor((i + 2j)/3)] : i mod 2 = 1 and 0 <= j <= 3 }",
           "{ [i, j] -> [i] : i < 0 and j > 0; [i, j] -> [-j] : i >= 0 and j <= 2; "
           "[i, j] -> [7] : i > 1 and j = 4 }",
       }) {
    const isl::map map(program::context(), text);
    const program::Function function(map, {});
    for (std::int64_t i = -6; i <= 6; ++i) {
      for (std::int64_t j = -6; j <= 6; ++j) {
        const Point at = {i, j};
        const std::optional<Point> expected = value(map, at);
        Point found;
        ASSERT_EQ(function.at(at, found), expected.has_value()) << text << " at " << i << ", " << j;
        if (!expected) continue;
        EXPECT_EQ(found, *expected) << text << " at " << i << ", " << j;
        ASSERT_TRUE(function.inside(at, found));
        EXPECT_EQ(found, *expected);
      }
    }
  }
}

}  // namespace
}  // namespace redblue::test
