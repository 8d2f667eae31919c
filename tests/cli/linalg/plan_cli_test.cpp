// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"

namespace redblue::test {
namespace {

TEST(Plan, JsonKeysOthersRelyOn) {
  const Finished run = redblue("plan gemm -m 1200 -n 1200 -k 1200 -p 7 --json");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  for (const char* key : {"decomposition", "max_words_received", "words_per_rank", "lower_bound",
                          "ratio", "alternatives"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  std::vector<std::string> names;
  for (const auto& a : json["alternatives"]) {
    names.push_back(a["name"]);
    EXPECT_EQ(a["max_words_received"], a["words_per_rank"]);  // its old name
    EXPECT_TRUE(a.contains("ratio"));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"best grid", "best bisection", "2D grid", "2.5D grid",
                                             "recursive halving"}));
  EXPECT_NEAR(json["ratio"].get<double>(),
              json["words_per_rank"].get<double>() / json["lower_bound"].get<double>(), 1e-9);
}

TEST(Plan, SeveralRankCountsMakeATable) {
  EXPECT_EQ(
      nlohmann::json::parse(redblue("plan gemm -m 60 -n 60 -k 60 -p 7,8,13 --json").out).size(),
      3U);
  EXPECT_NE(redblue("plan gemm -m 60 -n 60 -k 60 -p 7,8,13").out.find("2.5D grid"),
            std::string::npos);
}

TEST(Plan, MachineFiles) {
  const std::string file = temporary_directory() + "/machine.toml";
  ASSERT_EQ(redblue("machine -o " + file).status, 0);
  EXPECT_EQ(redblue("machine " + file).status, 0);
  const Finished run =
      redblue("plan gemm -m 600 -n 600 -k 600 -p 8 --minimise time --machine " + file);
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST(Plan, MeasuringStartsItsOwnRanks) {
  const Finished run = redblue("machine --measure --json");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  for (const char* key : {"flops_per_second", "latency_seconds", "bytes_per_second"}) {
    EXPECT_GT(json[key].get<double>(), 0) << key;
  }
}

}  // namespace
}  // namespace redblue::test
