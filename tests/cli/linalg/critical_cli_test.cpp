// SPDX-License-Identifier: BSD-3-Clause
// redblue run --record and redblue critical.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/process.hpp"

namespace redblue::test {
namespace {

TEST(Critical, EveryKernelIsRecorded) {
  const std::string folder = temporary_directory();
  for (const std::string kernel : {"gemm -m 90 -n 80 -k 70", "syrk -n 90 -k 40", "cholesky -n 150",
                                   "lu -n 150", "trsm -n 150 -k 60"}) {
    const std::string file = folder + "/recording";
    const Finished run = mpirun(3, "run " + kernel + " --repeat 2 --json --record " + file);
    ASSERT_EQ(run.status, 0) << kernel << "\n" << run.err;
    EXPECT_EQ(nlohmann::json::parse(run.out)["ok"], true);
    const Finished critical =
        redblue("critical " + file + " --json --svg " + folder + "/picture.svg");
    ASSERT_EQ(critical.status, 0) << kernel << "\n" << critical.err;
    const auto json = nlohmann::json::parse(critical.out);
    EXPECT_EQ(json["ranks"], 3);
    const auto executions = nlohmann::json::parse(run.out)["executions"];
    EXPECT_NEAR(json["measured_seconds"].get<double>(),
                *std::min_element(executions.begin(), executions.end()), 1e-6);
    for (const char* key : {"F", "memory_words", "seconds"}) {
      EXPECT_GT(json[key].get<double>(), 0) << kernel << ": " << key;
    }
    // the path may be one rank's computation
    EXPECT_GE(json["S"].get<double>(), 0) << kernel;
    EXPECT_GE(json["W"].get<double>(), 0) << kernel;
    double at = 0, words = 0;
    for (const auto& piece : json["path"]) {
      EXPECT_NEAR(piece["begin"].get<double>(), at, 1e-9);
      at = piece["end"];
      words += piece["W"].get<double>();
    }
    EXPECT_NEAR(at, json["seconds"].get<double>(), 1e-9);
    EXPECT_EQ(words, json["W"].get<double>());
    EXPECT_FALSE(json["waiting"].empty()) << kernel;
    EXPECT_GT(json["without_overlap"]["W"].get<double>(), 0) << kernel;
    std::ifstream picture(folder + "/picture.svg");
    const std::string svg(std::istreambuf_iterator<char>(picture), {});
    EXPECT_NE(svg.find("rank 2"), std::string::npos);
    EXPECT_NE(svg.find("polyline"), std::string::npos);
  }
}

TEST(Critical, SlowerMachinesTakeLonger) {
  const std::string file = temporary_directory() + "/recording";
  ASSERT_EQ(mpirun(4, "run lu -n 120 --no-check --record " + file).status, 0);
  const Finished fast = redblue("critical " + file + " --json");
  ASSERT_EQ(fast.status, 0) << fast.err;
  const double before = nlohmann::json::parse(fast.out)["seconds"];
  const std::string slow = temporary_directory() + "/slow.toml";
  std::ofstream(slow) << "[rank]\nflops_per_second = 1e9\n[network]\nlatency_seconds = 1e-2\n"
                         "bytes_per_second = 1e7\n";
  const Finished critical = redblue("critical " + file + " --json --machine " + slow);
  ASSERT_EQ(critical.status, 0) << critical.err;
  const auto json = nlohmann::json::parse(critical.out);
  EXPECT_GT(json["seconds"].get<double>(), before);
  EXPECT_GE(json["seconds"].get<double>(), 1e-2 * json["S"].get<double>());
}

TEST(Critical, BadInputIsOneLine) {
  const std::string folder = temporary_directory();
  std::ofstream(folder + "/empty");
  std::ofstream(folder + "/other") << "something else\n";
  std::ofstream(folder + "/unmatched")
      << "redblue recording 1\ncommand x\nseconds 1\nflops_per_second 1\nranks 2\nrank 0 1\n"
         "s 0 1 1 0 0 5 8\nrank 1 0\n";
  for (const std::string& arguments :
       {std::string("critical"), "critical " + folder + "/none", "critical " + folder + "/empty",
        "critical " + folder + "/other", "critical " + folder + "/unmatched"}) {
    const Finished run = redblue(arguments);
    EXPECT_EQ(run.status, 2) << arguments;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_TRUE(run.out.empty());
  }
  for (const std::string& arguments :
       {"run lu -n 20 --record " + folder + "/no/such/folder",
        std::string("run gemm -m 9 -n 9 -k 9 --one-sided --record ") + folder + "/x"}) {
    const Finished run = mpirun(2, arguments);
    EXPECT_EQ(run.status, 2) << arguments;
    EXPECT_NE(run.err.find("--record"), std::string::npos) << run.err;
  }
}

}  // namespace
}  // namespace redblue::test
