// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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

// A grid of 12 ranks in a line: 11 messages, or one for each doubling of 12.
TEST(Plan, FewMessagesByDoubling) {
  const std::string shape = "plan gemm -m 240 -n 240 -k 2400 -p 12 --json --exchange ";
  const auto direct = nlohmann::json::parse(redblue(shape + "direct").out);
  const auto doubling = nlohmann::json::parse(redblue(shape + "doubling").out);
  EXPECT_EQ(direct["messages"], 11);
  EXPECT_EQ(doubling["messages"], 4);
  EXPECT_EQ(direct["words_per_rank"], doubling["words_per_rank"]);
  EXPECT_EQ(doubling["decomposition"]["exchange"], "doubling");
}

TEST(Plan, ACurveOfWordsAgainstMessages) {
  const std::string picture = temporary_directory() + "/curve.svg";
  const std::string request = "plan gemm -m 768 -n 768 -k 768 -p 64 --memory 69120 --curve";
  const Finished run = redblue(request + " --json --plot " + picture);
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  const auto& curve = json["curve"];
  ASSERT_GE(curve.size(), 3U);
  for (std::size_t i = 0; i < curve.size(); ++i) {
    EXPECT_GE(curve[i]["ratio"].get<double>(), 1 - 1e-9);
    EXPECT_LE(curve[i]["memory_words"].get<std::int64_t>(), 69120);
    if (i == 0) continue;
    EXPECT_GT(curve[i]["words_per_rank"].get<double>(),
              curve[i - 1]["words_per_rank"].get<double>());
    EXPECT_LT(curve[i]["messages"].get<double>(), curve[i - 1]["messages"].get<double>());
  }
  std::ifstream drawn(picture);
  const std::string svg(std::istreambuf_iterator<char>(drawn), {});
  for (const auto& point : curve) {
    EXPECT_NE(svg.find(point["decomposition"].get<std::string>()), std::string::npos);
  }
  EXPECT_NE(redblue(request).out.find("messages"), std::string::npos);
  EXPECT_EQ(redblue("plan gemm -m 8 -n 8 -k 8 -p 4,8 --curve").status, 2);
  EXPECT_NE(redblue("plan gemm -m 8 -n 8 -k 8 -p 4 --plot " + picture).status, 0);
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
