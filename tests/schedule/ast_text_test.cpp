// SPDX-License-Identifier: BSD-3-Clause
// Loops over times as C.
#include "schedule/codegen/ast_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace redblue::test {
namespace {

using schedule::codegen::Lines;
using schedule::codegen::LoopText;
using schedule::codegen::Reached;

std::string written(const std::string& times, std::vector<std::string> names) {
  LoopText loops;
  loops.times = isl::union_map(program::context(), times);
  loops.names = std::move(names);
  loops.write = [](const Reached& reached, Lines& lines) {
    std::string text = reached.name + "(";
    for (std::size_t c = 0; c < reached.coordinates.size(); ++c)
      text += (c == 0 ? "" : ", ") + reached.coordinates[c];
    lines.add(text + ");");
  };
  Lines lines;
  write_loops(loops, lines);
  return lines.text();
}

// An innermost loop tests nothing at every step: its first step is written by itself.
TEST(WrittenLoops, RunStatementsOfTheFirstStepBeforeTheOthers) {
  EXPECT_EQ(written("[N] -> { First[i, j] -> [i, j, 0] : 0 <= i, j < N;"
                    "         Start[i] -> [i, 0, 1] : 0 <= i < N;"
                    "         Second[i, j] -> [i, j, 2] : 0 <= i, j < N }",
                    {"i", "j", "place"}),
            "for (int i = 0; i < N; i++) {\n"
            "  First(i, 0);\n"
            "  Start(i);\n"
            "  Second(i, 0);\n"
            "  for (int j = 1; j < N; j++) {\n"
            "    First(i, j);\n"
            "    Second(i, j);\n"
            "  }\n"
            "}\n");
}

TEST(WrittenLoops, AskOutsideOfInnermostLoopsWhatTheirStepsHaveInCommon) {
  EXPECT_EQ(written("[N] -> { Copy[j] -> [0, j, 0] : 0 <= j < N;"
                    "         Add[i, j] -> [i, j, 1] : 0 <= i <= j < N }",
                    {"i", "j", "place"}),
            "for (int i = 0; i < N; i++) {\n"
            "  if (i >= 1) {\n"
            "    for (int j = i; j < N; j++) {\n"
            "      Add(i, j);\n"
            "    }\n"
            "  }\n"
            "  else {\n"
            "    for (int j = 0; j < N; j++) {\n"
            "      Copy(j);\n"
            "      Add(0, j);\n"
            "    }\n"
            "  }\n"
            "}\n");
}

// Each of ten statements with a range of its own would take ten loops of up to ten statements.
TEST(WrittenLoops, KeepTestsWhereTheTextWouldGrowTooLong) {
  std::string times = "[N] -> { ";
  for (int s = 0; s < 10; ++s) {
    const std::string k = std::to_string(s);
    times += "S" + k + "[j] -> [j, " + k + "] : " + k + " <= j <= N + " + k + "; ";
  }
  const std::string text = written(times + "}", {"j", "place"});
  EXPECT_NE(text.find("if ("), std::string::npos) << text;
}

}  // namespace
}  // namespace redblue::test
