// SPDX-License-Identifier: BSD-3-Clause
// What run and compare say about time: the same keys for every kernel, phases that fit the time,
// efficiencies against what they are made of.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/process.hpp"

namespace redblue::test {
namespace {

using Json = nlohmann::json;

constexpr double default_bytes_per_second = 5e9;  // Machine's
constexpr double word_bytes = 8;

void check_phases(const Json& json, double seconds) {
  ASSERT_TRUE(json.contains("phases")) << json;
  double sum = 0;
  for (const char* name : {"compute", "exchange", "reduce", "redistribute", "wait"}) {
    ASSERT_TRUE(json["phases"].contains(name)) << name;
    EXPECT_GE(json["phases"][name], 0) << name;
    sum += json["phases"][name].get<double>();
  }
  EXPECT_EQ(json["phases"].size(), 5);
  EXPECT_GT(json["phases"]["compute"], 0);
  EXPECT_GT(json["phases"]["exchange"], 0);
  EXPECT_GT(json["phases"]["wait"], 0);
  EXPECT_LE(sum, seconds);
  EXPECT_GT(sum, 0.5 * seconds);
}

void check_efficiency(const Json& json, double bound, double seconds) {
  EXPECT_GT(json["percent_of_peak"], 0);
  EXPECT_GT(json["peak_gflops"], 0);
  // (Q / D) (B / B^) with B = D words in these seconds
  const double mue = bound * word_bytes / seconds / default_bytes_per_second;
  EXPECT_NEAR(json["mue"].get<double>(), mue, 1e-9 * mue);
  EXPECT_GT(json["roofline"]["flops_per_word"], 0);
  EXPECT_GT(json["roofline"]["balanced_flops_per_word"], 0);
}

TEST(Efficiency, EveryKernelsRunHasIt) {
  int kernels = 0;
  for (const char* kernel :
       {"gemm -m 200 -n 200 -k 200", "syrk -n 200 -k 100", "syr2k -n 200 -k 100",
        "symm -n 200 -k 100", "cholesky -n 200", "lu -n 200", "trsm -n 200 -k 50", "trsv -n 200"}) {
    SCOPED_TRACE(kernel);
    const Finished run = mpirun(4, std::string("run ") + kernel + " --json --repeat 2");
    ASSERT_EQ(run.status, 0) << run.err;
    const Json json = Json::parse(run.out);
    for (const char* key : {"lower_bound", "ratio", "max_words_received", "mean_words_received",
                            "messages", "memory_words"}) {
      EXPECT_TRUE(json.contains(key) && json[key].is_number()) << key;
    }
    const double seconds = json["seconds"];
    check_phases(json, seconds);
    check_efficiency(json, json["lower_bound"], seconds);
    EXPECT_NEAR(json["percent_of_peak"].get<double>(),
                100 * json["gflops"].get<double>() / json["peak_gflops"].get<double>(), 1e-6);
    ++kernels;
  }
  EXPECT_EQ(kernels, 8);
}

TEST(Efficiency, CompareHasItOfBothSides) {
  int kernels = 0;
  for (const char* kernel :
       {"gemm -m 200 -n 200 -k 200", "syr2k -n 200 -k 100", "symm -n 200 -k 100"}) {
    SCOPED_TRACE(kernel);
    const Finished run = mpirun(4, std::string("compare ") + kernel + " --json --repeat 2");
    ASSERT_EQ(run.status, 0) << run.err;
    const Json json = Json::parse(run.out);
    check_phases(json["redblue"], json["redblue"]["least_seconds"]);
    EXPECT_TRUE(json["scalapack"]["phases"].is_null());
    for (const char* side : {"redblue", "scalapack"}) {
      check_efficiency(json[side], json["lower_bound"], json[side]["least_seconds"]);
    }
    ++kernels;
  }
  EXPECT_EQ(kernels, 3);
}

TEST(Efficiency, OneRankMovesNothing) {
  const Finished run = redblue("run gemm -m 50 -n 60 -k 70 --json");
  ASSERT_EQ(run.status, 0) << run.err;
  const Json json = Json::parse(run.out);
  EXPECT_TRUE(json["mue"].is_null());
  EXPECT_GT(json["percent_of_peak"], 0);
}

TEST(Efficiency, TheTextHasATableOfPhases) {
  const Finished run = mpirun(2, "run syrk -n 100 -k 100");
  ASSERT_EQ(run.status, 0) << run.err;
  for (const char* word : {"compute", "redistribute", "wait", "% of the peak", "MUE", "roofline"}) {
    EXPECT_NE(run.out.find(word), std::string::npos) << word << "\n" << run.out;
  }
}

}  // namespace
}  // namespace redblue::test
