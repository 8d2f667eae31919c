// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
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

TEST(MeasureCommand, SaysWhatEveryCacheMovesBesideTheBound) {
  const std::string machine = temporary_directory() + "/caches.toml";
  std::ofstream(machine)
      << "[rank]\nflops_per_second = 4e10\n[network]\nlatency_seconds = 1e-6\n"
         "bytes_per_second = 1e9\n"
         "[[level]]\nname = \"near\"\nunits = 1\nwords = 100\n"
         "[[level]]\nname = \"far\"\nunits = 1\nwords = 1000\nwords_per_flop = 0.5\n"
         "[[level]]\nname = \"memory\"\nunits = 1\nwords = 1000000\nwords_per_flop = 0.1\n";
  const std::string picture = temporary_directory() + "/roofline.svg";
  const std::string command =
      "measure " + syrk + " --set N=60,M=40 --repeat 1 --machine " + machine;
  const Finished run = redblue(command + " --json --picture " + picture);
  ASSERT_EQ(run.status, 0) << run.err;
  const auto levels = nlohmann::json::parse(run.out)["levels"];
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_EQ(levels[0]["name"], "near");
  EXPECT_EQ(levels[1]["capacity"], 1000);
  for (const auto& level : levels) {
    EXPECT_GE(level["words"].get<double>(), level["bound"].get<double>());
    EXPECT_GE(level["original_words"].get<double>(), level["bound"].get<double>());
    EXPECT_EQ(level["words"], level["loads"].get<int>() + level["stores"].get<int>());
  }
  std::ifstream in(picture);
  const std::string svg{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  EXPECT_NE(svg.find("proved: at most"), std::string::npos);
  EXPECT_NE(svg.find("as written"), std::string::npos);
  const Finished text = redblue(command);
  EXPECT_NE(text.out.find("words moved"), std::string::npos) << text.out;
  const Finished brief = redblue(command + " --walk 10");
  EXPECT_NE(brief.out.find("accesses, more than 10 (--walk"), std::string::npos) << brief.out;
}

TEST(MeasureCommand, CallsBlasAndSaysHowFarResultsMayBe) {
  const std::string command = "measure " + syrk + " --set N=300,M=200 --repeat 1 --walk 0 --blas";
  const std::string file = temporary_directory() + "/calls.c";
  const Finished run = redblue(command + " --json -o " + file);
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_TRUE(json["same_results"].get<bool>());
  EXPECT_LE(json["largest_difference"], json["tolerance"]);
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  EXPECT_NE(json["calls"].dump().find("dsyrk"), std::string::npos) << run.out;
  EXPECT_NE(text.find("cblas_dsyrk(CblasRowMajor, CblasLower"), std::string::npos) << text;
  for (const auto& level : json["levels"]) EXPECT_TRUE(level["words"].is_null()) << run.out;
  const Finished shown = redblue(command);
  EXPECT_NE(shown.out.find("of 1e-10 allowed"), std::string::npos) << shown.out;
  const Finished without = redblue("measure " + syrk + " --set N=30,M=20 --repeat 1 --json");
  EXPECT_TRUE(nlohmann::json::parse(without.out)["tolerance"].is_null());
}

TEST(MeasureCommand, SaysWhereThereIsNothingToCall) {
  const std::string jacobi = REDBLUE_SOURCE_DIR "/kernels/jacobi-1d.c";
  const Finished run = redblue("measure " + jacobi + " --set T=9,N=90 --repeat 1 --blas");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("calls of BLAS   none"), std::string::npos) << run.out;
}

// A compiler that finds no library: the environment's.
TEST(MeasureCommand, BlasThatIsMissingIsOneLine) {
  const std::string compiler = temporary_directory() + "/no-blas";
  std::ofstream(compiler) << "#!/bin/sh\ncase \"$*\" in *blas*) exit 1;; esac\nexec cc \"$@\"\n";
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  setenv("CC", compiler.c_str(), 1);
  const Finished run = redblue("measure " + syrk + " --set N=9,M=9 --repeat 1 --blas");
  unsetenv("CC");
  EXPECT_EQ(run.status, 2) << run.out;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_NE(run.err.find("leave --blas out"), std::string::npos) << run.err;
}

TEST(MeasureCommand, SearchesAndBeginsThereAgain) {
  const std::string folder = temporary_directory() + "/kept";
  setenv("REDBLUE_CACHE_DIR", folder.c_str(), 1);
  const std::string file = temporary_directory() + "/turned.c";
  std::ofstream(file) << "void turned(int n, double A[n][n], double B[n][n]) {\n#pragma scop\n"
                         "  for (int i = 0; i < n; i++)\n"
                         "    for (int j = 0; j < n; j++) B[j][i] = A[i][j];\n"
                         "#pragma endscop\n}\n";
  const std::string command = "measure " + file + " --set n=900 --repeat 1 --walk 0";
  const Finished run = redblue(command + " --search 1 --json");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");  // no progress in a pipe
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_FALSE(json["remembered"].get<bool>());
  EXPECT_GE(json["search"]["seconds"].get<double>(), 1);
  EXPECT_GT(json["search"]["tried"].get<int>(), 0);
  EXPECT_LE(json["search"]["best_seconds"], json["search"]["model_seconds"]);
  EXPECT_EQ(json["search"]["other_bits"].size(), 0U);
  EXPECT_FALSE(std::filesystem::is_empty(folder));
  EXPECT_NE(redblue(command).out.find("from an earlier search"), std::string::npos);
  for (const std::string other : {" --fresh", " --vector 16", " -- -DOTHER"})
    EXPECT_EQ(redblue(command + other).out.find("from an earlier search"), std::string::npos);
  setenv("REDBLUE_CACHE_DIR", "/dev/null/nowhere", 1);
  const Finished kept_nowhere = redblue(command + " --search 1");
  EXPECT_EQ(kept_nowhere.status, 0);
  EXPECT_EQ(std::count(kept_nowhere.err.begin(), kept_nowhere.err.end(), '\n'), 1)
      << kept_nowhere.err;
  unsetenv("REDBLUE_CACHE_DIR");
}

TEST(MeasureCommand, BadInputIsOneLine) {
  for (const std::string& bad :
       {"measure " + syrk + " --set N=9", "measure " + syrk + " --set N=9,M=9 --repeat 0",
        "measure " + syrk + " --set N=9,M=9 --vector 7",
        "measure " + syrk + " --set N=9,M=9 --orders 0",
        "measure " + syrk + " --set N=9,M=9 --search 0",
        "measure " + syrk + " --set N=9,M=9 --search -5",
        "measure " + syrk + " --set N=9,M=9 --search soon",
        "measure " + syrk + " --set N=9,M=9 --blas --threads 2",
        "measure " + syrk + " --set N=9,M=9 --blas --search 1",
        std::string("measure nowhere.c --set N=9"),
        "measure " + syrk + " --set N=9,M=9 --repeat 1 -o /nowhere/fast.c",
        "measure " + syrk + " --set N=9,M=9 --repeat 1 --picture /nowhere/roofline.svg",
        "measure " + syrk + " --set N=9,M=9 --machine /nowhere/machine.toml"}) {
    const Finished run = redblue(bad);
    EXPECT_EQ(run.status, 2) << bad;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
}

}  // namespace
}  // namespace redblue::test
