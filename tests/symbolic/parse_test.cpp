// Formulas that users write: values, and why there are none.
#include <gtest/gtest.h>

#include "redblue/analysis.hpp"
#include "redblue/error.hpp"

namespace redblue {
namespace {

TEST(Formulas, Values) {
  EXPECT_DOUBLE_EQ(evaluate_formula("2*N^3/sqrt(S)", {{"N", 10}, {"S", 25}}), 400);
  EXPECT_DOUBLE_EQ(evaluate_formula("floor(N/3) # whole", {{"N", 11}}), 3);
  EXPECT_DOUBLE_EQ(evaluate_formula("ceil(N/3)*2^ceil(log2(N))", {{"N", 11}}), 64);
  EXPECT_DOUBLE_EQ(evaluate_formula("min(N, 7) + max(0, 3 - N)", {{"N", 11}}), 7);
}

TEST(Formulas, Refused) {
  for (const char* formula : {"", "N +", "x", "sqrt(", "1/0", "floor()", "N*sqrt( # no more\n )",
                              "2*N^3/(3*sqrt(S)) - floor()/2(1^/N"}) {
    try {
      evaluate_formula(formula, {{"N", 10}, {"S", 25}});
      ADD_FAILURE() << formula;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("N, S"), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace redblue
