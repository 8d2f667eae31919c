// SPDX-License-Identifier: BSD-3-Clause
// Which arrays each step of a loop may have for itself, so that threads can share its steps.
#include "schedule/bands/private_arrays.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "schedule/kernel_program.hpp"
#include "schedule/order.hpp"
#include "schedule/time_maps.hpp"
#include "temporary_folder.hpp"

namespace redblue::test {
namespace {

using Arrays = std::optional<std::vector<std::string>>;

// Of the outermost loop of a function of n and the array x[n][n] with this region.
Arrays private_in_first_loop(const std::string& region, std::int64_t n = 100) {
  const std::string file = temporary_folder() + "redblue_private_arrays.c";
  std::ofstream(file) << "void f(int n, double x[n][n]) {\n#pragma scop\n"
                      << region << "#pragma endscop\n}\n";
  const program::Program program = read(file);
  // The first two dimensions of a time: the place in the text, the loop's counter.
  const isl::union_map upto = schedule::leading(schedule::times(program), 2);
  return schedule::codegen::private_arrays(program, schedule::one_at_a_time(program), upto,
                                           {{"n", n}});
}

const std::string row_sums =
    "  for (int i = 0; i < n; i++) {\n"
    "    double row[n];\n"
    "    for (int j = 0; j < n; j++) row[j] = x[i][j] * 2;\n"
    "    for (int j = 1; j < n; j++) row[j] += row[j - 1];\n"
    "    for (int j = 0; j < n; j++) x[i][j] = row[j];\n"
    "  }\n";

TEST(PrivateArrays, AreThoseThatEveryStepFillsForItself) {
  EXPECT_EQ(private_in_first_loop(row_sums), Arrays({"row"}));
}

TEST(PrivateArrays, AreNotNeededWhereStepsUseOtherElements) {
  EXPECT_EQ(private_in_first_loop("  for (int i = 0; i < n; i++) {\n"
                                  "    double square[n];\n"
                                  "    square[i] = x[i][i] * x[i][i];\n"
                                  "    x[i][i] = square[i] + 1;\n"
                                  "  }\n"),
            Arrays(std::vector<std::string>{}));
}

// Half of a row comes from the step before.
TEST(PrivateArrays, HoldNothingThatAnotherStepWrote) {
  EXPECT_EQ(private_in_first_loop("  double row[n];\n"
                                  "  for (int j = 0; j < n; j++) row[j] = 0;\n"
                                  "  for (int i = 0; i < n; i++) {\n"
                                  "    for (int j = 0; j < i; j++) row[j] = x[i][j];\n"
                                  "    for (int j = 0; j < n; j++) x[i][j] = row[j] + 1;\n"
                                  "  }\n"),
            std::nullopt);
}

// What is read after the loop, here from its last step.
TEST(PrivateArrays, HoldNothingThatIsReadBehindTheLoop) {
  EXPECT_EQ(private_in_first_loop("  double last;\n"
                                  "  for (int i = 0; i < n; i++) {\n"
                                  "    last = x[i][0];\n"
                                  "    x[i][0] = last * last;\n"
                                  "  }\n"
                                  "  x[0][1] = last;\n"),
            std::nullopt);
}

TEST(PrivateArrays, DoNotHelpWhereOtherArraysHoldTheStepsInOrder) {
  EXPECT_EQ(private_in_first_loop("  for (int i = 1; i < n; i++) {\n"
                                  "    double above;\n"
                                  "    above = x[i - 1][0];\n"
                                  "    x[i][0] = above + 1;\n"
                                  "  }\n"),
            std::nullopt);
}

// Each thread's stack holds one.
TEST(PrivateArrays, AreSmall) {
  EXPECT_EQ(private_in_first_loop(row_sums, 65'535), Arrays({"row"}));
  EXPECT_EQ(private_in_first_loop(row_sums, 100'000), std::nullopt);
}

}  // namespace
}  // namespace redblue::test
