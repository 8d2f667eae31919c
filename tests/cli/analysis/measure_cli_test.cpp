// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/process.hpp"

namespace redblue::test {
namespace {

const std::string syrk = REDBLUE_SOURCE_DIR "/kernels/syrk.c";

TEST(MeasureCommand, ChecksTimesAndWritesTheCode) {
  const std::string file = temporary_directory() + "/fast.c";
  const Finished run = redblue("measure " + syrk + " --set N=90,M=40 --repeat 2 --json -o " + file);
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_TRUE(json["same_results"].get<bool>());
  EXPECT_EQ(json["repetitions"], 2);
  EXPECT_GT(json["original_seconds"].get<double>(), 0);
  EXPECT_GT(json["schedule_seconds"].get<double>(), 0);
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  EXPECT_NE(text.find("void syrk(int N"), std::string::npos);
}

TEST(MeasureCommand, BadInputIsOneLine) {
  for (const std::string& bad :
       {"measure " + syrk + " --set N=9", "measure " + syrk + " --set N=9,M=9 --repeat 0",
        "measure " + syrk + " --set N=9,M=9 --vector 7", std::string("measure nowhere.c --set N=9"),
        "measure " + syrk + " --set N=9,M=9 --repeat 1 -o /nowhere/fast.c"}) {
    const Finished run = redblue(bad);
    EXPECT_EQ(run.status, 2) << bad;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
}

}  // namespace
}  // namespace redblue::test
