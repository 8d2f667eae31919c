// SPDX-License-Identifier: BSD-3-Clause
// redblue tradeoff, as a user runs it.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/process.hpp"

namespace redblue::test {
namespace {

const std::string source = REDBLUE_SOURCE_DIR;

TEST(Tradeoff, PrintsProductsAsJson) {
  const Finished outcome = redblue("tradeoff " + source + "/kernels/trisolv.c --set N=64 --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json["products"].size(), 2U);
  for (const auto& product : json["products"]) {
    for (const char* key : {"name", "formula", "constant", "value", "ledger"})
      EXPECT_TRUE(product.contains(key)) << key;
    EXPECT_GT(product["constant"], 0);
    EXPECT_GT(product["value"], 0);
    EXPECT_GT(product["ledger"].size(), 1U);
  }
  EXPECT_EQ(json["products"][0]["name"], "F S");
  EXPECT_EQ(json["why_none"], nullptr);
}

TEST(Tradeoff, TakesGraphsAndSaysWhyThereIsNoProduct) {
  EXPECT_EQ(redblue("tradeoff trsv:8").status, 0);
  const Finished none = redblue("tradeoff " + source + "/kernels/gemm.c --json");
  ASSERT_EQ(none.status, 0) << none.err;
  EXPECT_TRUE(nlohmann::json::parse(none.out)["why_none"].is_string());
}

TEST(Tradeoff, DrawsItsCurves) {
  const std::string file = temporary_directory() + "/solve.svg";
  const Finished outcome =
      redblue("tradeoff " + source + "/kernels/trisolv.c --set N=64 --plot " + file);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  EXPECT_NE(text.str().find("<polyline"), std::string::npos);
}

TEST(Tradeoff, RefusesBadInputInOneLine) {
  for (const std::string& arguments :
       {std::string("tradeoff nowhere.c"), "tradeoff " + source + "/kernels/lu.c --balance 1",
        "tradeoff " + source + "/kernels/lu.c --balance much",
        "tradeoff " + source + "/kernels/lu.c --set M=4", std::string("tradeoff trsv:x"),
        std::string("tradeoff"), "tradeoff " + source + "/kernels/gemm.c --plot /tmp/x.svg"}) {
    const Finished outcome = redblue(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << arguments;
  }
}

}  // namespace
}  // namespace redblue::test
