// SPDX-License-Identifier: BSD-3-Clause
// Formulas that users write: values, and why there are none.
#include <gtest/gtest.h>

#include <cmath>

#include "redblue/analysis.hpp"
#include "redblue/error.hpp"

namespace redblue {
namespace {

TEST(Formulas, Values) {
  EXPECT_DOUBLE_EQ(Formula("2*N^3/sqrt(S)").at({{"N", 10}, {"S", 25}}), 400);
  EXPECT_DOUBLE_EQ(Formula("floor(N/3) # whole").at({{"N", 11}}), 3);
  EXPECT_DOUBLE_EQ(Formula("ceil(N/3)*2^ceil(log2(N))").at({{"N", 11}}), 64);
  EXPECT_DOUBLE_EQ(Formula("min(N, 7) + max(0, 3 - N)").at({{"N", 11}}), 7);
}

TEST(Formulas, ReadAsWritten) {
  const std::map<std::string, double> values = {{"N", 10}, {"S", 25}};
  EXPECT_DOUBLE_EQ(Formula("-N^2").at(values), -100);
  EXPECT_DOUBLE_EQ(Formula("2^3^2").at(values), 512);
  EXPECT_DOUBLE_EQ(Formula("N - 3 - 2").at(values), 5);
  EXPECT_DOUBLE_EQ(Formula("N/2/5*3").at(values), 3);
  EXPECT_DOUBLE_EQ(Formula("2*-N + 1.5e1").at(values), -5);
  EXPECT_DOUBLE_EQ(Formula("(69/32)^(1/3)*S^(1/2)").at(values), 5 * std::cbrt(69.0 / 32));
  EXPECT_DOUBLE_EQ(Formula("floor((N - 1)/3)").at(values), 3);
  EXPECT_DOUBLE_EQ(Formula("N^-1").at(values), 0.1);
}

TEST(Formulas, Refused) {
  for (const char* formula : {"", "N +", "x", "sqrt(", "1/0", "floor()", "N*sqrt( # no more\n )",
                              "2*N^3/(3*sqrt(S)) - floor()/2(1^/N", "N N", "9^999^999", "2*N*(",
                              "sqrt(N", "1e", "N^(1001)"}) {
    try {
      Formula(formula, {"N", "S"});
      ADD_FAILURE() << formula;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("N, S"), std::string::npos) << e.what();
      EXPECT_EQ(std::string(e.what()).find(".cpp"), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace redblue
