// SPDX-License-Identifier: BSD-3-Clause
// Products checked on every rank count up to 16, all shapes, and sizes smaller than the rank count.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "cli/process.hpp"

namespace redblue::test {
namespace {

class RunOn : public testing::TestWithParam<int> {};

TEST_P(RunOn, EveryShapeIsRight) {
  std::vector<const char*> shapes = {"-m 400 -n 400 -k 400", "-m 60 -n 60 -k 6000",
                                     "-m 900 -n 900 -k 20", "-m 3 -n 2 -k 2"};
  if (GetParam() == 4 || GetParam() == 7 || GetParam() == 16) {
    for (const char* large :
         {"-m 6000 -n 60 -k 60", "-m 1 -n 1 -k 1", "-m 5 -n 5 -k 0", "-m 1200 -n 1200 -k 1200",
          "-m 200 -n 200 -k 20000", "-m 20000 -n 200 -k 200", "-m 3000 -n 3000 -k 64"}) {
      shapes.push_back(large);
    }
  }
  for (const char* shape : shapes) {
    const Finished run = mpirun(GetParam(), std::string("run gemm --json ") + shape);
    ASSERT_EQ(run.status, 0) << shape << "\n" << run.err;
    const auto json = nlohmann::json::parse(run.out);
    EXPECT_EQ(json["ranks"], GetParam());
    EXPECT_EQ(json["ok"], true) << shape;
    EXPECT_LT(json["residual"].get<double>(), 1) << shape;
    EXPECT_LE(json["mean_words_received"], json["max_words_received"]) << shape;
    for (const char* key : {"max_words_received", "max_words_sent", "lower_bound", "ratio",
                            "messages", "seconds", "gflops"}) {
      EXPECT_TRUE(json.contains(key)) << key;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, RunOn, testing::Range(1, 17), testing::PrintToStringParamName());

TEST(Run, WithinAMemoryLimit) {
  const Finished run = mpirun(5, "run gemm -m 300 -n 310 -k 320 --memory 90000 --json");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["ok"], true);
}

TEST(Run, WithoutMpirunItIsOneRank) {
  const Finished run = redblue("run gemm -m 50 -n 60 -k 70 --json");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["max_words_received"], 0);
}

}  // namespace
}  // namespace redblue::test
