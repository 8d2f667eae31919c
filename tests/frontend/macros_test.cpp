// SPDX-License-Identifier: BSD-3-Clause
// Macros of a region whose text says something else in another order.
#include "frontend/c/macros.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "frontend/read.hpp"
#include "temporary_folder.hpp"

namespace redblue::test {
namespace {

// Of x[i] = .. in the loop i, y and n being constants.
std::string hidden(const std::string& macros, const std::string& value) {
  const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string file = temporary_folder() + "redblue_" + test + ".c";
  std::ofstream(file) << macros << "\nvoid f(int n, double x[n + 1], double y[n + 1]) {\n"
                      << "#pragma scop\n  for (int i = 1; i < n; i++) x[i] = " << value
                      << ";\n#pragma endscop\n}\n";
  BoundRequest request;
  request.file = file;
  return frontend::c::hidden_by_macros(frontend::read(request));
}

TEST(Macros, ThatNameCountersOrWrittenArraysHideThem) {
  EXPECT_EQ(hidden("#define L x[i - 1]", "0.3 * L"),
            "the macro 'L' names 'i', which another order may call otherwise");
  EXPECT_EQ(hidden("#define FIRST x[0]", "FIRST + y[i]"),
            "the macro 'FIRST' names 'x', which another order may call otherwise");
  EXPECT_NE(hidden("#define AT (y[i])\n#define TWICE \\\n  (2 * AT)", "TWICE"), "");
  EXPECT_EQ(hidden("#define Y y[0]", "Y + y[i]"), "");
  EXPECT_EQ(hidden("#define SQUARE(x) ((x) * (x))", "SQUARE(y[i])"), "");
  EXPECT_EQ(hidden("#define UNUSED x[i]", "y[i]"), "");
}

TEST(Macros, ThatStandForSumsWithoutParenthesesDo) {
  EXPECT_EQ(hidden("#define K 1 + 1", "K * y[i]"),
            "the macro 'K' stands for '1 + 1' without parentheses");
  for (const std::string fine : {"(1 + 1)", "2", "-2.5e-3", "0x10", "", "n", "(double)(3)"})
    EXPECT_EQ(hidden("#define K " + fine, fine.empty() ? "y[i] K" : "K * y[i]"), "") << fine;
  EXPECT_EQ(hidden("#define LAST n - 1", "y[LAST] + y[i]"), "");
}

}  // namespace
}  // namespace redblue::test
