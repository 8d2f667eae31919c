// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/process.hpp"

#include "temporary_folder.hpp"

namespace redblue::test {
namespace {

const std::string sources = std::string(REDBLUE_SOURCE_DIR) + "/tests/counting/sources/";

TEST(CountCommand, JsonKeysOthersRelyOn) {
  const Finished run = redblue("count " + sources + "paper.c --function half --set n=11 --json");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  for (const char* key : {"loops", "unknowns", "work", "depth", "efficiency", "parallelism",
                          "operations", "ledger"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  const auto& inner = json["loops"][1];
  EXPECT_EQ(inner["function"], "half");
  EXPECT_EQ(inner["line"], 63);
  EXPECT_EQ(inner["exact"], true);
  EXPECT_EQ(inner["value"], 21);  // (n + 1)(n + 3) / 8
  for (const char* key : {"flops", "loads", "stores"}) {
    EXPECT_TRUE(json["operations"].contains(key)) << key;
  }
}

TEST(CountCommand, UnknownsHaveNamesAndPlaces) {
  const Finished run = redblue("count " + sources + "paper.c --function sparse --json");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  ASSERT_EQ(json["unknowns"].size(), 1U);
  EXPECT_EQ(json["unknowns"][0]["name"], "u1");
  EXPECT_EQ(json["unknowns"][0]["line"], 69);
}

TEST(CountCommand, ChecksAtSeveralSizes) {
  const Finished run = redblue("count " + sources +
                               "paper.c --function nested --check y0=1,m=10 --check y0=3,m=100");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("ran 25"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("ran 411"), std::string::npos) << run.out;
}

TEST(CountCommand, ChecksWithTheProcessesOfSet) {
  const std::string both = "threads.c --function collapsed --check n=10,m=3";
  const Finished run = redblue("count " + sources + both + " --set p=2 -- -fopenmp");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("= 15   ran 15"), std::string::npos) << run.out;
  const Finished other = redblue("count " + sources + both + ",p=3 --set p=2 -- -fopenmp");
  EXPECT_EQ(other.status, 2) << other.out;
  EXPECT_NE(other.err.find("give one size of p"), std::string::npos) << other.err;
}

TEST(CountCommand, TakesThreadsByName) {
  const Finished run = redblue("count " + sources +
                               "created.c --size nthreads --rank part_id --check n=100,nthreads=7");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("10*ceil(n/p)   = 150   ran 150"), std::string::npos) << run.out;
}

TEST(CountCommand, PlotsEfficiencyWhereItIsKnown) {
  const std::string shared = std::string(REDBLUE_SOURCE_DIR) + "/tests/counting/paper/shared.c";
  const std::string file = temporary_folder() + "efficiency.svg";
  const Finished run =
      redblue("count " + shared + " --function linear_reduction --set n=4096 --plot " + file +
              " -- -fopenmp");
  ASSERT_EQ(run.status, 0) << run.err;
  std::ifstream stream(file);
  const std::string svg{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_NE(svg.find("largest useful p: 64"), std::string::npos);
  // E(64) = (n + 1) / (64 (n / 64 + 64)) = 0.5001 is half way up the lower picture, which is 220
  // high and ends at 560; the speedup of 32 is 5 / 8 of the upper one, which ends at 280.
  EXPECT_NE(svg.find("480.0,450.0 "), std::string::npos) << svg;
  EXPECT_NE(svg.find("480.0,142.5 "), std::string::npos) << svg;
}

void refuses(const std::string& arguments, const std::string& because) {
  const Finished run = redblue("count " + arguments);
  EXPECT_EQ(run.status, 2) << arguments << run.out;
  EXPECT_NE(run.err.find(because), std::string::npos) << run.err;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
}

TEST(CountCommand, BadInputIsOneLine) {
  refuses(sources + "paper.c --function nothing", "no function is called nothing");
  refuses(sources + "paper.c", "several functions");
  refuses(sources + "paper.c --function half --plot half.svg", "runs alone");
  refuses(sources + "ways.c --function never", "never ends");
  refuses(sources + "ways.c --function never_left", "never ends");
  refuses(sources + "paper.c --function sparse --assume \"u7 <= 100\"", "u7");
  refuses(sources + "paper.c --function half --check m=3", "n");
  refuses("/no/such.c", "cannot be read");
  const std::string folder = temporary_directory();
  ASSERT_EQ(
      shell("echo nonsense > " + folder + "/a.ll; echo \"int f(\" > " + folder + "/b.c").status, 0);
  refuses(folder + "/a.ll", "no LLVM IR");
  refuses(folder + "/b.c", "clang-19 says");
}

}  // namespace
}  // namespace redblue::test
