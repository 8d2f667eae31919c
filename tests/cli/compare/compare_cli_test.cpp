// SPDX-License-Identifier: BSD-3-Clause
// redblue compare: the table's numbers, and what it refuses.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/process.hpp"

namespace redblue::test {
namespace {

TEST(Compare, BothLibrariesComputeTheSameProduct) {
  for (const char* options : {"--type d", "--type z --transa C --transb T --grid 2x2",
                              "--type s --block 7 --grid 1x3", "--type c --transb C --block 100"}) {
    const Finished run =
        mpirun(4, std::string("compare gemm -m 150 -n 130 -k 170 --repeat 2 --json ") + options);
    ASSERT_EQ(run.status, 0) << options << "\n" << run.err;
    const auto json = nlohmann::json::parse(run.out);
    EXPECT_EQ(json["ok"], true) << options;
    for (const char* side : {"redblue", "scalapack"}) {
      EXPECT_EQ(json[side]["seconds"].size(), 2U);
      const std::int64_t words = json[side]["max_words_received"];
      EXPECT_GT(words, 0) << side << " " << options;
      EXPECT_EQ(json[side]["words_received"], words) << side;  // its old name
      EXPECT_GT(json[side]["mean_words_received"].get<double>(), 0) << side;
      EXPECT_LE(json[side]["mean_words_received"].get<double>(), static_cast<double>(words + 1));
      EXPECT_TRUE(json[side]["uncounted"].empty()) << side;
      EXPECT_LT(json[side]["residual"].get<double>(), 1) << side << " " << options;
    }
    EXPECT_GE(static_cast<double>(json["redblue"]["words_received"]),
              static_cast<double>(json["lower_bound"]) * 0.9)
        << options;
  }
}

TEST(Compare, WhereOneMatrixDominatesItStaysInPlace) {
  const Finished run = mpirun(4, "compare gemm -m 1500 -n 1500 -k 32 --repeat 2 --json");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_NE(json["redblue"]["name"].get<std::string>().find("C in place"), std::string::npos);
  // a word or so goes into the agreement that all ranks pass their arrays
  EXPECT_LE(json["redblue"]["words_received"].get<std::int64_t>(),
            json["scalapack"]["words_received"].get<std::int64_t>() + 4);
}

TEST(Compare, WithinAMemoryLimit) {
  const std::string shape = "compare gemm -m 300 -n 300 -k 300 --repeat 1 --json --memory ";
  const Finished refused = mpirun(4, shape + "1000");
  ASSERT_EQ(refused.status, 2);
  const std::string before = "the least that does is ";
  const std::string least = refused.err.substr(refused.err.find(before) + before.size());
  const Finished run = mpirun(4, shape + std::to_string(std::stoll(least)));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["ok"], true);
}

TEST(Compare, WritesAPictureAndATable) {
  const std::string file = temporary_directory() + "/times.svg";
  const Finished run = mpirun(2, "compare gemm -m 60 -n 60 -k 60 --repeat 3 --plot " + file);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("ScaLAPACK"), std::string::npos);
  EXPECT_NE(run.out.find("times as fast"), std::string::npos);
  std::ifstream in(file);
  std::stringstream svg;
  svg << in.rdbuf();
  std::size_t dots = 0;
  for (std::size_t at = svg.str().find("<circle"); at != std::string::npos;
       at = svg.str().find("<circle", at + 1)) {
    ++dots;
  }
  EXPECT_EQ(dots, 6U);
  EXPECT_NE(svg.str().find("gemm 60 x 60 x 60 on 2 ranks"), std::string::npos);
}

// Numbers of an attribute of all such elements.
std::vector<double> numbers(const std::string& svg, const std::string& element,
                            const std::string& attribute) {
  std::vector<double> found;
  for (std::size_t at = svg.find(element); at != std::string::npos;
       at = svg.find(element, at + 1)) {
    const std::size_t value = svg.find(attribute + "=\"", at) + attribute.size() + 2;
    found.push_back(std::stod(svg.substr(value)));
  }
  return found;
}

TEST(Compare, ThePicturesMedianIsTheTables) {
  const std::string file = temporary_directory() + "/times.svg";
  const Finished run =
      mpirun(2, "compare gemm -m 300 -n 300 -k 300 --repeat 4 --json --plot " + file);
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  std::ifstream in(file);
  std::stringstream svg;
  svg << in.rdbuf();
  const std::vector<double> dots = numbers(svg.str(), "<circle", "cx");
  const std::vector<double> lines =
      numbers(svg.str().substr(svg.str().find("per call")), "<line", "x1");
  ASSERT_EQ(dots.size(), 8U);
  ASSERT_EQ(lines.size(), 2U);
  const char* sides[] = {"redblue", "scalapack"};
  for (std::size_t s = 0; s < 2; ++s) {
    // dots stand at 20 plus the seconds, to scale
    const double scale = (dots[4 * s] - 20) / json[sides[s]]["seconds"][0].get<double>();
    EXPECT_NEAR(lines[s], 20 + scale * json[sides[s]]["median_seconds"].get<double>(), 1)
        << sides[s];
  }
}

TEST(Compare, BadInputIsOneLine) {
  for (const char* wrong :
       {"-m 10 -n 10 -k 0", "-m 10 -n 10 -k 10 --grid 3x3", "-m 10 -n 10 -k 10 --grid two",
        "-m 10 -n 10 -k 10 --transa X", "-m 10 -n 10 -k 10 --block 0", "-m 10 -n 10 -k 10 --type q",
        "-m 10 -n 10 -k 10 --scalapack /nowhere.so", "-m 10 -n 10 -k 10 --plot /tmp/x.png"}) {
    const Finished run = mpirun(2, std::string("compare gemm ") + wrong);
    EXPECT_EQ(run.status, 2) << wrong;
    EXPECT_EQ(run.err.rfind("redblue: ", 0), 0U) << wrong << run.err;
  }
}

TEST(Compare, WordsThatCannotBeCountedAreNoRatio) {
  const std::string options = "-x REDBLUE_PEER_SHARED=1";
  const std::string arguments =
      "compare gemm -m 200 -n 200 -k 200 --grid 1x4 --repeat 1 --scalapack " COLLECTIVE_PEER;
  const Finished run = mpirun(4, arguments + " --json", options);
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_LT(json["scalapack"]["max_words_received"], json["lower_bound"]);
  EXPECT_TRUE(json["scalapack"]["below_bound"].get<bool>());
  EXPECT_TRUE(json["scalapack"]["ratio"].is_null());
  EXPECT_EQ(json["scalapack"]["uncounted"].size(), 1U);
  const std::string table = mpirun(4, arguments, options).out;
  EXPECT_NE(table.find("not counted: loads and stores in shared windows"), std::string::npos);
  EXPECT_NE(table.find("are below the bound of"), std::string::npos);
}

TEST(Run, EveryTypeMovesWhatThePlanSays) {
  const Finished plan = redblue("plan gemm --json -p 6 -m 400 -n 300 -k 500");
  const auto words = nlohmann::json::parse(plan.out)["words_per_rank"];
  for (const char* type : {"s", "d", "c", "z"}) {
    const Finished run =
        mpirun(6, std::string("run gemm --json -m 400 -n 300 -k 500 --type ") + type);
    ASSERT_EQ(run.status, 0) << run.err;
    const auto json = nlohmann::json::parse(run.out);
    EXPECT_EQ(json["ok"], true) << type;
    EXPECT_EQ(json["max_words_received"], words) << type;
  }
}

}  // namespace
}  // namespace redblue::test
